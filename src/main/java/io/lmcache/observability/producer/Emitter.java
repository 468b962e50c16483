package io.lmcache.observability.producer;

import io.lmcache.observability.bus.EventSink;
import io.lmcache.observability.event.Event;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The way of every facade to the sink: what cannot be made is counted instead, nothing throws. */
final class Emitter {

  /** For handles that do nothing. */
  static final Emitter OFF = new Emitter(EventSink.noop());

  private final EventSink sink;

  Emitter(EventSink sink) {
    this.sink = sink;
  }

  /** Whether nothing need be done at all. */
  boolean isOff() {
    return !sink.isEnabled();
  }

  void publish(Event event) {
    sink.publish(event);
  }

  /** Publishes now without a stream, else when the stream gets there. */
  void publish(@Nullable Executor stream, Event event) {
    if (stream == null) {
      sink.publish(event);
    } else {
      sink.publishOnStream(stream, event);
    }
  }

  void refused(Class<? extends Event> eventClass, Throwable fault) {
    sink.refused(eventClass, fault);
  }
}
