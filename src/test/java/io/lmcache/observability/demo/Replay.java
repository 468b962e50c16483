package io.lmcache.observability.demo;

import io.lmcache.observability.demo.TwoTierCache.Outcome;
import io.lmcache.observability.producer.CacheServer;
import io.lmcache.observability.producer.L1Manager;
import io.lmcache.observability.producer.StorageManager;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/**
 * Plays a trace through a cache and reports what happens as a cache server would. Requests come one
 * after the other; each starts when it is due and the one before is over. Used by one thread.
 */
final class Replay {

  static final int CHUNK_TOKENS = TraceGenerator.CHUNK_TOKENS;
  static final long CHUNK_BYTES = 2L << 20;
  static final String MODEL = ChunkKey.MODEL;
  static final String ENGINE = "0";
  static final String DEVICE = "cuda:0";
  static final String L2_NAME = "fs";
  static final int ADAPTER = 0;

  /** How far time goes on after a replay by the trace's time, until all that it began is over. */
  static final Duration AFTER_THE_END = Duration.ofSeconds(301);

  private static final long GPU_COPY_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
  private static final long L2_COPY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** What the reports go to. */
  record Facades(L1Manager l1, StorageManager storage, CacheServer server) {}

  /**
   * What came out of a round.
   *
   * @param l1Chunks what L1 holds at the end; L2 likewise
   */
  record Result(
      int requests,
      long requestedChunks,
      long hitChunks,
      long loadedChunks,
      long evictedChunks,
      int l1Chunks,
      int l2Chunks) {}

  private final L1Manager l1;
  private final StorageManager storage;
  private final CacheServer server;
  private final Timeline timeline;
  private final TierState state;
  private final int l1Capacity;
  private final int tenants;
  private final Map<ChunkKey, ChunkKey> keys = new HashMap<>();
  private long nextRequestId;
  private long nextTaskId;

  Replay(Facades facades, Timeline timeline, TierState state, int l1Chunks, int tenants) {
    this.l1 = facades.l1();
    this.storage = facades.storage();
    this.server = facades.server();
    this.timeline = timeline;
    this.state = state;
    this.l1Capacity = l1Chunks;
    this.tenants = tenants;
  }

  /**
   * Plays all requests through an empty cache, from where the timeline stands.
   *
   * @param round counted from 1
   * @param progress told the number of requests that are done, after each
   */
  Result play(int round, List<TraceRequest> requests, IntConsumer progress) {
    TwoTierCache<ChunkKey> cache = new TwoTierCache<>(l1Capacity);
    String session = round == 1 ? "req-" : "req-" + round + "-";
    long start = timeline.now();
    state.idle();
    long requested = 0;
    long hit = 0;
    long loaded = 0;
    long evicted = 0;
    int line = 0;
    for (; line < requests.size() && !timeline.isStopped(); line++) {
      TraceRequest request = requests.get(line);
      String salt = "tenant-" + line % tenants;
      List<ChunkKey> chunks = request.hashIds().stream().map(id -> key(salt, id)).toList();
      timeline.advanceTo(start + TimeUnit.MILLISECONDS.toNanos(request.timestampMillis()));
      Outcome<ChunkKey> outcome = cache.serve(chunks);
      report(session + line, salt, chunks.size(), outcome);
      state.held(cache.l1Count(), cache.l2Count());
      requested += chunks.size();
      hit += outcome.hit().size();
      loaded += outcome.loaded().size();
      evicted += outcome.evictedByLoad().size() + outcome.evictedByPut().size();
      progress.accept(line + 1);
    }
    return new Result(line, requested, hit, loaded, evicted, cache.l1Count(), cache.l2Count());
  }

  private ChunkKey key(String salt, long hashId) {
    return keys.computeIfAbsent(new ChunkKey(salt, hashId), key -> key);
  }

