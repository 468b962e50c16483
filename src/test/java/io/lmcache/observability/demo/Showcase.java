package io.lmcache.observability.demo;

import io.lmcache.observability.event.L1Event.AllocationPurpose;
import io.lmcache.observability.event.L1Event.ReadFailure;
import io.lmcache.observability.event.L1Event.ReadPurpose;
import io.lmcache.observability.event.ServerEvent.AllocationRecord;
import io.lmcache.observability.producer.CacheBlend;
import io.lmcache.observability.producer.CacheServer;
import io.lmcache.observability.producer.L1Manager;
import io.lmcache.observability.producer.StorageManager;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

/**
 * Reports what a replay has no occasion for: blending, GPU blocks, failures, timeouts, ticks of the
 * eviction loop. Nothing of it counts in a metric that the replay moves. Takes a few seconds of the
 * timeline.
 */
final class Showcase {

  private static final String INSTANCE = "vllm-0";
  private static final String SALT = "tenant-0";
  private static final int BLOCKS = 2048;
  private static final int BLOCK_TOKENS = 16;
  private static final Duration MOMENT = Duration.ofMillis(5);
  private static final Duration WHILE = Duration.ofMillis(800);
  private static final List<ChunkKey> KEYS =
      IntStream.range(0, 4).mapToObj(i -> new ChunkKey(SALT, -1 - i)).toList();

  private final L1Manager l1;
  private final StorageManager storage;
  private final CacheServer server;
  private final CacheBlend blend;
  private final Timeline timeline;

  Showcase(Replay.Facades facades, Timeline timeline) {
    this.l1 = facades.l1();
    this.storage = facades.storage();
    this.server = facades.server();
    this.blend = server.blend();
    this.timeline = timeline;
  }

  /** Plays it once, under a session of its own. */
  void play(int round) {
    String session = "showcase-" + round;
    next();
    CacheServer.Request request = server.requestStarted(session);
    lookUp(session);
    reserve();
    loadNothing(round);
    fail(session);
    tick();
    blendChunks(session);
    next();
    request.ended();
    allocateBlocks(session);
  }

  private void next() {
    timeline.beforeEvent();
  }

  private void nextMoment() {
    timeline.advanceBy(MOMENT);
    timeline.beforeEvent();
  }

  private void lookUp(String session) {
    next();
    server.lookupReceived(
        session,
        session,
        KEYS.stream().map(ChunkKey::chunkHash).toList(),
        Replay.MODEL,
        Replay.CHUNK_TOKENS,
        (long) KEYS.size() * Replay.CHUNK_TOKENS,
        List.of("bfloat16"),
        List.of(List.of(2, 32, Replay.CHUNK_TOKENS, 1024)));
  }

  private void reserve() {
    next();
    l1.readReserved(KEYS);
    next();
    l1.writeReserved(KEYS);
    next();
    storage.readPrefetched(KEYS.subList(0, 3), KEYS.subList(3, 4));
    next();
    storage.writeReserved(KEYS.subList(0, 2), KEYS.subList(2, 4));
  }

  /** A load that finds nothing left to load: zeros, for a replay that never loads. */
  private void loadNothing(int round) {
    next();
    StorageManager.Load load = storage.l2LoadSubmitted(-round, 0, Map.of(SALT, 0L));
    next();
    load.completed(0, Map.of(SALT, 0L));
  }

  private void fail(String session) {
    for (AllocationPurpose during : AllocationPurpose.values()) {
      next();
      l1.allocationFailed(during, KEYS.subList(0, 1));
    }
    for (ReadPurpose during : ReadPurpose.values()) {
      for (ReadFailure reason : ReadFailure.values()) {
        next();
        l1.readFailed(during, reason, KEYS.subList(0, 1));
      }
    }
    for (String reason : List.of("l1_oom", "not_found")) {
      next();
      storage.l2PrefetchFailed(reason, KEYS.subList(0, 2));
    }
    next();
    storage.l2KeysEvicted(Replay.L2_NAME, Replay.ADAPTER, Map.of(SALT, 3L));
    next();
    server.timeoutRaised(session, new TimeoutException("no answer from the adapter within 5 s"));
  }

  private void tick() {
    nextMoment();
    l1.evictionLoopTicked(false, 0.62, 0.8);
    timeline.advanceBy(WHILE);
    next();
    l1.evictionLoopTicked(true, 0.84, 0.8);
  }

  private void blendChunks(String session) {
    next();
    CacheBlend.Request request = blend.requestStarted(session);
    lookUpBlended(session);
    retrieveBlended(session, true);
    retrieveBlended(session, false);
    storeBlended(session, true);
    storeBlended(session, false);
    next();
    blend.fingerprintsRegistered(session, 8, 8L * Replay.CHUNK_TOKENS);
    next();
    blend.chunksEvicted(session, 2);
    next();
    request.ended();
  }

  private void lookUpBlended(String session) {
    long tokens = 8L * Replay.CHUNK_TOKENS;
    next();
    CacheBlend.Lookup lookup = blend.lookupStarted(session, tokens);
    nextMoment();
    lookup.ended(tokens, 4L * Replay.CHUNK_TOKENS, 6, 4, 2, false);
    next();
    CacheBlend.Lookup withoutGpu = blend.lookupStarted(session, tokens);
    nextMoment();
    withoutGpu.ended(0, 0, 0, 0, 0, true);
  }

  private void retrieveBlended(String session, boolean success) {
    next();
    blend.retrieveSubmitted(session, INSTANCE);
    next();
    CacheBlend.Retrieve retrieve = blend.retrieveStarted(session, INSTANCE, 4);
    nextMoment();
    retrieve.ended(success);
  }

  private void storeBlended(String session, boolean success) {
    long tokens = 4L * Replay.CHUNK_TOKENS;
    long stored = success ? 4 : 0;
    next();
    blend.storePreComputedSubmitted(session, INSTANCE);
    next();
    CacheBlend.Store preComputed = blend.storePreComputedStarted(session, INSTANCE, tokens);
    nextMoment();
    preComputed.ended(stored, success);
    next();
    blend.storeFinalSubmitted(session, INSTANCE);
    next();
    CacheBlend.Store last = blend.storeFinalStarted(session, INSTANCE, tokens);
    nextMoment();
    last.ended(stored, success);
  }

  /** Blocks that two requests share, a third one uses again, and a fourth one overwrites. */
  private void allocateBlocks(String session) {
    int prompt = 1;
    allocate(session + "-a", prompt);
    allocate(session + "-b", prompt);
    end(session + "-a");
    end(session + "-b");
    allocate(session + "-c", prompt);
    end(session + "-c");
    allocate(session + "-d", prompt + 1);
    end(session + "-d");
  }

  private void allocate(String request, int prompt) {
    timeline.advanceBy(WHILE);
    next();
    int[] blocks = IntStream.range(0, BLOCKS).toArray();
    int[] tokens = IntStream.range(0, BLOCKS * BLOCK_TOKENS).map(i -> prompt + i % 1000).toArray();
    server.blocksAllocated(
        INSTANCE, Replay.MODEL, List.of(new AllocationRecord(request, blocks, tokens)));
  }

  private void end(String request) {
    nextMoment();
    server.sessionEnded(request);
  }
}
