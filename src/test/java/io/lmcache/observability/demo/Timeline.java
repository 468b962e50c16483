package io.lmcache.observability.demo;

import io.lmcache.observability.bus.EventBus;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where the replay stands in the trace's time, which only goes forward, and what holds it up: the
 * pace that was asked for, or a bus that has to catch up. Used by the replaying thread alone.
 *
 * <p>With a clock of the trace's, that clock moves along, and never while events of an earlier time
 * are still queued: whoever handles an event finds the clock at its stamp. When it is told to stop
 * it holds up nothing any more.
 */
final class Timeline {

  /** The trace's time 0. */
  static final long START_NANOS =
      TimeUnit.SECONDS.toNanos(Instant.parse("2020-01-01T00:00:00Z").getEpochSecond());

  private static final Duration FLUSH_TIMEOUT = Duration.ofMillis(100);
  private static final long LONGEST_PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long BACK_PRESSURE_PARK_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

  private final EventBus bus;
  private final int halfQueue;
  private final @Nullable Clock clock;
  private final double speed;
  private final BooleanSupplier stopped;
  private final long wallStart = System.nanoTime();
  private long now = START_NANOS;
  private long skippedNanos;

  /**
   * A timeline at the trace's time 0.
   *
   * @param maxQueueSize the bound of the bus
   * @param clock the clock of bus and trackers, if it is the trace's
   * @param speed 0 for as fast as the bus can, else a multiple of the trace's pace
   */
  Timeline(
      EventBus bus,
      int maxQueueSize,
      @Nullable Clock clock,
      double speed,
      BooleanSupplier stopped) {
    this.bus = bus;
    this.halfQueue = maxQueueSize / 2;
    this.clock = clock;
    this.speed = speed;
    this.stopped = stopped;
  }

  /** Nanoseconds since the epoch. */
  long now() {
    return now;
  }

  boolean isStopped() {
    return stopped.getAsBoolean();
  }

  /** Whether stamps are the trace's. */
  boolean setsClock() {
    return clock != null;
  }

  void advanceBy(Duration duration) {
    advanceTo(now + duration.toNanos());
  }

  /** Goes forward to a time, at the pace that was asked for, or stays when that is past. */
  void advanceTo(long epochNanos) {
    if (epochNanos > now) {
      move(epochNanos);
      if (speed > 0) {
        awaitWallClock();
      }
    }
  }

  /** Goes forward to a time at once, whatever the pace, or stays when that is past. */
  void skipTo(long epochNanos) {
    if (epochNanos > now) {
      skippedNanos += epochNanos - now;
      move(epochNanos);
    }
  }

  private void move(long epochNanos) {
    now = epochNanos;
    if (clock != null) {
      while (!isStopped() && !bus.flush(FLUSH_TIMEOUT)) {
        Thread.onSpinWait();
      }
      clock.epochNanos = epochNanos;
    }
  }

  private void awaitWallClock() {
    long due = (long) ((now - START_NANOS - skippedNanos) / speed);
    while (!isStopped()) {
      long left = due - (System.nanoTime() - wallStart);
      if (left <= 0) {
        return;
      }
      LockSupport.parkNanos(Math.min(left, LONGEST_PARK_NANOS));
    }
  }

  /**
   * Comes before every event: waits while the queue is more than half full, unless the pace is the
   * trace's own or slower, which no bus fails to keep up with.
   */
  void beforeEvent() {
    if (speed > 0 && speed <= 1) {
      return;
    }
    while (bus.queueDepth() > halfQueue && !isStopped()) {
      LockSupport.parkNanos(BACK_PRESSURE_PARK_NANOS);
    }
  }

  /** A clock that stands where the replay put it. One thread sets it, any thread reads it. */
  static final class Clock implements InstantSource {

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private volatile long epochNanos = START_NANOS;

    @Override
    public Instant instant() {
      long now = epochNanos;
      return Instant.ofEpochSecond(now / NANOS_PER_SECOND, now % NANOS_PER_SECOND);
    }
  }
}
