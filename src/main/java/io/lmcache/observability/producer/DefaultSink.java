package io.lmcache.observability.producer;

import io.lmcache.observability.bus.EventSink;
import java.util.Objects;

/**
 * Where exceptions that are given no sink publish to: the one thing here that a whole process
 * shares. It is off until an embedder sets it.
 *
 * <p>Any thread may call any method. Of several sinks the last one set holds; the sink that was
 * there before does not come back.
 */
public final class DefaultSink {

  private static final EventSink OFF = EventSink.noop();
  private static volatile EventSink current = OFF;

  private DefaultSink() {}

  /** Sets it. */
  public static synchronized void set(EventSink sink) {
    current = Objects.requireNonNull(sink, "sink");
  }

  /** Switches it off if it is the one given, which is then no longer referred to. */
  @SuppressWarnings("ReferenceEquality") // the very sink
  public static synchronized void clear(EventSink sink) {
    if (current == sink) {
      current = OFF;
    }
  }

  static EventSink current() {
    return current;
  }
}
