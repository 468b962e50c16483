package io.lmcache.observability.internal.metrics.correlation;

import io.lmcache.observability.config.ObservabilityConfig;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What has begun and not ended, bounded in number and in age. For one thread, but any may ask for
 * the evictions. A full table lets go of what began first. Those that extend it say what begins and
 * ends.
 *
 * @param <K> what a beginning and its end have in common
 */
abstract class PairTable<K> implements Trackers.Tracker {

  /**
   * Something that has begun.
   *
   * @param start when, by its event
   * @param since from when on its end is waited for, by the clock of the bus
   */
  record Open<K>(K key, long start, long since, long bytes, long number) {}

  private final String tracker;
  private final int max;
  private final long timeoutNanos;
  private final Trackers.Faults faults;
  private final Map<K, ArrayDeque<Open<K>>> byKey = new HashMap<>();
  private final TreeSet<Open<K>> bySince =
      new TreeSet<>(Comparator.<Open<K>>comparingLong(Open::since).thenComparingLong(Open::number));
  private final AtomicLong evictions = new AtomicLong();
  private long number;
  private long lastTick;

  PairTable(String tracker, ObservabilityConfig config, Trackers.Faults faults) {
    this.tracker = tracker;
    this.max = config.maxOpenPairs();
    this.timeoutNanos = config.pairTimeout().toNanos();
    this.faults = faults;
  }

  @Override
  public final String name() {
    return tracker;
  }

  @Override
  public final long evictions() {
    return evictions.get();
  }

  /** Adds a beginning behind those of its key. */
  final void begin(K key, long start, long bytes) {
    if (bySince.size() >= max) {
      evict(bySince.first());
    }
    Open<K> open = new Open<>(key, start, since(start), bytes, number++);
    byKey.computeIfAbsent(key, unused -> new ArrayDeque<>(2)).add(open);
    bySince.add(open);
  }

  /** Adds a beginning in the place of one of its key, whose end could not be told from its own. */
  final void beginAlone(K key, long start, long bytes) {
    ArrayDeque<Open<K>> before = byKey.get(key);
    if (before != null) {
      evict(before.getFirst());
    }
    begin(key, start, bytes);
  }

  /** Takes out the first beginning of a key that an end at this time can belong to. */
  final @Nullable Open<K> end(K key, long end) {
    ArrayDeque<Open<K>> queue = byKey.get(key);
    while (queue != null && !queue.isEmpty()) {
      Open<K> open = queue.getFirst();
      if (since(end) - open.since <= timeoutNanos) {
        remove(open);
        return open;
      }
      evict(open);
    }
    return null;
  }

  /** Records bytes over time in GB/s, which is bytes over nanoseconds; nothing for no bytes. */
  final void record(
      Samples samples, @Nullable Open<K> start, long bytes, long end, String... labels) {
    if (start == null || bytes <= 0) {
      return;
    }
    long nanos = end - start.start;
    if (nanos > 0) {
      samples.record((double) bytes / nanos, labels);
    } else {
      faults.duration(tracker, nanos);
    }
  }

  /** Lets go of what would have had to end before a time. */
  @Override
  public final void onTick(long now) {
    lastTick = now;
    while (!bySince.isEmpty() && now - bySince.first().since > timeoutNanos) {
      evict(bySince.first());
    }
  }

  /** When an event of a time of its own came, by the clock of the bus. */
  private long since(long epochNanos) {
    return Math.max(epochNanos, lastTick);
  }

  private void evict(Open<K> open) {
    remove(open);
    evictions.incrementAndGet();
  }

  private void remove(Open<K> open) {
    bySince.remove(open);
    ArrayDeque<Open<K>> queue = byKey.get(open.key);
    if (queue != null) {
      queue.remove(open);
      if (queue.isEmpty()) {
        byKey.remove(open.key);
      }
    }
  }
}
