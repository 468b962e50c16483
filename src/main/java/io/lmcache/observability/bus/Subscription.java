package io.lmcache.observability.bus;

/** A standing order for events; closing it, from any thread and more than once, ends it. */
@FunctionalInterface
public interface Subscription extends AutoCloseable {

  /** Ends the subscription; an event that is being dispatched may still arrive. */
  @Override
  void close();
}
