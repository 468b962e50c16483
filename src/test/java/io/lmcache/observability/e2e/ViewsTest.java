package io.lmcache.observability.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.Observability;
import io.lmcache.observability.catalog.L2Metrics;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.L2Event;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.Aggregation;
import io.opentelemetry.sdk.metrics.InstrumentSelector;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.View;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.export.MetricReader;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Buckets where the embedder's own OpenTelemetry has views. */
class ViewsTest {

  private static final Duration SOON = Duration.ofSeconds(30);

  @Test
  @SuppressWarnings("deprecation") // what embedders' views are made with today
  void buckets_ofAView_winOverTheCatalogues() {
    InMemoryMetricReader reader = InMemoryMetricReader.create();
    View view =
        View.builder()
            .setAggregation(Aggregation.explicitBucketHistogram(List.of(0.5, 2.0)))
            .build();
    try (OpenTelemetrySdk sdk = sdk(reader, view);
        Observability observability =
            Observability.builder()
                .openTelemetry(sdk)
                .config(
                    ObservabilityConfig.builder()
                        .environment(Map.of())
                        .systemProperties(Map.of())
                        .build())
                .start()) {
      transfer(observability);
      assertThat(observability.flush(SOON)).isTrue();
      assertThat(boundaries(reader, L2Metrics.STORE_THROUGHPUT.name())).containsExactly(0.5, 2.0);
      assertThat(boundaries(reader, L2Metrics.LOAD_THROUGHPUT.name()))
          .isEqualTo(L2Metrics.LOAD_THROUGHPUT.buckets());
    }
  }

  private static OpenTelemetrySdk sdk(MetricReader reader, View view) {
    return OpenTelemetrySdk.builder()
        .setMeterProvider(
            SdkMeterProvider.builder()
                .registerMetricReader(reader)
                .registerView(
                    InstrumentSelector.builder().setName(L2Metrics.STORE_THROUGHPUT.name()).build(),
                    view)
                .build())
        .build();
  }

  private static void transfer(Observability observability) {
    long start = 1_000_000_000;
    long end = 2_000_000_000;
    var sink = observability.sink();
    sink.publish(new L2Event.StoreSubmitted(0, 1, "fs", Map.of("", 1L), 1_000), start);
    sink.publish(new L2Event.StoreCompleted(0, 1, "fs", 1, 0, Map.of("", 1L), 1_000), end);
    sink.publish(new L2Event.LoadTaskSubmitted(1, 0, 1, "fs", 1, 1_000), start);
    sink.publish(new L2Event.LoadTaskCompleted(1, 0, 1, "fs"), end);
  }

  private static List<Double> boundaries(InMemoryMetricReader reader, String name) {
    return reader.collectAllMetrics().stream()
        .filter(metric -> metric.getName().equals(name))
        .map(MetricData::getHistogramData)
        .flatMap(data -> data.getPoints().stream())
        .findFirst()
        .orElseThrow()
        .getBoundaries();
  }
}
