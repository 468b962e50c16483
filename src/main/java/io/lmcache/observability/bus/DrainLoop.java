package io.lmcache.observability.bus;

import io.lmcache.observability.event.Event;
import io.lmcache.observability.internal.support.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The life of the drain thread: empty the ring, then sleep a little.
 *
 * <p>It polls, so that a publish need not wake it; the sleep is short while events come and longer
 * after a silence. It takes all that is there in one go, because a consumer that chases its
 * producers slot by slot slows them down.
 */
final class DrainLoop implements Runnable {

  /** The envelope of an event that was published with a time of its own. */
  record Timed(Event event, long epochNanos) {}

  private static final long ACTIVE_PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(4);
  private static final long IDLE_PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(40);
  private static final long ACTIVE_WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long RENEWAL_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int TURN_EVENTS = 65_536;

  private final StampedRing ring;
  private final Dispatcher dispatcher;
  private final Clock clock;
  private final Runnable everyTurn;
  private volatile boolean stopping;
  private volatile boolean abandoning;
  private long lastRenewal = System.nanoTime();

  DrainLoop(StampedRing ring, Dispatcher dispatcher, Clock clock, Runnable everyTurn) {
    this.ring = ring;
    this.dispatcher = dispatcher;
    this.clock = clock;
    this.everyTurn = everyTurn;
  }

  /** Ends the loop once the closed ring is empty. */
  void stop() {
    stopping = true;
  }

  /** Ends the loop after the event that is in dispatch. */
  void abandon() {
    abandoning = true;
  }

  boolean isAbandoning() {
    return abandoning;
  }

  @Override
  public void run() {
    long lastEvent = System.nanoTime();
    while (!abandoning) {
      boolean lastTurn = stopping;
      boolean worked = turn();
      long now = System.nanoTime();
      if (worked) {
        lastEvent = now;
      } else if (lastTurn && ring.head() == ring.tail()) {
        break;
      } else {
        park(now - lastEvent < ACTIVE_WINDOW_NANOS ? ACTIVE_PARK_NANOS : IDLE_PARK_NANOS);
      }
      if (now - lastRenewal >= RENEWAL_NANOS) {
        lastRenewal = now;
        clock.renew();
      }
    }
    if (!abandoning) {
      everyTurn.run();
    }
    dispatcher.stop();
  }

  /** Dispatches what is queued, up to a bound; whether there was anything. */
  boolean turn() {
    int done = 0;
    for (; done < TURN_EVENTS && !abandoning; done++) {
      Object next = ring.take();
      if (next == null) {
        break;
      }
      dispatch(next);
      ring.complete();
    }
    everyTurn.run();
    return done > 0;
  }

  private void dispatch(Object next) {
    if (next instanceof Timed timed) {
      dispatcher.dispatch(timed.event(), timed.epochNanos());
    } else {
      dispatcher.dispatch((Event) next, ring.dispatchStamp);
    }
  }

  /** Sleeps for at most the given time; a stray interrupt is forgotten. */
  private void park(long nanos) {
    Thread.interrupted();
    if (ring.armWake() && !stopping) {
      LockSupport.parkNanos(this, nanos);
    }
    ring.disarmWake();
  }
}
