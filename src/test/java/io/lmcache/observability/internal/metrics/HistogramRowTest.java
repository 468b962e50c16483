package io.lmcache.observability.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.bus.RecordingErrors;
import io.lmcache.observability.bus.RecordingErrors.Reason;
import io.lmcache.observability.catalog.L1Metrics;
import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.catalog.ServerMetrics;
import io.lmcache.observability.internal.support.SpanLookup;
import io.lmcache.observability.internal.support.Warnings;
import io.lmcache.observability.testing.Logs;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HistogramRowTest {

  private final InMemoryMetricReader reader = InMemoryMetricReader.create();
  private final SdkMeterProvider provider =
      SdkMeterProvider.builder().registerMetricReader(reader).build();
  private final RecordingErrors errors = EventBus.create(1).recordingErrors();

  private HistogramRow row(Metric row, Set<String> dropped) {
    return new HistogramRow(
        row,
        provider.get("test").histogramBuilder(row.name()).build(),
        new Series(row, Series.kept(row.attributes(), dropped), 10, null),
        dropped,
        errors,
        new Warnings(),
        new SpanLookup());
  }

  private Collection<HistogramPointData> points() {
    Collection<MetricData> metrics = reader.collectAllMetrics();
    assertThat(metrics).hasSize(1);
    return metrics.iterator().next().getHistogramData().getPoints();
  }

  @AfterEach
  void close() {
    provider.close();
  }

  @Test
  void record_valuesThatAreNone_areCountedAndLeftOut_theOthersStand() {
    HistogramRow row = row(L1Metrics.CHUNK_LIFETIME, Set.of());
    try (Logs logs = Logs.of(Warnings.LOGGER)) {
      row.record(Double.NaN);
      row.record(Double.POSITIVE_INFINITY);
      row.record(Double.NEGATIVE_INFINITY);
      row.record(-0.2);
      row.record(0.5);
      assertThat(logs.warnings()).hasSize(1);
      assertThat(logs.warnings().get(0)).contains("lmcache_mp.l1_chunk_lifetime").contains("NaN");
    }
    assertThat(points())
        .singleElement()
        .satisfies(
            point -> {
              assertThat(point.getCount()).isOne();
              assertThat(point.getSum()).isEqualTo(0.5);
            });
    assertThat(errors.of(Reason.INVALID_VALUE)).isEqualTo(4);
  }

  @Test
  void recordNanos_aTime_isASampleInSeconds() {
    HistogramRow row = row(L1Metrics.CHUNK_LIFETIME, Set.of());
    row.recordNanos(1_500_000_000);
    row.recordNanos(0);
    row.recordNanos(-1);
    assertThat(points())
        .singleElement()
        .satisfies(
            point -> {
              assertThat(point.getCount()).isEqualTo(2);
              assertThat(point.getSum()).isEqualTo(1.5);
            });
    assertThat(errors.of(Reason.INVALID_VALUE)).isOne();
  }

  @Test
  void record_withAnAttributeSwitchedOff_hasTheOtherLabelsInTheirPlaces() {
    HistogramRow row = row(ServerMetrics.COPY_STORE_THROUGHPUT, Set.of("device"));
    row.record(1, "engine", "cuda:0", "model");
    row.record(2, "engine", "cuda:1", "model");
    assertThat(points())
        .singleElement()
        .satisfies(
            point -> {
              assertThat(labels(point))
                  .isEqualTo(Map.of("engine_id", "engine", "model_name", "model"));
              assertThat(point.getSum()).isEqualTo(3);
            });
  }

  @Test
  void record_instrumentThatThrows_countsTheSampleAsInvalid() {
    DoubleHistogram failing =
        (DoubleHistogram)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DoubleHistogram.class},
                (proxy, method, arguments) -> {
                  throw new StackOverflowError("for a test");
                });
    HistogramRow row =
        new HistogramRow(
            L1Metrics.CHUNK_LIFETIME,
            failing,
            new Series(L1Metrics.CHUNK_LIFETIME, List.of(), 10, null),
            Set.of(),
            errors,
            new Warnings(),
            new SpanLookup());
    row.record(1);
    row.record(2);
    assertThat(errors.of(Reason.INVALID_VALUE)).isEqualTo(2);
  }

  private static Map<String, Object> labels(HistogramPointData point) {
    return point.getAttributes().asMap().entrySet().stream()
        .collect(Collectors.toMap(e -> e.getKey().getKey(), Map.Entry::getValue));
  }
}