  private void report(String session, String salt, int chunkCount, Outcome<ChunkKey> outcome) {
    timeline.beforeEvent();
    CacheServer.Request request = server.requestStarted(session);
    timeline.beforeEvent();
    CacheServer.LookupPrefetch lookup = server.lookupPrefetchStarted(session, MODEL, salt);
    if (outcome.l1PrefixCount() < chunkCount) {
      askL2(salt, chunkCount - outcome.l1PrefixCount(), outcome);
    }
    int hit = outcome.hit().size();
    timeline.beforeEvent();
    lookup.ended(hit, tokens(chunkCount), tokens(hit));
    if (hit > 0) {
      retrieve(session, salt, outcome);
    }
    if (!outcome.put().isEmpty()) {
      store(session, outcome);
      if (!outcome.stored().isEmpty()) {
        storeInL2(salt, outcome.stored().size());
      }
    }
    timeline.beforeEvent();
    request.ended();
  }

  private void askL2(String salt, int missing, Outcome<ChunkKey> outcome) {
    long requestId = nextRequestId++;
    timeline.beforeEvent();
    StorageManager.Lookup lookup =
        storage.l2LookupSubmitted(requestId, 1, Map.of(salt, (long) missing));
    timeline.beforeEvent();
    lookup.completed(outcome.walkedCount());
    if (!outcome.loaded().isEmpty()) {
      load(requestId, salt, outcome);
    }
  }

  private void load(long requestId, String salt, Outcome<ChunkKey> outcome) {
    int count = outcome.loaded().size();
    Map<String, Long> perSalt = Map.of(salt, (long) count);
    timeline.beforeEvent();
    StorageManager.Load load = storage.l2LoadSubmitted(requestId, 1, perSalt);
    timeline.beforeEvent();
    StorageManager.LoadTask task =
        storage.l2LoadTaskSubmitted(
            requestId, ADAPTER, nextTaskId++, L2_NAME, count, count * CHUNK_BYTES);
    state.loading(count);
    copied(count, L2_COPY_NANOS);
    timeline.beforeEvent();
    task.completed();
    timeline.beforeEvent();
    load.completed(0, perSalt);
    state.idle();
    timeline.beforeEvent();
    l1.writeFinishedAndReadReserved(outcome.loaded());
    evict(outcome.evictedByLoad());
  }

  private void retrieve(String session, String salt, Outcome<ChunkKey> outcome) {
    int count = outcome.hit().size();
    timeline.beforeEvent();
    server.retrieveSubmitted(session, DEVICE);
    timeline.beforeEvent();
    CacheServer.Retrieve retrieve = server.retrieveStarted(session, DEVICE, ENGINE, MODEL, salt);
    timeline.beforeEvent();
    l1.readFinished(outcome.hit());
    timeline.beforeEvent();
    storage.readPrefetchedFinished(outcome.hit(), List.of());
    copied(count, GPU_COPY_NANOS);
    timeline.beforeEvent();
    retrieve.ended(count, count * CHUNK_BYTES);
  }

  private void store(String session, Outcome<ChunkKey> outcome) {
    int count = outcome.put().size();
    timeline.beforeEvent();
    server.storeSubmitted(session, DEVICE);
    timeline.beforeEvent();
    CacheServer.Store store = server.storeStarted(session, DEVICE, ENGINE, MODEL);
    timeline.beforeEvent();
    l1.writeFinished(outcome.put());
    timeline.beforeEvent();
    storage.writeFinished(outcome.put(), List.of());
    evict(outcome.evictedByPut());
    copied(count, GPU_COPY_NANOS);
    timeline.beforeEvent();
    store.ended(count, count * CHUNK_BYTES);
  }

  private void storeInL2(String salt, int count) {
    Map<String, Long> perSalt = Map.of(salt, (long) count);
    timeline.beforeEvent();
    StorageManager.Store store =
        storage.l2StoreSubmitted(ADAPTER, nextTaskId++, L2_NAME, perSalt, count * CHUNK_BYTES);
    state.storing();
    copied(count, L2_COPY_NANOS);
    timeline.beforeEvent();
    store.completed(count, 0, perSalt, count * CHUNK_BYTES);
    state.idle();
  }

  private void evict(List<ChunkKey> evicted) {
    if (!evicted.isEmpty()) {
      timeline.beforeEvent();
      l1.keysEvicted(evicted);
    }
  }

  private void copied(int chunks, long nanosPerChunk) {
    timeline.advanceTo(timeline.now() + chunks * nanosPerChunk);
  }

  private static long tokens(int chunks) {
    return (long) chunks * CHUNK_TOKENS;
  }
}
