package io.lmcache.observability.internal.metrics.correlation;

import io.lmcache.observability.catalog.L1Metrics;
import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.catalog.Source;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.ObjectKey;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongConsumer;

/**
 * The lives of sampled chunks in L1: from a finished write to the eviction, with the touches in
 * between, and on to the next write or the end of the wait for one.
 */
final class L1Lifecycle implements Trackers.Tracker {

  /** How long an evicted chunk is waited for. */
  static final long REUSE_CAP_NANOS = TimeUnit.SECONDS.toNanos(300);

  /** The start of the life; of an evicted chunk, when it was, a time of {@link Trackers.Ages}. */
  private static final int SINCE = HashSlab.FIELDS;

  /** The last access; of an evicted chunk, its eviction. */
  private static final int LAST = HashSlab.FIELDS + 1;

  /** The neighbours of an evicted chunk in the order of those. */
  private static final int EVICTED = HashSlab.FIELDS + 2;

  private final Fingerprint fingerprint;
  private final LruTable chunks;
  private final HashSlab.Order evicted;
  private final Samples lifetime;
  private final Samples idle;
  private final Samples reuse;
  private final Samples evictReuse;
  private final Trackers.Faults faults;

  /** Whether the counters of the same events count a key without a salt as invalid. */
  private final boolean saltIsCounted;

  private final Trackers.Ages ages;
  private final AtomicLong evictions = new AtomicLong();

  L1Lifecycle(
      ObservabilityConfig config,
      Function<Metric, Samples> histograms,
      Trackers.Faults faults,
      Trackers.Ages ages) {
    this.fingerprint = new Fingerprint(config.sampleRate());
    this.chunks = new LruTable(HashSlab.FIELDS + 3, config.maxTrackedChunks());
    this.evicted = new HashSlab.Order(chunks, EVICTED);
    this.lifetime = histograms.apply(L1Metrics.CHUNK_LIFETIME);
    this.idle = histograms.apply(L1Metrics.CHUNK_IDLE_BEFORE_EVICT);
    this.reuse = histograms.apply(L1Metrics.CHUNK_REUSE_GAP);
    this.evictReuse = histograms.apply(L1Metrics.CHUNK_EVICT_REUSE_GAP);
    this.faults = faults;
    this.ages = ages;
    this.saltIsCounted = !config.dropAttributes().contains(Source.CACHE_SALT);
  }

  @Override
  public String name() {
    return "l1_lifecycle";
  }

  @Override
  public void register(Trackers.Routes routes) {
    routes.on(L1Event.ReadFinished.class, (e, at) -> each(e.keys(), this::read, at));
    routes.on(L1Event.WriteFinished.class, (e, at) -> each(e.keys(), this::written, at));
    routes.on(
        L1Event.WriteFinishedAndReadReserved.class, (e, at) -> each(e.keys(), this::written, at));
    routes.on(L1Event.KeysEvicted.class, (e, at) -> each(e.keys(), this::evicted, at));
  }

  private void each(List<? extends ObjectKey> keys, LongConsumer step, long epochNanos) {
    for (ObjectKey key : keys) {
      if (isSampled(key)) {
        step.accept(epochNanos);
      }
    }
  }

  private boolean isSampled(ObjectKey key) {
    String salt = null;
    try {
      salt = key.cacheSalt();
      fingerprint.of(key.modelName(), salt, key.kvRank(), key.chunkHash());
      return fingerprint.isSampled();
    } catch (Throwable fault) {
      if (salt != null || !saltIsCounted) {
        faults.key(name(), fault);
      }
      return false;
    }
  }

  private int find() {
    return chunks.find(fingerprint.hi(), fingerprint.lo());
  }

  private void read(long now) {
    int chunk = find();
    if (chunk != 0 && !evicted.has(chunk)) {
      reuse.recordNanos(touch(chunk, now));
    }
  }

  /** Makes a time the last one of a chunk, and tells how long it is since that before. */
  private long touch(int chunk, long now) {
    chunks.touch(chunk);
    long last = chunks.get(chunk, LAST);
    long at = Trackers.inOrder(last, now);
    chunks.set(chunk, LAST, at);
    return at - last;
  }

  private void written(long now) {
    int chunk = find();
    if (chunk == 0) {
      makeRoom();
      chunk = chunks.add(fingerprint.hi(), fingerprint.lo());
      chunks.set(chunk, LAST, now);
    } else if (evicted.has(chunk)) {
      evicted.remove(chunk);
      evictReuse.recordNanos(Math.min(touch(chunk, now), REUSE_CAP_NANOS));
    } else {
      reuse.recordNanos(touch(chunk, now));
    }
    chunks.set(chunk, SINCE, chunks.get(chunk, LAST));
  }

  private void evicted(long now) {
    int chunk = find();
    if (chunk == 0 || evicted.has(chunk)) {
      return;
    }
    idle.recordNanos(touch(chunk, now));
    long start = chunks.get(chunk, SINCE);
    lifetime.recordNanos(Trackers.inOrder(start, chunks.get(chunk, LAST)) - start);
    chunks.set(chunk, SINCE, ages.at(now));
    evicted.add(chunk);
  }

  private void makeRoom() {
    if (chunks.isFull()) {
      evictions.incrementAndGet();
      remove(chunks.oldest());
    }
  }

  private void remove(int chunk) {
    if (evicted.has(chunk)) {
      evicted.remove(chunk);
    }
    chunks.remove(chunk);
  }

  @Override
  public void onTick(long age) {
    int chunk = evicted.first();
    while (chunk != 0 && age - chunks.get(chunk, SINCE) >= REUSE_CAP_NANOS) {
      remove(chunk);
      evictReuse.recordNanos(REUSE_CAP_NANOS);
      chunk = evicted.first();
    }
  }

  @Override
  public long evictions() {
    return evictions.get();
  }
}
