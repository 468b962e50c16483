package io.lmcache.observability.internal.tracing;

import org.jspecify.annotations.Nullable;

/**
 * What is open or waited for, in the order in which it came. For one thread. Each element links to
 * its neighbours by itself, so that nothing is searched.
 */
final class ByAge<T extends ByAge.Aged<T>> {

  /** An element of one list. */
  static class Aged<T extends Aged<T>> {

    /** Since when it counts as there. */
    long since;

    private @Nullable T older;
    private @Nullable T younger;
  }

  private @Nullable T oldest;
  private @Nullable T youngest;
  private int size;

  int size() {
    return size;
  }

  @Nullable T oldest() {
    return oldest;
  }

  /** The oldest, if it is there for longer than a time. */
  @Nullable T expired(long now, long timeoutNanos) {
    T first = oldest;
    if (first == null) {
      return null;
    }
    Aged<T> aged = first;
    return now - aged.since > timeoutNanos ? first : null;
  }

  void add(T element) {
    Aged<T> added = element;
    Aged<T> last = youngest;
    added.older = youngest;
    if (last == null) {
      oldest = element;
    } else {
      last.younger = element;
    }
    youngest = element;
    size++;
  }

  void remove(T element) {
    Aged<T> removed = element;
    Aged<T> before = removed.older;
    Aged<T> after = removed.younger;
    if (before == null) {
      oldest = removed.younger;
    } else {
      before.younger = removed.younger;
    }
    if (after == null) {
      youngest = removed.older;
    } else {
      after.older = removed.older;
    }
    removed.older = null;
    removed.younger = null;
    size--;
  }
}
