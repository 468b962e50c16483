package io.lmcache.observability.testing;

import io.lmcache.observability.bus.Subscriber;
import io.lmcache.observability.event.Event;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** Holds up its caller in the first event until it is released; counts all. */
public final class BlockingSubscriber implements Subscriber {

  private final CountDownLatch entered = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private final AtomicLong count = new AtomicLong();

  @Override
  public void onEvent(Event event, long epochNanos) {
    entered.countDown();
    Threads.await(released);
    count.incrementAndGet();
  }

  /** Waits until an event has arrived. */
  public void awaitBlocked() {
    Threads.await(entered);
  }

  /** Lets the held event, and all later ones, pass. */
  public void release() {
    released.countDown();
  }

  /** How many events have passed. */
  public long count() {
    return count.get();
  }
}
