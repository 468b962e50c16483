package io.lmcache.observability.usage;

import io.lmcache.observability.internal.support.Await;
import io.lmcache.observability.internal.support.Clock;
import io.lmcache.observability.internal.support.Durations;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The one thread of a telemetry: the report at the start, then a flush each time the interval is
 * over or somebody wakes it, and a last one at the end. What it runs may hang or throw; nobody
 * waits for it but who stops it, for a bounded time. Any thread may call any method.
 */
final class Worker {

  /** What is done again and again. */
  @FunctionalInterface
  interface Flush {

    /**
     * Sends what there is to send.
     *
     * @param due whether the interval is over; else somebody has asked
     */
    void run(boolean due);
  }

  /** Instead of an interval: flush when woken, only. */
  static final long NEVER = Long.MAX_VALUE;

  private static final long LONGEST_PARK_NANOS = TimeUnit.HOURS.toNanos(1);
  private static final long LAST_SENDS_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** How long the end of a bus waits for the last flush. */
  private static final long BUS_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Outbox outbox;
  private final Clock clock;
  private final long intervalNanos;
  private final Thread thread;
  private volatile boolean wanted;
  private volatile boolean stopping;
  private long stoppedAt;

  /** Not started yet. */
  Worker(Outbox outbox, Runnable first, Flush flush, long intervalNanos, Clock clock) {
    this.outbox = outbox;
    this.clock = clock;
    this.intervalNanos = intervalNanos;
    this.thread = thread("lmcache-usage", () -> run(first, flush));
  }

  /** A daemon, not started yet. */
  static Thread thread(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  void start() {
    thread.start();
  }

  private void run(Runnable first, Flush flush) {
    long last = clock.epochNanos();
    outbox.guarded("the report at start", first::run);
    while (!stopping) {
      long now = clock.epochNanos();
      last = Math.min(last, now); // the clock may be put back
      long left = intervalNanos - (now - last);
      if (left <= 0) {
        last = now;
        wanted = false; // this flush takes all
        outbox.guarded("a flush", () -> flush.run(true));
      } else if (wanted) {
        wanted = false;
        outbox.guarded("an early flush", () -> flush.run(false));
      } else {
        Thread.interrupted();
        LockSupport.parkNanos(this, Math.min(left, LONGEST_PARK_NANOS));
      }
    }
    outbox.guarded("the last flush", () -> flush.run(true));
  }

  /** Has it flush now; returns at once. */
  void wake() {
    wanted = true;
    LockSupport.unpark(thread);
  }

  /** Has it flush once more and end; returns at once. */
  synchronized void stop() {
    if (!stopping) {
      stoppedAt = System.nanoTime();
      outbox.expire(LAST_SENDS_NANOS);
      stopping = true;
      LockSupport.unpark(thread);
    }
  }

  /** Stops it and waits a moment, the same one for all subscribers of a bus. */
  void stopWithBus() {
    stop();
    await(BUS_WAIT_NANOS - (System.nanoTime() - stoppedAt));
  }

  /** Stops it; what has not ended in time is abandoned. Whether it has ended. */
  boolean stop(Duration timeout) {
    stop();
    if (await(Durations.toNanos(timeout))) {
      return true;
    }
    outbox.expire(0);
    thread.interrupt();
    return false;
  }

  private boolean await(long nanos) {
    return Thread.currentThread() != thread && Await.until(() -> !thread.isAlive(), nanos);
  }
}
