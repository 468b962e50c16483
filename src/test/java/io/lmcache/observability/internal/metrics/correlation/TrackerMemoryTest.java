package io.lmcache.observability.internal.metrics.correlation;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.ObjectKey;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.event.StorageEvent;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the trackers remember costs what the documentation says, and no more with time. */
class TrackerMemoryTest {

  private static final int ENTRIES = 500_000;
  private static final int EVENT_KEYS = 1_000;
  private static final long NOISE_BYTES = 6 << 20;
  private static final long MAX_BYTES_PER_EVENT = 1_000;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private TrackerFixture trackers = new TrackerFixture(config(1).build());
  private long now = SECOND;

  private static ObservabilityConfig.Builder config(double sampleRate) {
    return ObservabilityConfig.builder()
        .environment(Map.of())
        .systemProperties(Map.of())
        .sampleRate(sampleRate);
  }

  private void event(Event event) {
    trackers.take(new Step(now, now, event));
  }

  private static ObjectKey key(long number) {
    byte[] hash = ByteBuffer.allocate(32).putLong(24, number).array();
    return ObjectKey.of("model", "tenant-" + number % 4, hash, 0);
  }

  /** An event for each thousand of the numbered keys. */
  private void events(int keys, LongFunction<Event> ofFirst) {
    for (long first = 0; first < keys; first += EVENT_KEYS) {
      event(ofFirst.apply(first));
    }
  }

  private static List<ObjectKey> keys(long first) {
    return LongStream.range(first, first + EVENT_KEYS).mapToObj(TrackerMemoryTest::key).toList();
  }

  /** What is left once collecting frees no more. */
  private static long usedBytes() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      System.gc();
      least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }
    return least;
  }

  private long bytesOf(Runnable growth) {
    long before = usedBytes();
    growth.run();
    return usedBytes() - before;
  }

  @Test
  void l1Chunks_costAtMost128BytesEach_aliveOrEvicted() {
    long alive = bytesOf(() -> events(ENTRIES, first -> new L1Event.WriteFinished(keys(first))));
    assertThat(alive).isBetween(ENTRIES * 32L, ENTRIES * 128L);
    long evicted = bytesOf(() -> events(ENTRIES, first -> new L1Event.KeysEvicted(keys(first))));
    assertThat(alive + evicted).isLessThanOrEqualTo(ENTRIES * 128L);
    assertThat(trackers.evictions().values()).containsOnly(0L);
  }

  @Test
  void reusedChunks_costAtMost128BytesEach() {
    long bytes =
        bytesOf(
            () -> events(ENTRIES, first -> new StorageEvent.WriteFinished(keys(first), List.of())));
    assertThat(bytes).isBetween(ENTRIES * 32L, ENTRIES * 128L);
  }

  @Test
  void blocks_costAtMost128BytesEach_andFurtherOwners48() {
    trackers = new TrackerFixture(config(1).maxTrackedBlocks(ENTRIES).build());
    long blocks = bytesOf(() -> allocate("first"));
    assertThat(blocks).isBetween(ENTRIES * 32L, ENTRIES * 128L);
    long owners = bytesOf(() -> allocate("second"));
    assertThat(owners).isBetween(ENTRIES * 16L, ENTRIES * 48L);
    assertThat(trackers.evictions().values()).containsOnly(0L);
    event(new ServerEvent.EndSession("first-0"));
  }

  /** The labels of a life cost more than the life, so they must go with it. */
  @Test
  void blocks_eachOfAnInstanceOfItsOwn_leaveNothingWhenTheyGo() {
    trackers = new TrackerFixture(config(1).maxTrackedBlocks(1_000).build());
    long bytes =
        bytesOf(
            () -> {
              for (int i = 0; i < ENTRIES; i++) {
                ServerEvent.AllocationRecord record =
                    new ServerEvent.AllocationRecord("request", new int[] {0}, new int[] {7});
                event(new ServerEvent.BlockAllocation("instance-" + i, "model", List.of(record)));
              }
            });
    assertThat(bytes).isLessThan(NOISE_BYTES);
    assertThat(trackers.evictions()).containsEntry("l0_lifecycle", ENTRIES - 1_000L);
  }

  /** Every block under a request of its own, which costs most. */
  private void allocate(String request) {
    int[] token = {7};
    for (int first = 0; first < ENTRIES; first += EVENT_KEYS) {
      event(
          new ServerEvent.BlockAllocation(
              "instance",
              "model",
              IntStream.range(first, first + EVENT_KEYS)
                  .mapToObj(
                      id ->
                          new ServerEvent.AllocationRecord(
                              request + "-" + id, new int[] {id}, token))
                  .toList()));
    }
  }

  /** At the higher rate the heap would grow by far more if what is over stayed. */
  @ParameterizedTest
  @ValueSource(doubles = {0.01, 0.1})
  void fiveMillionKeys_writtenAndEvicted_leaveTheHeapFlat(double sampleRate) {
    trackers = new TrackerFixture(config(sampleRate).build());
    long bytes =
        bytesOf(
            () -> {
              for (int first = 0; first < 5_000_000; first += EVENT_KEYS) {
                List<ObjectKey> keys = keys(first);
                event(new L1Event.WriteFinished(keys));
                event(new L1Event.ReadFinished(keys));
                event(new L1Event.KeysEvicted(keys));
                now += SECOND;
                event(new Step.Tick());
              }
            });
    assertThat(bytes).isLessThan(NOISE_BYTES);
    assertThat(trackers.evictions().values()).containsOnly(0L);
  }

  @Test
  void moreKeysThanTheBound_atAHundredPercent_leaveItAndAreCounted() {
    int bound = 100_000;
    trackers = new TrackerFixture(config(1).maxTrackedChunks(bound).maxReuseChunks(bound).build());
    long bytes =
        bytesOf(
            () ->
                events(
                    1_000_000,
                    first -> {
                      event(new StorageEvent.WriteFinished(keys(first), List.of()));
                      return new L1Event.WriteFinished(keys(first));
                    }));
    assertThat(bytes).isLessThan(2L * bound * 128 + NOISE_BYTES);
    assertThat(trackers.evictions())
        .containsEntry("l1_lifecycle", 900_000L)
        .containsEntry("real_reuse", 900_000L);
  }

  @Test
  void keysThatAreNotSampled_allocateNothing() {
    trackers = new TrackerFixture(config(1e-9).build());
    String longSalt = "x".repeat(4_096);
    List<ObjectKey> keys = new ArrayList<>();
    for (int i = 0; i < 40_000; i++) {
      byte[] hash = ByteBuffer.allocate(32).putInt(i).array();
      // Salts of one hash code, many salts, long ones.
      String salt = i % 4 == 0 ? "Aa" : i % 4 == 1 ? "BB" : i % 4 == 2 ? "t" + i % 999 : longSalt;
      keys.add(ObjectKey.of("model", i % 8 == 7 ? longSalt + "y" : salt, hash, 0));
    }
    List<Event> events =
        List.of(
            new L1Event.ReadFinished(keys),
            new L1Event.WriteFinished(keys),
            new L1Event.KeysEvicted(keys),
            new StorageEvent.ReadPrefetchedFinished(keys, List.of()),
            new StorageEvent.WriteFinished(keys, List.of()));
    events.forEach(this::event);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < 5; i++) {
      events.forEach(this::event);
    }
    long perEvent = (threads.getCurrentThreadAllocatedBytes() - before) / 25;
    assertThat(perEvent).isLessThan(MAX_BYTES_PER_EVENT);
  }
}
