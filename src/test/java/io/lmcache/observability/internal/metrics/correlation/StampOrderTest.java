package io.lmcache.observability.internal.metrics.correlation;

import static io.lmcache.observability.internal.metrics.correlation.Step.SECOND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.catalog.L1Metrics;
import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.catalog.ServerMetrics;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.ObjectKey;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.event.ServerEvent.AllocationRecord;
import io.lmcache.observability.event.StorageEvent;
import io.lmcache.observability.internal.metrics.correlation.Model.Sample;
import io.lmcache.observability.testing.Threads;
import java.time.Duration;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** Events whose order of dispatch is not that of their stamps. */
class StampOrderTest {

  private static final int THREADS = 4;
  private static final int EACH = 100_000;
  private static final long HOUR = 3_600 * SECOND;

  private static final List<ObjectKey> KEYS = List.of(Histories.key("m", "s", "h", 0));
  private static final Event WRITE = new L1Event.WriteFinished(KEYS);
  private static final Event READ = new L1Event.ReadFinished(KEYS);
  private static final Event EVICTION = new L1Event.KeysEvicted(KEYS);
  private static final Event STORAGE_READ =
      new StorageEvent.ReadPrefetchedFinished(KEYS, List.of());

  private final TrackerFixture fixture = new TrackerFixture(TrackerFixture.config().build());

  /** An event that is handled so many seconds after the beginning and was stamped at another. */
  private static Step late(long seconds, double stamped, Event event) {
    return Step.event(seconds * SECOND, event)
        .publishedWith(Step.BEGIN + Math.round(stamped * SECOND));
  }

  private static Step at(long seconds, Event event) {
    return Step.event(seconds * SECOND, event);
  }

  private static Event allocation(int token) {
    AllocationRecord record = new AllocationRecord("r", new int[] {1}, new int[] {token});
    return new ServerEvent.BlockAllocation("i", "m", List.of(record));
  }

  private List<Double> values(Metric metric, Step... steps) {
    return fixture.take(List.of(steps)).stream()
        .filter(sample -> sample.metric().equals(metric.name()))
        .map(Sample::value)
        .toList();
  }

  @Test
  void l1_readThatComesLate_isAGapOfZeroAndLeavesTheLastAccess() {
    assertThat(values(L1Metrics.CHUNK_REUSE_GAP, at(0, WRITE), at(10, READ), late(10, 5, READ)))
        .containsExactly(10.0, 0.0);
    assertThat(fixture.take(at(20, EVICTION)))
        .extracting(Sample::value)
        .containsExactlyInAnyOrder(20.0, 10.0);
  }

  @Test
  void l1_evictionStampedBeforeTheRead_endsTheLifeAtTheRead() {
    assertThat(
            values(L1Metrics.CHUNK_LIFETIME, at(0, WRITE), at(10, READ), late(10, 9.5, EVICTION)))
        .containsExactly(10.0);
  }

  @Test
  void l1_writeStampedBeforeTheEviction_isAGapOfZeroAndStartsALifeThen() {
    assertThat(
            values(
                L1Metrics.CHUNK_EVICT_REUSE_GAP,
                at(0, WRITE),
                at(10, EVICTION),
                late(10, 9.5, WRITE)))
        .containsExactly(0.0);
    assertThat(values(L1Metrics.CHUNK_LIFETIME, at(11, EVICTION))).containsExactly(1.0);
  }

  @Test
  void l1_clockPutBackAnHour_losesOneGapAndGoesOn() {
    assertThat(
            values(
                L1Metrics.CHUNK_REUSE_GAP,
                at(0, WRITE),
                at(10, READ),
                at(-3_590, READ),
                at(-3_585, READ)))
        .containsExactly(10.0, -3_600.0, 5.0);
  }

