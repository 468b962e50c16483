package io.lmcache.observability.internal.support;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/** Epoch nanoseconds, readable from any thread without a lock or a system call. */
public abstract class Clock {

  /** The time now, in nanoseconds since the epoch. */
  public abstract long epochNanos();

  /** Brings the clock back to the wall clock; called by one thread, at least once a minute. */
  public void renew() {}

  /** The machine's monotonic clock, plus an offset to the wall clock taken now and on renewal. */
  public static Clock system() {
    return new Offset(System::nanoTime, () -> nanos(Instant.now()));
  }

  /** A monotonic clock and a wall clock of the caller's. */
  static Clock of(LongSupplier monotonicNanos, LongSupplier wallNanos) {
    return new Offset(monotonicNanos, wallNanos);
  }

  /** The embedder's clock; while it throws, the machine's wall clock. */
  public static Clock of(InstantSource source) {
    return new Clock() {
      @Override
      public long epochNanos() {
        try {
          return nanos(source.instant());
        } catch (Throwable foreign) {
          return nanos(Instant.now());
        }
      }
    };
  }

  private static long nanos(Instant instant) {
    return Math.addExact(
        Math.multiplyExact(instant.getEpochSecond(), 1_000_000_000L), instant.getNano());
  }

  private static final class Offset extends Clock {

    private static final int READINGS = 3;

    private final LongSupplier monotonic;
    private final LongSupplier wall;
    private volatile long offset;

    Offset(LongSupplier monotonic, LongSupplier wall) {
      this.monotonic = monotonic;
      this.wall = wall;
      renew();
    }

    @Override
    public long epochNanos() {
      return monotonic.getAsLong() + offset;
    }

    /** Of several readings the one that was disturbed least, that is, took the shortest. */
    @Override
    public void renew() {
      long shortest = Long.MAX_VALUE;
      long best = 0;
      for (int i = 0; i < READINGS; i++) {
        long before = monotonic.getAsLong();
        long now = wall.getAsLong();
        long took = monotonic.getAsLong() - before;
        if (took < shortest) {
          shortest = took;
          best = now - before - took / 2;
        }
      }
      offset = best;
    }
  }
}
