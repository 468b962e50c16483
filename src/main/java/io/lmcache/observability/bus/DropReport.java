package io.lmcache.observability.bus;

import io.lmcache.observability.internal.support.Warnings;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says on the drain thread, at most once a minute, how many events were dropped. */
final class DropReport implements Runnable {

  private static final Logger LOGGER = LoggerFactory.getLogger(Warnings.LOGGER);
  private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final LongSupplier dropped;
  private final int capacity;
  private long reported;
  private long lastReport = System.nanoTime() - INTERVAL_NANOS;

  DropReport(LongSupplier dropped, int capacity) {
    this.dropped = dropped;
    this.capacity = capacity;
  }

  @Override
  public void run() {
    if (System.nanoTime() - lastReport >= INTERVAL_NANOS) {
      last();
    }
  }

  /** Says what has not been said yet. */
  void last() {
    long now = dropped.getAsLong();
    if (now > reported) {
      lastReport = System.nanoTime();
      warn("the event bus dropped {} events of late, {} in all", now - reported, now);
      reported = now;
    }
  }

  /** Says what a stop that ran out of time leaves behind. */
  void abandoned(long events) {
    warn(
        "the event bus stopped before it was done: {} events of a queue of {} are lost",
        events,
        capacity);
  }

  private static void warn(String message, long first, long second) {
    try {
      LOGGER.warn(message, first, second);
    } catch (Throwable backendFailed) {
      // A logging backend that fails must harm neither the drain thread nor a stop.
    }
  }
}
