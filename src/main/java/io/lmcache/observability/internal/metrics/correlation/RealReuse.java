package io.lmcache.observability.internal.metrics.correlation;

import io.lmcache.observability.catalog.L1Metrics;
import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.ObjectKey;
import io.lmcache.observability.event.StorageEvent;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How soon the chunks of a salt are read again, in time and in accesses of that salt. The ranks
 * that carry one chunk in one event make one access.
 */
final class RealReuse implements Trackers.Tracker {

  /* Implementation notes: a salt's counter that was dropped starts anew with another number, so
   * that what a chunk remembers of the old one is not taken for a count of the new one. */

  /** The accesses of the salt so far; of a chunk, as they were at its last one. */
  private static final int COUNT = HashSlab.FIELDS;

  /** The number of the salt's counter. */
  private static final int COUNTER = HashSlab.FIELDS + 1;

  /** The last access of a chunk. */
  private static final int LAST = HashSlab.FIELDS + 2;

  private final Fingerprint fingerprint;
  private final Fingerprint saltFingerprint = new Fingerprint(1);
  private final DistinctKeys distinct = new DistinctKeys();
  private final LruTable chunks;
  private final LruTable salts;
  private final Samples gap;
  private final Samples gapObjects;
  private final Trackers.Faults faults;
  private final AtomicLong evictions = new AtomicLong();
  private long counters;
  private @Nullable String salt;
  private int saltSlot;

  RealReuse(
      ObservabilityConfig config, Function<Metric, Samples> histograms, Trackers.Faults faults) {
    this.fingerprint = new Fingerprint(config.sampleRate());
    this.chunks = new LruTable(HashSlab.FIELDS + 3, config.maxReuseChunks());
    this.salts = new LruTable(HashSlab.FIELDS + 2, config.maxReuseSalts());
    this.gap = histograms.apply(L1Metrics.REAL_REUSE_GAP);
    this.gapObjects = histograms.apply(L1Metrics.REAL_REUSE_GAP_OBJECTS);
    this.faults = faults;
  }

  @Override
  public String name() {
    return "real_reuse";
  }

  @Override
  public void register(Trackers.Routes routes) {
    routes.on(
        StorageEvent.ReadPrefetchedFinished.class, (e, at) -> each(e.succeededKeys(), true, at));
    routes.on(StorageEvent.WriteFinished.class, (e, at) -> each(e.succeededKeys(), false, at));
  }

  private void each(List<? extends ObjectKey> keys, boolean isRead, long now) {
    distinct.clear(keys.size());
    salt = null;
    for (ObjectKey key : keys) {
      String keySalt;
      try {
        keySalt = key.cacheSalt();
        fingerprint.of(keySalt, key.chunkHash());
      } catch (Throwable fault) {
        faults.key(name(), fault);
        continue;
      }
      if (distinct.add(fingerprint.hi(), fingerprint.lo())) {
        select(keySalt);
        salts.set(saltSlot, COUNT, salts.get(saltSlot, COUNT) + 1);
        if (fingerprint.isSampled()) {
          access(keySalt, isRead, now);
        }
      }
    }
    salt = null;
  }

  /** Finds or makes the counter of a salt; keys of one salt mostly stand together. */
  @SuppressWarnings("ReferenceEquality") // a shortcut past a comparison of the texts
  private void select(String keySalt) {
    if (salt == keySalt || keySalt.equals(salt)) {
      return;
    }
    salt = keySalt;
    saltFingerprint.of(keySalt);
    saltSlot = salts.find(saltFingerprint.hi(), saltFingerprint.lo());
    if (saltSlot == 0) {
      makeRoom(salts);
      saltSlot = salts.add(saltFingerprint.hi(), saltFingerprint.lo());
      salts.set(saltSlot, COUNTER, ++counters);
    } else {
      salts.touch(saltSlot);
    }
  }

  private void access(String keySalt, boolean isRead, long now) {
    long count = salts.get(saltSlot, COUNT);
    long counter = salts.get(saltSlot, COUNTER);
    long at = now;
    int chunk = chunks.find(fingerprint.hi(), fingerprint.lo());
    if (chunk == 0) {
      makeRoom(chunks);
      chunk = chunks.add(fingerprint.hi(), fingerprint.lo());
    } else {
      chunks.touch(chunk);
      long last = chunks.get(chunk, LAST);
      at = Trackers.inOrder(last, now);
      if (isRead) {
        gap.recordNanos(at - last, keySalt);
        if (chunks.get(chunk, COUNTER) == counter) {
          gapObjects.record((double) (count - chunks.get(chunk, COUNT)), keySalt);
        }
      }
    }
    chunks.set(chunk, LAST, at);
    chunks.set(chunk, COUNT, count);
    chunks.set(chunk, COUNTER, counter);
  }

  private void makeRoom(LruTable table) {
    if (table.isFull()) {
      table.remove(table.oldest());
      evictions.incrementAndGet();
    }
  }

  @Override
  public long evictions() {
    return evictions.get();
  }

  /** The fingerprints that an event has shown so far; cleared in no time. */
  private static final class DistinctKeys {

    private static final int SMALLEST = 1_024;

    /** How many events in a row must need far less before the room is given back. */
    private static final int PATIENCE = 10_000;

    private long[] bits = new long[2 * SMALLEST];
    private int[] rounds = new int[SMALLEST];
    private int round;
    private int smaller;

    /**
     * Forgets everything.
     *
     * @param keys how many will be added at the most
     */
    void clear(int keys) {
      int slots = Integer.highestOneBit(Math.max(keys, SMALLEST / 2) - 1) << 2;
      smaller = slots < rounds.length / 4 ? smaller + 1 : 0;
      round++;
      if (slots > rounds.length || smaller > PATIENCE || round == 0) {
        bits = new long[2 * slots];
        rounds = new int[slots];
        round = 1;
        smaller = 0;
      }
    }

    /** Whether it was not there yet. */
    boolean add(long hi, long lo) {
      int mask = rounds.length - 1;
      int slot = (int) lo & mask;
      while (rounds[slot] == round) {
        if (bits[2 * slot] == hi && bits[2 * slot + 1] == lo) {
          return false;
        }
        slot = (slot + 1) & mask;
      }
      rounds[slot] = round;
      bits[2 * slot] = hi;
      bits[2 * slot + 1] = lo;
      return true;
    }
  }
}