  @Test
  void realReuse_readThatComesLate_isAGapOfZeroAndLeavesTheLastAccess() {
    assertThat(
            values(
                L1Metrics.REAL_REUSE_GAP,
                at(0, STORAGE_READ),
                at(10, STORAGE_READ),
                late(10, 5, STORAGE_READ),
                late(10, 9.999, new StorageEvent.WriteFinished(KEYS, List.of())),
                at(20, STORAGE_READ),
                Step.event(20 * SECOND - HOUR, STORAGE_READ),
                Step.event(21 * SECOND - HOUR, STORAGE_READ)))
        .containsExactly(10.0, 0.0, 10.0, -3_600.0, 1.0);
  }

  @Test
  void l0_accessThatComesLate_isAGapOfZeroAndLeavesTheLastAccess() {
    Event released = new ServerEvent.EndSession("r");
    assertThat(
            values(
                ServerMetrics.BLOCK_REUSE_GAP,
                at(0, allocation(1)),
                at(9, released),
                at(10, allocation(1)),
                at(10, released),
                late(10, 5, allocation(1))))
        .containsExactly(10.0, 0.0);
    assertThat(fixture.take(at(20, allocation(2))))
        .extracting(Sample::value)
        .containsExactlyInAnyOrder(20.0, 10.0);
  }

  @Test
  void l0_allocationStampedBeforeTheLast_startsALifeAtThat() {
    assertThat(
            values(
                ServerMetrics.BLOCK_LIFETIME,
                at(10, allocation(1)),
                late(10, 9.5, allocation(2)),
                at(11, allocation(3))))
        .containsExactly(0.0, 1.0);
  }

  @Test
  void l1_readsOfOneChunkByFourThreads_areAllSamplesOfTimeThatPassed() {
    run(WRITE, unused -> READ);
    assertSamples(L1Metrics.CHUNK_REUSE_GAP, THREADS * EACH);
  }

  @Test
  void realReuse_readsOfOneChunkByFourThreads_areAllSamplesOfTimeThatPassed() {
    run(STORAGE_READ, unused -> STORAGE_READ);
    assertSamples(L1Metrics.REAL_REUSE_GAP, THREADS * EACH);
  }

  @Test
  void l0_allocationsOfOneBlockByFourThreads_areAllSamplesOfTimeThatPassed() {
    run(allocation(-1), StampOrderTest::allocation);
    assertSamples(ServerMetrics.BLOCK_LIFETIME, THREADS * EACH);
    assertSamples(ServerMetrics.BLOCK_IDLE_BEFORE_EVICT, THREADS * EACH);
  }

  private final Map<String, DoubleSummaryStatistics> made = new TreeMap<>();
  private final LongSummaryStatistics stamps = new LongSummaryStatistics();

  private void run(Event first, IntFunction<Event> events) {
    try (EventBus bus = EventBus.create(THREADS * EACH + 1)) {
      bus.subscribe(Event.class, "trackers", this::handle);
      bus.start();
      bus.publish(first);
      Threads.together(
          THREADS,
          index -> {
            for (int i = 0; i < EACH; i++) {
              bus.publish(events.apply(index * EACH + i));
            }
          });
      assertThat(bus.stop(Duration.ofSeconds(30))).isTrue();
      assertThat(bus.dropped()).isZero();
      assertThat(bus.subscriberExceptions()).containsEntry("trackers", 0L);
    }
  }

  private void handle(Event event, long epochNanos) {
    stamps.accept(epochNanos);
    for (Sample sample : fixture.take(new Step(epochNanos, epochNanos, event))) {
      made.computeIfAbsent(sample.metric(), unused -> new DoubleSummaryStatistics())
          .accept(sample.value());
    }
  }

  private void assertSamples(Metric metric, long count) {
    assertThat(made.get(metric.name()))
        .satisfies(
            samples -> {
              assertThat(samples.getCount()).isEqualTo(count);
              assertThat(samples.getMin()).isNotNegative();
              double passed = (stamps.getMax() - stamps.getMin()) / 1e9;
              assertThat(samples.getSum()).isCloseTo(passed, within(1e-3));
            });
  }
}
