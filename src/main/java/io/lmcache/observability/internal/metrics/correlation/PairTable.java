package io.lmcache.observability.internal.metrics.correlation;

import io.lmcache.observability.config.ObservabilityConfig;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
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
   * @param since from when on its end is waited for, a time of {@link Trackers.Ages}
   * @param number tells it from others like it
   */
  record Open<K>(K key, long start, long since, long bytes, long number) {}

  private final String tracker;
  private final int max;
  private final long timeoutNanos;
  private final Trackers.Faults faults;
  private final Map<K, ArrayDeque<Open<K>>> byKey = new HashMap<>();

  /** All that is open in the order in which it began, which is that of {@code since}. */
  private final LinkedHashSet<Open<K>> open = new LinkedHashSet<>();

  private final Trackers.Ages ages;
  private final AtomicLong evictions = new AtomicLong();
  private long number;

  PairTable(
      String tracker, ObservabilityConfig config, Trackers.Faults faults, Trackers.Ages ages) {
    this.tracker = tracker;
    this.max = config.maxOpenPairs();
    this.timeoutNanos = config.pairTimeout().toNanos();
    this.faults = faults;
    this.ages = ages;
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
    if (open.size() >= max) {
      evict(first());
    }
    Open<K> begun = new Open<>(key, start, ages.at(start), bytes, number++);
    byKey.computeIfAbsent(key, unused -> new ArrayDeque<>(2)).add(begun);
    open.add(begun);
  }

  /** Adds a beginning in the place of one of its key, whose end could not be told from its own. */
  final void beginAlone(K key, long start, long bytes) {
    ArrayDeque<Open<K>> before = byKey.get(key);
    if (before != null) {
      evict(before.getFirst());
    }
    begin(key, start, bytes);
  }

  /** Takes out the first beginning of a key. */
  final @Nullable Open<K> end(K key) {
    ArrayDeque<Open<K>> queue = byKey.get(key);
    if (queue == null) {
      return null;
    }
    Open<K> first = queue.getFirst();
    remove(first);
    return first;
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
    while (!open.isEmpty() && now - first().since > timeoutNanos) {
      evict(first());
    }
  }

  private Open<K> first() {
    return open.iterator().next();
  }

  private void evict(Open<K> first) {
    remove(first);
    evictions.incrementAndGet();
  }

  private void remove(Open<K> first) {
    open.remove(first);
    ArrayDeque<Open<K>> queue = byKey.get(first.key);
    if (queue != null) {
      queue.removeFirst();
      if (queue.isEmpty()) {
        byKey.remove(first.key);
      }
    }
  }
}
