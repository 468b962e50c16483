package io.lmcache.observability.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.Observability;
import io.lmcache.observability.config.ObservabilityConfig;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The replay through the whole library, read off a metric reader. */
class ReplayMetricsTest {

  private static final AttributeKey<String> SALT = AttributeKey.stringKey("cache_salt");
  private static final int QUEUE_SIZE = 10_000;

  private static Totals replay(List<TraceRequest> requests, int l1Chunks, int tenants) {
    InMemoryMetricReader reader = InMemoryMetricReader.create();
    ObservabilityConfig config =
        ObservabilityConfig.builder()
            .environment(Map.of())
            .systemProperties(Map.of())
            .maxQueueSize(QUEUE_SIZE)
            .build();
    try (Observability observability =
        Observability.builder().config(config).metricReader(reader).start()) {
      Replay.Facades facades =
          new Replay.Facades(observability.l1(), observability.storage(), observability.server());
      Timeline timeline = new Timeline(observability.bus(), QUEUE_SIZE, null, 0, () -> false);
      TierState state = new TierState(l1Chunks);
      state.register(facades);
      new Replay(facades, timeline, state, l1Chunks, tenants).play(1, requests, done -> {});
      new Showcase(facades, timeline).play(1);
      assertThat(observability.bus().flush(Duration.ofSeconds(30))).isTrue();
      assertThat(observability.bus().dropped()).isZero();
      return totals(reader);
    }
  }

  private static Totals totals(InMemoryMetricReader reader) {
    Totals totals = new Totals();
    for (MetricData metric : reader.collectAllMetrics()) {
      metric
          .getLongSumData()
          .getPoints()
          .forEach(
              point -> {
                String salt = Objects.requireNonNullElse(point.getAttributes().get(SALT), "");
                totals.add(metric.getName(), salt, point.getValue());
              });
    }
    return totals;
  }

  @ParameterizedTest
  @CsvSource({"1, 0, 1", "2, 60, 1", "3, 60, 3", "4, 700, 3"})
  void play_generatedTrace_isCountedAsTheNaiveReplayCounts(long seed, int l1Chunks, int tenants) {
    List<TraceRequest> requests = TraceGenerator.generate(seed, 120);
    Totals counted = replay(requests, l1Chunks, tenants);
    assertThat(counted.asMap())
        .containsAllEntriesOf(NaiveReplay.totals(requests, l1Chunks, tenants).asMap());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 8000})
  void play_publicTrace_isCountedToItsKnownNumbers(int l1Chunks) throws IOException {
    Totals counted = replay(KnownTrace.read(), l1Chunks, 1);
    KnownTrace.numbers(l1Chunks)
        .forEach((metric, value) -> assertThat(counted.total(metric)).as(metric).isEqualTo(value));
  }
}
