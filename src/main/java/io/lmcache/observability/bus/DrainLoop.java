package io.lmcache.observability.bus;

import io.lmcache.observability.event.Event;
import io.lmcache.observability.internal.support.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
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
  private static final int TURN_EVENTS = 256;

  /** How far an event's stamp may be past the last tick. */
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final StampedRing ring;
  private final Dispatcher dispatcher;
  private final Clock clock;
  private final Runnable everyTurn;
  private volatile boolean stopping;
  private volatile long turnsBegun;
  private volatile long turnsEnded;
  private final AtomicBoolean abandoning = new AtomicBoolean();
  private long lastRenewal = System.nanoTime();
  private long lastEvent = lastRenewal;
  private long lastTick;
  private long lastBegin;
  private volatile boolean ended;

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

  /**
   * Ends the loop after the event that is in dispatch: once one is seen to be, no other is taken.
   *
   * @return whether this is the first call
   */
  boolean abandon() {
    return abandoning.compareAndSet(false, true);
  }

  boolean isAbandoning() {
    return abandoning.get();
  }

  @Override
  public void run() {
    boolean more = true;
    while (more && !abandoning.get()) {
      try {
        more = step();
      } catch (Throwable outOfMemory) {
        // Foreign code is called guarded; what is left is want of memory, and that may pass.
      }
    }
    ended = true;
  }

  /** Whether there will be no more turns. */
  boolean hasEnded() {
    return ended;
  }

  /** A turn and the sleep after it; false once the closed ring is empty. */
  private boolean step() {
    boolean lastTurn = stopping;
    boolean worked = turn();
    long now = System.nanoTime();
    if (now - lastRenewal >= RENEWAL_NANOS) {
      lastRenewal = now;
      clock.renew();
    }
    if (worked) {
      lastEvent = now;
    } else if (lastTurn && ring.head() == ring.tail()) {
      return false;
    } else {
      park(now - lastEvent < ACTIVE_WINDOW_NANOS ? ACTIVE_PARK_NANOS : IDLE_PARK_NANOS);
    }
    return true;
  }

  /** Dispatches what is queued, up to a bound; whether there was anything. */
  boolean turn() {
    turnsBegun = turnsEnded + 1;
    long begin = clock.epochNanos();
    int done = 0;
    for (; done < TURN_EVENTS && !abandoning.get(); done++) {
      Object next = ring.take();
      if (next == null) {
        break;
      }
      try {
        dispatch(next);
      } finally {
        ring.complete();
      }
    }
    if (!abandoning.get()) {
      tick(begin);
      everyTurn.run();
    }
    turnsEnded = turnsBegun;
    return done > 0;
  }

  /** How many turns have begun. */
  long turnsBegun() {
    return turnsBegun;
  }

  /** How many turns have ended. */
  long turnsEnded() {
    return turnsEnded;
  }

  /** Lets time pass, but not beyond an event that still waits. */
  private void tick(long begin) {
    Thread.interrupted();
    if (begin < lastBegin) {
      lastTick = begin; // the clock was put back
    }
    lastBegin = begin;
    boolean waiting = ring.head() != ring.tail();
    long oldest = ring.oldestStamp();
    if (oldest >= 0 || !waiting) {
      tickTo(oldest < 0 ? begin : Math.min(begin, oldest));
    }
  }

  private void tickTo(long epochNanos) {
    lastTick = Math.max(lastTick, epochNanos);
    dispatcher.tick(lastTick);
  }

  /** Dispatches one event; an interrupt that somebody left behind is forgotten. */
  private void dispatch(Object next) {
    Thread.interrupted();
    long stamp = ring.dispatchStamp();
    // An event's own time may be any; whoever waits for something must know the clock's.
    if (next instanceof Timed || stamp - lastTick >= TICK_NANOS) {
      tickTo(stamp);
    }
    if (next instanceof Timed timed) {
      dispatcher.dispatch(timed.event(), timed.epochNanos());
    } else {
      dispatcher.dispatch((Event) next, stamp);
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
