package io.lmcache.observability.internal.metrics.correlation;

import io.lmcache.observability.catalog.L1Metrics;
import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.catalog.Source;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.ObjectKey;
import java.util.Arrays;
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

  /** The start of the life; of an evicted chunk, when the wait for its next write began. */
  private static final int SINCE = HashSlab.FIELDS;

  /** The last access; of an evicted chunk, its eviction. */
  private static final int LAST = HashSlab.FIELDS + 1;

  /** Where an evicted chunk stands in the queue of those; 0 for one that lives. */
  private static final int PLACE = HashSlab.FIELDS + 2;

  private final Fingerprint fingerprint;
  private final LruTable chunks;
  private final EvictedChunks evicted = new EvictedChunks();
  private final Samples lifetime;
  private final Samples idle;
  private final Samples reuse;
  private final Samples evictReuse;
  private final Trackers.Faults faults;

  /** Whether the counters of the same events count a key without a salt as invalid. */
  private final boolean saltIsCounted;

  private final AtomicLong evictions = new AtomicLong();
  private long lastTick;

  L1Lifecycle(
      ObservabilityConfig config, Function<Metric, Samples> histograms, Trackers.Faults faults) {
    this.fingerprint = new Fingerprint(config.sampleRate());
    this.chunks = new LruTable(HashSlab.FIELDS + 3, config.maxTrackedChunks());
    this.lifetime = histograms.apply(L1Metrics.CHUNK_LIFETIME);
    this.idle = histograms.apply(L1Metrics.CHUNK_IDLE_BEFORE_EVICT);
    this.reuse = histograms.apply(L1Metrics.CHUNK_REUSE_GAP);
    this.evictReuse = histograms.apply(L1Metrics.CHUNK_EVICT_REUSE_GAP);
    this.faults = faults;
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
    if (chunk != 0 && chunks.get(chunk, PLACE) == 0) {
      touch(chunk, now);
    }
  }

  private void touch(int chunk, long now) {
    chunks.touch(chunk);
    reuse.recordNanos(now - chunks.get(chunk, LAST));
    chunks.set(chunk, LAST, now);
  }

  private void written(long now) {
    int chunk = find();
    if (chunk == 0) {
      makeRoom();
      chunk = chunks.add(fingerprint.hi(), fingerprint.lo());
    } else if (chunks.get(chunk, PLACE) == 0) {
      touch(chunk, now);
    } else {
      evicted.remove(chunk);
      chunks.touch(chunk);
      evictReuse.recordNanos(Math.min(now - chunks.get(chunk, LAST), REUSE_CAP_NANOS));
    }
    chunks.set(chunk, SINCE, now);
    chunks.set(chunk, LAST, now);
  }

  private void evicted(long now) {
    int chunk = find();
    if (chunk == 0 || chunks.get(chunk, PLACE) != 0) {
      return;
    }
    lifetime.recordNanos(now - chunks.get(chunk, SINCE));
    idle.recordNanos(now - chunks.get(chunk, LAST));
    chunks.touch(chunk);
    chunks.set(chunk, LAST, now);
    chunks.set(chunk, SINCE, Math.max(now, lastTick));
    evicted.add(chunk);
  }

  private void makeRoom() {
    if (chunks.isFull()) {
      evictions.incrementAndGet();
      remove(chunks.oldest());
    }
  }

  private void remove(int chunk) {
    if (chunks.get(chunk, PLACE) != 0) {
      evicted.remove(chunk);
    }
    chunks.remove(chunk);
  }

  @Override
  public void onTick(long epochNanos) {
    lastTick = epochNanos;
    int chunk = evicted.first();
    while (chunk != 0 && epochNanos - chunks.get(chunk, SINCE) >= REUSE_CAP_NANOS) {
      remove(chunk);
      evictReuse.recordNanos(REUSE_CAP_NANOS);
      chunk = evicted.first();
    }
  }

  @Override
  public long evictions() {
    return evictions.get();
  }

  /** The evicted chunks, the one that has waited longest in front: a binary heap. */
  private final class EvictedChunks {

    private int[] heap = new int[16];
    private int size;

    int first() {
      return size == 0 ? 0 : heap[1];
    }

    void add(int chunk) {
      if (size + 1 == heap.length) {
        heap = Arrays.copyOf(heap, heap.length + (heap.length >> 1));
      }
      size++;
      put(size, chunk);
      up(size);
    }

    void remove(int chunk) {
      int place = (int) chunks.get(chunk, PLACE);
      int last = heap[size--];
      chunks.set(chunk, PLACE, 0);
      if (last != chunk) {
        put(place, last);
        up(place);
        down((int) chunks.get(last, PLACE));
      }
    }

    private void put(int place, int chunk) {
      heap[place] = chunk;
      chunks.set(chunk, PLACE, place);
    }

    private boolean isBefore(int place, int other) {
      return chunks.get(heap[place], SINCE) < chunks.get(heap[other], SINCE);
    }

    private void up(int start) {
      for (int place = start; place > 1 && isBefore(place, place / 2); place /= 2) {
        swap(place, place / 2);
      }
    }

    private void down(int start) {
      int place = start;
      while (2 * place <= size) {
        int child = 2 * place;
        if (child < size && isBefore(child + 1, child)) {
          child++;
        }
        if (!isBefore(child, place)) {
          return;
        }
        swap(place, child);
        place = child;
      }
    }

    private void swap(int place, int other) {
      int moved = heap[place];
      put(place, heap[other]);
      put(other, moved);
    }
  }
}
