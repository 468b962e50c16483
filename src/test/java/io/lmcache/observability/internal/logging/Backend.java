package io.lmcache.observability.internal.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.lmcache.observability.bus.Subscriber;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.testing.Logs;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;

/** The subscriber in front of a backend that remembers; events are handed over directly. */
final class Backend implements AutoCloseable {

  /** A time that no event would have by chance. */
  static final long STAMP = 1_700_000_000_123_456_789L;

  private static final List<Subscriber> SUBSCRIBERS = LoggingSubscriber.all();

  final Logs logs = Logs.of("lmcache");

  /** Logs one event; the one line that it made. */
  ILoggingEvent log(Event event) {
    int before = logs.lines().size();
    publish(event, STAMP);
    List<ILoggingEvent> after = logs.lines();
    if (after.size() != before + 1) {
      throw new AssertionError(after.size() - before + " lines for " + event.getClass());
    }
    return after.get(before);
  }

  /** Hands an event to whoever asks for it. */
  static void publish(Event event, long epochNanos) {
    subscriber(event).onEvent(event, epochNanos);
  }

  /** The one subscriber that asks for an event. */
  static LoggingSubscriber subscriber(Event event) {
    List<Subscriber> asking =
        SUBSCRIBERS.stream()
            .filter(one -> one.events().stream().anyMatch(kind -> kind.isInstance(event)))
            .toList();
    if (asking.size() != 1) {
      throw new AssertionError(asking.size() + " subscribers for " + event.getClass());
    }
    return (LoggingSubscriber) asking.get(0);
  }

  /** The message of the line of an event. */
  String text(Event event) {
    return log(event).getFormattedMessage();
  }

  /** The key-value pairs of a line. */
  static Map<String, Object> pairs(ILoggingEvent line) {
    Map<String, Object> pairs = new LinkedHashMap<>();
    for (KeyValuePair pair : line.getKeyValuePairs()) {
      if (pairs.put(pair.key, pair.value) != null) {
        throw new AssertionError("twice " + pair.key);
      }
    }
    return pairs;
  }

  /** The line as a layout of logback would print it. */
  static String print(String pattern, ILoggingEvent line) {
    PatternLayout layout = new PatternLayout();
    layout.setContext((LoggerContext) LoggerFactory.getILoggerFactory());
    layout.setPattern(pattern);
    layout.start();
    return layout.doLayout(line);
  }

  void level(Level level) {
    logs.level(level);
  }

  @Override
  public void close() {
    logs.close();
  }
}
