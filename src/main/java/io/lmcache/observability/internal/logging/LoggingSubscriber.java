package io.lmcache.observability.internal.logging;

import io.lmcache.observability.bus.Subscriber;
import io.lmcache.observability.event.BlendEvent;
import io.lmcache.observability.event.CustomEvent;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.EventType;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.L2Event;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.event.StorageEvent;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Logs each event as one DEBUG line with the contract's fields, under the logger of its producer:
 * one subscription for each logger, so that the bus's routes find it.
 *
 * <p>Works on the drain thread, which a slow backend holds up: then events are dropped and counted.
 * The level is asked for at each event; where DEBUG is off that is all that happens, and nothing is
 * allocated. What the backend throws is counted by the bus. {@link SafeText} says how text from
 * outside is written and cut, {@link Digest} how lists are, {@link LogLine} what a layout gets.
 */
public final class LoggingSubscriber implements Subscriber {

  /** The logger of each kind of event. */
  static final Map<Class<? extends Event>, String> LOGGERS =
      Map.of(
          L1Event.class, "lmcache.l1",
          StorageEvent.class, "lmcache.storage",
          L2Event.class, "lmcache.l2",
          ServerEvent.class, "lmcache.server",
          BlendEvent.class, "lmcache.blend",
          CustomEvent.class, "lmcache.custom");

  private static final String UNKNOWN = "?";

  private final Class<? extends Event> events;
  private final Logger logger;

  private LoggingSubscriber(Class<? extends Event> events, String logger) {
    this.events = events;
    this.logger = LoggerFactory.getLogger(logger);
  }

  /** One for each logger. */
  public static List<Subscriber> all() {
    return LOGGERS.entrySet().stream()
        .<Subscriber>map(producer -> new LoggingSubscriber(producer.getKey(), producer.getValue()))
        .toList();
  }

  @Override
  public List<Class<? extends Event>> events() {
    return List.of(events);
  }

  @Override
  public void onEvent(Event event, long epochNanos) {
    if (logger.isDebugEnabled()) {
      EventType type = EventType.of(event.getClass());
      LogLine line = new LogLine(logger, Level.DEBUG, type.wireName());
      if (event instanceof CustomEvent custom) {
        add(line, custom);
      } else {
        for (EventType.Field field : type.fields()) {
          line.add(field.name(), field.of(event));
        }
      }
      line.add("time_unix_nano", epochNanos).log();
    }
  }

  /** All that is known of a foreign event: its class, its session, and what it says of itself. */
  private static void add(LogLine line, CustomEvent event) {
    line.add("class", event.getClass().getName());
    String session = guarded(event::sessionId);
    if (!session.isEmpty()) {
      line.add("session_id", session);
    }
    line.add("text", guarded(event::toString));
  }

  private static String guarded(Supplier<String> foreign) {
    try {
      String told = foreign.get();
      return told == null ? UNKNOWN : told;
    } catch (Throwable refused) {
      return UNKNOWN;
    }
  }
}
