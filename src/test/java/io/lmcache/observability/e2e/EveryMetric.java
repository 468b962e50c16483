package io.lmcache.observability.e2e;

import io.lmcache.observability.Observability;
import io.lmcache.observability.event.EventType;
import io.lmcache.observability.event.ObjectKey;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.event.ServerEvent.AllocationRecord;
import io.lmcache.observability.producer.CacheServer;
import io.lmcache.observability.producer.L2Gauges;
import io.lmcache.observability.producer.StorageManager;
import io.lmcache.observability.testing.FakeClock;
import io.lmcache.observability.testing.SampleEvents;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Moves every metric that events and callbacks can move; the sample has to take everything. */
final class EveryMetric {

  private static final int ROUNDS = 20;
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final Duration MOMENT = Duration.ofMillis(3);
  private static final long BYTES = 1 << 20;
  private static final List<ObjectKey> KEYS =
      List.of(ObjectKey.of("m", "a", new byte[32], 0), ObjectKey.of("m", "b", new byte[32], 0));

  private final Observability observability;
  private final FakeClock clock;

  private EveryMetric(Observability observability, FakeClock clock) {
    this.observability = observability;
    this.clock = clock;
  }

  /**
   * Moves them all, and waits until that is done.
   *
   * @param clock the clock of the bus, which goes forward
   */
  static void move(Observability observability, FakeClock clock) {
    registerGauges(observability);
    EveryMetric every = new EveryMetric(observability, clock);
    every.publishSamples();
    every.liveInL1();
    every.reuse();
    every.liveOnTheGpu();
    every.copy();
    every.transfer();
    observability.bus().flush(SOON);
  }

  private static void registerGauges(Observability observability) {
    observability.l1().registerUsageRatio(() -> 1, () -> 2);
    observability.l1().registerMemoryUsage(() -> 1 << 20);
    observability.server().registerActivePrefetchJobs(() -> 3);
    L2Gauges l2 = observability.storage().gauges();
    l2.registerUsage(() -> List.of(new L2Gauges.Usage("fs", () -> 7)));
    l2.registerInflightStores(() -> List.of(new L2Gauges.InflightStores("fs", 0, 2)));
    l2.registerInflightLoads(() -> List.of(new L2Gauges.InflightLoads("fs", 0, 2, 64)));
    l2.registerInflightLoadBytes(() -> List.of(new L2Gauges.InflightLoads("fs", 0, 2, 64)));
  }

  private void publishSamples() {
    SampleEvents samples = new SampleEvents(1);
    for (int i = 0; i < ROUNDS; i++) {
      EventType.all().stream()
          .filter(type -> type != EventType.CUSTOM)
          .forEach(
              type -> {
                observability.sink().publish(samples.next(type));
                clock.advance(MOMENT);
              });
    }
    observability
        .sink()
        .publish(new ServerEvent.TimeoutRaised("s", "late", "LMCacheTimeout", "a.B", "at …"));
  }

  /** Chunks that are written, read, evicted and written again. */
  private void liveInL1() {
    observability.l1().writeFinished(KEYS);
    clock.advance(MOMENT);
    observability.l1().readFinished(KEYS);
    clock.advance(MOMENT);
    observability.l1().keysEvicted(KEYS);
    clock.advance(MOMENT);
    observability.l1().writeFinishedAndReadReserved(KEYS);
  }

  private void reuse() {
    observability.storage().writeFinished(KEYS, List.of());
    clock.advance(MOMENT);
    observability.storage().readPrefetchedFinished(KEYS, List.of());
  }

  /** A block that a second request finds released, and a third one overwrites. */
  private void liveOnTheGpu() {
    allocate("first", 1);
    observability.server().sessionEnded("first");
    allocate("second", 1);
    allocate("third", 2);
  }

  private void allocate(String request, int token) {
    AllocationRecord allocation = new AllocationRecord(request, new int[] {7}, new int[] {token});
    observability.server().blocksAllocated("i", "m", List.of(allocation));
    clock.advance(MOMENT);
  }

  private void copy() {
    CacheServer server = observability.server();
    CacheServer.Store store = server.storeStarted("copy", "cuda:0", "e", "m");
    CacheServer.Retrieve retrieve = server.retrieveStarted("copy", "cuda:0", "e", "m", "a");
    clock.advance(MOMENT);
    store.ended(1, BYTES);
    retrieve.ended(1, BYTES);
  }

  private void transfer() {
    Map<String, Long> perSalt = Map.of("a", 1L);
    StorageManager storage = observability.storage();
    StorageManager.Store store = storage.l2StoreSubmitted(0, -1, "fs", perSalt, BYTES);
    StorageManager.LoadTask task = storage.l2LoadTaskSubmitted(-1, 0, -1, "fs", 1, BYTES);
    clock.advance(MOMENT);
    store.completed(1, 0, perSalt, BYTES);
    task.completed();
  }
}
