package io.lmcache.observability.bus;

import io.lmcache.observability.event.Event;
import java.util.concurrent.Executor;

/**
 * The publishing side of a bus; all that a producer needs to know of it.
 *
 * <p>Any thread may call any method. None blocks, throws, takes a lock or makes a system call (but
 * one wake-up per fill of the queue). A sink that is off returns false and counts nothing.
 */
public interface EventSink {

  /** Whether publishing does anything; false for good on a sink that is off. */
  boolean isEnabled();

  /**
   * Publishes an event stamped with the time now.
   *
   * @return true when it was accepted; false when it was dropped and counted, because the queue is
   *     full, the bus has stopped, or the event is null
   */
  boolean publish(Event event);

  /**
   * Publishes an event that happened at a time of its own.
   *
   * @param epochNanos nanoseconds since the epoch; 0 or less is refused and counted as a recording
   *     error ({@code invalid_field})
   * @return as {@link #publish(Event)}
   */
  boolean publish(Event event, long epochNanos);

  /**
   * Publishes an event when an asynchronous stream, such as a GPU stream, reaches it; it is stamped
   * then. Schedules nothing when the sink is off.
   *
   * @param stream appends what it is given to the stream as a host callback; one that throws costs
   *     the event, counted as a recording error ({@code stream_failed})
   * @return true when the event was handed to the stream
   */
  boolean publishOnStream(Executor stream, Event event);

  /**
   * Takes note of an event that could not even be made because a field was invalid: counted as a
   * recording error ({@code invalid_field}), warned about once for each kind of event.
   */
  void refused(Class<? extends Event> eventClass, Throwable fault);

  /** The sink that is off. */
  static EventSink noop() {
    return EventBus.disabled();
  }
}
