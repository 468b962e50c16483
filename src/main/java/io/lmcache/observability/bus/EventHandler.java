package io.lmcache.observability.bus;

import io.lmcache.observability.event.Event;

/**
 * What a subscription does with an event. It runs on the drain thread and holds up every other
 * subscriber while it does; what it throws is counted, logged once, and harms nobody else.
 */
@FunctionalInterface
public interface EventHandler<E extends Event> {

  /**
   * Handles one event.
   *
   * @param epochNanos when it was published, or the time that it was published with
   */
  void handle(E event, long epochNanos) throws Exception;
}
