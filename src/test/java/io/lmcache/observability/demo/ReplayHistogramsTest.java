package io.lmcache.observability.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.bus.RecordingErrors;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.internal.metrics.MetricsSubscriber;
import io.lmcache.observability.internal.support.SpanLookup;
import io.lmcache.observability.testing.Distribution;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every histogram that a replay by the trace's time feeds, against the second implementation. */
class ReplayHistogramsTest {

  private static final int QUEUE_SIZE = 10_000;

  private static final Set<String> WITHOUT_EVICTION =
      Set.of(
          "lmcache_mp.l1_chunk_reuse_gap",
          "lmcache_mp.real_reuse_gap",
          "lmcache_mp.real_reuse_gap_objects",
          "lmcache_mp.l0_l1_store_throughput",
          "lmcache_mp.l0_l1_load_throughput",
          "lmcache_mp.l2_store_throughput");

  private static final Set<String> ALL =
      Stream.concat(
              WITHOUT_EVICTION.stream(),
              Stream.of(
                  "lmcache_mp.l1_chunk_lifetime",
                  "lmcache_mp.l1_chunk_idle_before_evict",
                  "lmcache_mp.l1_chunk_evict_reuse_gap",
                  "lmcache_mp.l2_load_throughput"))
          .collect(Collectors.toUnmodifiableSet());

  /** What the library exports of a replay, by metric and labels. */
  private static Map<String, Map<Map<String, String>, Distribution>> replay(
      ReplayRun run, List<TraceRequest> requests) {
    ObservabilityConfig config =
        ObservabilityConfig.builder()
            .environment(Map.of())
            .systemProperties(Map.of())
            .sampleRate(1.0)
            .build();
    RecordingErrors errors = EventBus.create(1).recordingErrors();
    InMemoryMetricReader reader = InMemoryMetricReader.create();
    try (SdkMeterProvider provider =
        SdkMeterProvider.builder().registerMetricReader(reader).build()) {
      MetricsSubscriber subscriber =
          new MetricsSubscriber(provider.get("test"), config, true, errors, new SpanLookup());
      run.run(requests, subscriber);
      assertThat(errors.byReason().values()).containsOnly(0L);
      assertThat(subscriber.trackerEvictions().values()).containsOnly(0L);
      Map<String, Map<Map<String, String>, Distribution>> exported = new TreeMap<>();
      for (MetricData metric : reader.collectAllMetrics()) {
        if (metric.getType() == MetricDataType.HISTOGRAM) {
          exported.put(metric.getName(), Distribution.of(metric));
        }
      }
      return exported;
    }
  }

  private static void assertIsTheNaiveReplay(
      List<TraceRequest> requests, int l1Chunks, int tenants, Set<String> metrics) {
    Map<String, Map<Map<String, String>, Distribution>> wanted =
        NaiveHistograms.of(requests, l1Chunks, tenants);
    assertThat(wanted.keySet()).containsExactlyInAnyOrderElementsOf(metrics);
    assertThat(replay(new ReplayRun(QUEUE_SIZE, l1Chunks, tenants), requests))
        .usingRecursiveComparison(Distribution.UP_TO_ROUNDING)
        .isEqualTo(wanted);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1, 1",
    "1, 60, 3",
    "2, 300, 1",
    "3, 800, 3",
    "4, 1500, 1",
    "5, 2500, 3",
  })
  void play_generatedTrace_hasTheTenHistogramsOfTheNaiveReplay(
      long seed, int l1Chunks, int tenants) {
    assertIsTheNaiveReplay(TraceGenerator.generate(seed, 400), l1Chunks, tenants, ALL);
  }

  @ParameterizedTest
  @CsvSource({"1, 0, 1", "2, 0, 3", "3, 100000, 1"})
  void play_generatedTraceThatFitsIntoL1_hasTheHistogramsOfTheNaiveReplay(
      long seed, int l1Chunks, int tenants) {
    assertIsTheNaiveReplay(TraceGenerator.generate(seed, 400), l1Chunks, tenants, WITHOUT_EVICTION);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 8000})
  void play_publicTrace_hasTheHistogramsOfTheNaiveReplay(int l1Chunks) throws IOException {
    assertIsTheNaiveReplay(KnownTrace.read(), l1Chunks, 1, l1Chunks == 0 ? WITHOUT_EVICTION : ALL);
  }

  @Property(tries = 100)
  void play_anyRequests_hasTheHistogramsOfTheNaiveReplay(
      @ForAll("traces") List<TraceRequest> requests,
      @ForAll @IntRange(min = 0, max = 12) int l1Chunks,
      @ForAll @IntRange(min = 1, max = 3) int tenants) {
    assertThat(replay(new ReplayRun(16, l1Chunks, tenants), requests))
        .usingRecursiveComparison(Distribution.UP_TO_ROUNDING)
        .isEqualTo(NaiveHistograms.of(requests, l1Chunks, tenants));
  }

  /**
   * Few different chunks in any order, some of them twice in a request, at times that may be late,
   * the same, or about as long after one another as an evicted chunk is waited for.
   */
  @Provide
  static Arbitrary<List<TraceRequest>> traces() {
    Arbitrary<Long> timestamps =
        Arbitraries.oneOf(
            Arbitraries.longs().between(0, 50),
            Arbitraries.longs().between(0, 1_000_000),
            Arbitraries.longs().between(1, 4).map(n -> n * 300_000));
    Arbitrary<List<Long>> hashIds = Arbitraries.longs().between(0, 9).list().ofMaxSize(8);
    return Combinators.combine(timestamps, hashIds)
        .as((time, ids) -> new TraceRequest(time, 0, 0, ids))
        .list()
        .ofMaxSize(30);
  }

  @Test
  void play_withTheShowcase_hasTheSameHistograms() {
    List<TraceRequest> requests = TraceGenerator.generate(6, 200);
    Map<String, Map<Map<String, String>, Distribution>> exported =
        replay(new ReplayRun(QUEUE_SIZE, 300, 1).withShowcase(), requests);
    assertThat(exported.keySet()).filteredOn(name -> name.contains(".l0_block_")).hasSize(3);
    exported.keySet().retainAll(ALL);
    assertThat(exported)
        .usingRecursiveComparison(Distribution.UP_TO_ROUNDING)
        .isEqualTo(NaiveHistograms.of(requests, 300, 1));
  }
}
