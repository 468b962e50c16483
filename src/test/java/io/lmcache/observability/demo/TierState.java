package io.lmcache.observability.demo;

import io.lmcache.observability.producer.L1Manager;
import io.lmcache.observability.producer.L2Gauges;
import io.lmcache.observability.producer.L2Gauges.InflightLoads;
import io.lmcache.observability.producer.L2Gauges.InflightStores;
import io.lmcache.observability.producer.L2Gauges.Usage;
import java.util.List;

/** What the state gauges show. The replaying thread writes it, a collection reads it. */
final class TierState {

  private static final String BACKGROUND_NAME = "object_store";
  private static final int BACKGROUND_ADAPTER = 1;

  private final long l1CapacityBytes;
  private volatile long l1Bytes;
  private volatile long l2Bytes;
  private volatile InflightStores stores = noStores();
  private volatile InflightLoads loads = noLoads();

  TierState(int l1Chunks) {
    l1CapacityBytes = l1Chunks * Replay.CHUNK_BYTES;
  }

  /** Registers all state gauges; they last as long as the instance that they belong to. */
  void register(Replay.Facades facades) {
    L1Manager l1 = facades.l1();
    l1.registerUsageRatio(() -> l1Bytes, () -> l1CapacityBytes);
    l1.registerMemoryUsage(() -> l1Bytes);
    L2Gauges l2 = facades.storage().gauges();
    l2.registerUsage(() -> List.of(new Usage(Replay.L2_NAME, () -> l2Bytes)));
    l2.registerInflightStores(() -> List.of(stores));
    l2.registerInflightLoads(() -> List.of(loads));
    l2.registerInflightLoadBytes(() -> List.of(loads));
    facades.server().registerActivePrefetchJobs(() -> loads.count());
  }

  void held(int l1Chunks, int l2Chunks) {
    l1Bytes = l1Chunks * Replay.CHUNK_BYTES;
    l2Bytes = l2Chunks * Replay.CHUNK_BYTES;
  }

  void storing() {
    stores = new InflightStores(Replay.L2_NAME, Replay.ADAPTER, 1);
  }

  void loading(int chunks) {
    loads = new InflightLoads(Replay.L2_NAME, Replay.ADAPTER, 1, chunks * Replay.CHUNK_BYTES);
  }

  void idle() {
    stores = noStores();
    loads = noLoads();
  }

  /** A store and a load of another adapter that stay in flight, for the gauges of such work. */
  void backgroundWork() {
    stores = new InflightStores(BACKGROUND_NAME, BACKGROUND_ADAPTER, 1);
    loads = new InflightLoads(BACKGROUND_NAME, BACKGROUND_ADAPTER, 1, Replay.CHUNK_BYTES);
  }

  private static InflightStores noStores() {
    return new InflightStores(Replay.L2_NAME, Replay.ADAPTER, 0);
  }

  private static InflightLoads noLoads() {
    return new InflightLoads(Replay.L2_NAME, Replay.ADAPTER, 0, 0);
  }
}
