package io.lmcache.observability.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.bus.RecordingErrors;
import io.lmcache.observability.bus.RecordingErrors.Reason;
import io.lmcache.observability.catalog.Instrument;
import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.catalog.MetricCatalog;
import io.lmcache.observability.catalog.Unit;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.L2Event;
import io.lmcache.observability.event.ObjectKey;
import io.lmcache.observability.event.StorageEvent;
import io.lmcache.observability.internal.support.SpanLookup;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The histograms as an SDK has them in the end. */
class HistogramsTest {

  private static final long SECOND = 1_000_000_000L;

  private final InMemoryMetricReader reader = InMemoryMetricReader.create();
  private final SdkMeterProvider provider =
      SdkMeterProvider.builder().registerMetricReader(reader).build();
  private final RecordingErrors errors = EventBus.create(1).recordingErrors();
  private final MetricsSubscriber subscriber =
      new MetricsSubscriber(
          provider.get("test"),
          MetricsFixture.config().sampleRate(1).build(),
          true,
          errors,
          new SpanLookup());
  private long now = 1_700_000_000 * SECOND;

  @AfterEach
  void close() {
    provider.close();
  }

  private void event(Event event) {
    subscriber.onEvent(event, now);
  }

  private Collection<HistogramPointData> points(String name) {
    return reader.collectAllMetrics().stream()
        .filter(metric -> metric.getName().equals(name))
        .flatMap(metric -> metric.getHistogramData().getPoints().stream())
        .toList();
  }

  private static ObjectKey key(int number) {
    return ObjectKey.of("m", "", ByteBuffer.allocate(4).putInt(number).array(), 0);
  }

  private void assertSamplesInFiniteBucketsOfTheirOwn(String name, int samples) {
    assertThat(points(name))
        .singleElement()
        .satisfies(
            point -> {
              List<Long> counts = point.getCounts();
              assertThat(point.getCount()).isEqualTo(samples);
              assertThat(counts).containsOnly(0L, 1L);
              assertThat(counts.get(counts.size() - 1)).as("above all bounds").isZero();
            });
  }

  @Test
  void durations_from3MillisTo3Seconds_haveABucketEach() {
    List<ObjectKey> keys = List.of(key(0));
    for (long millis : new long[] {3, 20, 400, 3_000}) {
      event(new L1Event.WriteFinished(keys));
      now += millis * 1_000_000;
      event(new L1Event.KeysEvicted(keys));
    }
    assertSamplesInFiniteBucketsOfTheirOwn("lmcache_mp.l1_chunk_lifetime", 4);
    assertSamplesInFiniteBucketsOfTheirOwn("lmcache_mp.l1_chunk_idle_before_evict", 4);
  }

  @Test
  void throughputs_from200MegabytesTo250GigabytesASecond_haveABucketEach() {
    for (long megabytes : new long[] {200, 4_000, 50_000, 250_000}) {
      store(megabytes * 1_000_000, SECOND);
    }
    assertSamplesInFiniteBucketsOfTheirOwn("lmcache_mp.l2_store_throughput", 4);
  }

  @Test
  void gapsInChunks_from1To5000_haveABucketEach() {
    Event read = new StorageEvent.ReadPrefetchedFinished(List.of(key(0)), List.of());
    event(read);
    for (int gap : new int[] {1, 50, 5_000}) {
      List<ObjectKey> others = IntStream.range(1, gap).mapToObj(HistogramsTest::key).toList();
      event(new StorageEvent.WriteFinished(others, List.of()));
      event(read);
    }
    assertSamplesInFiniteBucketsOfTheirOwn("lmcache_mp.real_reuse_gap_objects", 3);
  }

  @Test
  void capOf300Seconds_isABucketBoundaryAndHoldsItsSample() {
    List<ObjectKey> keys = List.of(key(0));
    event(new L1Event.WriteFinished(keys));
    event(new L1Event.KeysEvicted(keys));
    now += 1_000 * SECOND;
    subscriber.onTick(now);
    assertThat(points("lmcache_mp.l1_chunk_evict_reuse_gap"))
        .singleElement()
        .satisfies(
            point -> {
              assertThat(point.getSum()).isEqualTo(300);
              assertThat(point.getCounts().get(point.getBoundaries().indexOf(300.0))).isOne();
            });
  }

  @ParameterizedTest
  @MethodSource("histograms")
  void buckets_ofEachHistogram_separateWhatIsUsual(Metric row) {
    List<Double> usual =
        Map.of(
                Unit.SECONDS, List.of(0.003, 0.02, 0.4, 3.0, 300.0),
                Unit.GIGABYTES_PER_SECOND, List.of(0.2, 4.0, 50.0, 250.0),
                Unit.CHUNKS, List.of(1.0, 50.0, 5_000.0))
            .getOrDefault(row.unit(), List.of());
    assertThat(usual).isNotEmpty();
    List<Long> buckets =
        usual.stream()
            .map(value -> row.buckets().stream().filter(bound -> bound < value).count())
            .toList();
    assertThat(buckets).doesNotHaveDuplicates().allMatch(bucket -> bucket < row.buckets().size());
    assertThat(row.buckets()).isSorted().hasSizeLessThanOrEqualTo(20);
    if (row.unit() == Unit.SECONDS) {
      assertThat(row.buckets()).contains(300.0);
    }
  }

  static List<Metric> histograms() {
    return MetricCatalog.all().stream()
        .filter(row -> row.instrument() == Instrument.HISTOGRAM)
        .toList();
  }

  private void store(long bytesTransferred, long nanos) {
    event(new L2Event.StoreSubmitted(0, 1, "fs", Map.of("", 1L), 1_000_000_000));
    now += nanos;
    event(completed(bytesTransferred));
  }

  private static Event completed(long bytesTransferred) {
    return new L2Event.StoreCompleted(0, 1, "fs", 1, 0, Map.of("", 1L), bytesTransferred);
  }

  @Test
  void storeToL2_thatTransferredNothing_hasNoSample() {
    store(0, 1_000);
    assertThat(points("lmcache_mp.l2_store_throughput")).isEmpty();
    assertNothingIsPending();
    assertThat(errors.of(Reason.INVALID_VALUE)).isZero();
  }

  @Test
  void storeToL2_thatTransferredAPart_countsThatPart() {
    store(250_000_000, SECOND / 2);
    assertThat(points("lmcache_mp.l2_store_throughput"))
        .singleElement()
        .satisfies(point -> assertThat(point.getSum()).isEqualTo(0.5));
    assertNothingIsPending();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, -1_000_000_000})
  void storeToL2_thatTookNoTime_hasNoSampleAndIsCounted(long nanos) {
    store(250_000_000, nanos);
    assertThat(points("lmcache_mp.l2_store_throughput")).isEmpty();
    assertNothingIsPending();
    assertThat(errors.of(Reason.INVALID_VALUE)).isOne();
  }

  /** A further completion finds no submission, and nothing is left to give up. */
  private void assertNothingIsPending() {
    Collection<HistogramPointData> before = points("lmcache_mp.l2_store_throughput");
    now += SECOND;
    event(completed(250_000_000));
    assertThat(points("lmcache_mp.l2_store_throughput")).hasSameSizeAs(before);
    assertThat(points("lmcache_mp.l2_store_throughput"))
        .allSatisfy(point -> assertThat(point.getCount()).isOne());
    subscriber.onTick(now + 3_600 * SECOND);
    assertThat(subscriber.trackerEvictions()).containsEntry("l1_l2_pairs", 0L);
  }
}
