package io.lmcache.observability.producer;

import io.lmcache.observability.bus.EventSink;
import io.lmcache.observability.event.ServerEvent;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A timeout that is counted: constructing it publishes one {@code TIMEOUT_RAISED}, to the sink that
 * it is given, else to the {@link DefaultSink}.
 *
 * <p>Any thread may construct it. That never blocks and throws nothing, whatever the sink does, and
 * costs one check while the sink is off. Subclasses are reported by their own names. The message is
 * the one given here: a subclass's {@code getMessage} and {@code toString} are not asked, since its
 * fields are not set yet. An event that cannot be made is counted in {@code recording_errors}.
 */
@SuppressWarnings("this-escape") // what escapes goes to the sink, as facts and not as the object
public class LMCacheTimeoutException extends TimeoutException {

  private static final long serialVersionUID = 1L;

  private final String sessionId;
  private final AtomicBoolean published = new AtomicBoolean();

  /** A timeout that belongs to no session. */
  public LMCacheTimeoutException(@Nullable String message) {
    this(DefaultSink.current(), message, "");
  }

  /** A timeout of a session. */
  public LMCacheTimeoutException(@Nullable String message, String sessionId) {
    this(DefaultSink.current(), message, sessionId);
  }

  /** A timeout of a session, empty if it has none, and what led to it. */
  public LMCacheTimeoutException(
      @Nullable String message, String sessionId, @Nullable Throwable cause) {
    this(DefaultSink.current(), message, sessionId, cause);
  }

  /** A timeout of a session, empty if it has none, that is published to a sink of the caller's. */
  public LMCacheTimeoutException(EventSink sink, @Nullable String message, String sessionId) {
    super(message);
    this.sessionId = sessionId == null ? "" : sessionId;
    publish(sink, message, null);
  }

  /** The same, with what led to it. */
  public LMCacheTimeoutException(
      EventSink sink, @Nullable String message, String sessionId, @Nullable Throwable cause) {
    super(message);
    this.sessionId = sessionId == null ? "" : sessionId;
    try {
      initCause(cause);
    } catch (Throwable overridden) {
      // A subclass that refuses its cause goes without.
    }
    publish(sink, message, cause);
  }

  /** The session that it belongs to; empty if there is none. */
  public String sessionId() {
    return sessionId;
  }

  /** Whether its event may be published now: one exception is one event. */
  final boolean claim() {
    return published.compareAndSet(false, true);
  }

  private void publish(EventSink sink, @Nullable String message, @Nullable Throwable cause) {
    try {
      if (sink != null && sink.isEnabled()) {
        send(sink, message == null ? "" : message, cause);
      }
    } catch (Throwable sinkFailed) {
      // The caller is told of its timeout and of nothing else.
    }
  }

  private void send(EventSink sink, String message, @Nullable Throwable cause) {
    try {
      sink.publish(
          ServerEvent.TimeoutRaised.of(sessionId, getClass(), message, trace(message, cause)));
      claim();
    } catch (Throwable fault) {
      sink.refused(ServerEvent.TimeoutRaised.class, fault);
    }
  }

  /** As {@code printStackTrace} would have it, without asking the object, which is not complete. */
  private String trace(String message, @Nullable Throwable cause) {
    StringBuilder trace = new StringBuilder(getClass().getName());
    if (!message.isEmpty()) {
      trace.append(": ").append(message);
    }
    for (StackTraceElement frame : getStackTrace()) {
      trace.append("\n\tat ").append(frame);
    }
    if (cause != null) {
      trace.append("\nCaused by: ").append(trace(cause));
    }
    return trace.toString();
  }

  private static String trace(Throwable cause) {
    try {
      StringWriter trace = new StringWriter();
      cause.printStackTrace(new PrintWriter(trace));
      return trace.toString().stripTrailing();
    } catch (Throwable foreign) {
      return cause.getClass().getName();
    }
  }
}
