package io.lmcache.observability.internal.support;

import java.time.Duration;
import java.util.Objects;

/** Durations as nanoseconds, without overflow. */
public final class Durations {

  private Durations() {}

  /** The nanoseconds of a duration; what is longer than a long can hold counts as the longest. */
  public static long toNanos(Duration duration) {
    Objects.requireNonNull(duration, "timeout");
    try {
      return Math.max(0, duration.toNanos());
    } catch (ArithmeticException tooLong) {
      return duration.isNegative() ? 0 : Long.MAX_VALUE;
    }
  }
}
