package io.lmcache.observability.bus;

import io.lmcache.observability.event.Event;
import java.util.List;

/**
 * Receives events from a bus.
 *
 * <p>The bus calls {@link #onEvent}, {@link #onTick} and {@link #onStop} on its drain thread only,
 * one at a time, so a subscriber needs no synchronisation of its own. What it throws is counted
 * under its name, logged once with the event's type, and harms no other subscriber.
 */
public interface Subscriber {

  /**
   * The name in logs and in {@code event_bus.subscriber_exceptions}: by default the simple name of
   * the class. An anonymous class or a lambda has none and must give one.
   */
  default String name() {
    Class<?> self = getClass();
    return self.isHidden() || self.isSynthetic() ? "" : self.getSimpleName();
  }

  /** The classes of events to receive, records or the interfaces above them; asked once. */
  default List<Class<? extends Event>> events() {
    return List.of(Event.class);
  }

  /**
   * Handles one event.
   *
   * @param epochNanos when it was published, or the time that it was published with
   */
  void onEvent(Event event, long epochNanos) throws Exception;

  /**
   * Called between events, for what falls due though no event arrives: after each turn of the drain
   * thread, which a silent bus takes every 50 ms, and before each event that brings a time of its
   * own or was published a millisecond or more after the last tick. What had been queued by the
   * given time has been dispatched, but for the event that comes next.
   *
   * @param epochNanos the time by the clock of the bus
   */
  default void onTick(long epochNanos) throws Exception {}

  /** Called once, after the last event; at the registration, by its thread, if that comes later. */
  default void onStop() throws Exception {}
}
