package io.lmcache.observability.catalog;

import io.lmcache.observability.event.BlendEvent;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.EventType;
import io.lmcache.observability.event.ServerEvent;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The spans and how they come about: one row a span.
 *
 * <p>Plain, immutable data, shared by all threads. Only here is a span or an attribute of one
 * named; an attribute that is a field of an event has the field's name.
 */
public final class SpanTable {

  /** How a span behaves. */
  public enum Kind {
    /** Around a request: one at a time in a session; ends once nothing under it is pending. */
    ROOT,
    /** Under a root, one at a time; tells the root its tokens; the root's end abandons it. */
    LOOKUP,
    /** Under a root, several at once, first in first out; the root waits for it. */
    OPERATION,
    /** A moment; under a root if that is open. */
    INSTANT,
    /** An exception, told on the innermost span that is open; a moment of its own if none is. */
    EXCEPTION
  }

  /** What the SUBMITTED of an operation does to its root, beside being pending. */
  public enum Hold {
    /** Nothing. */
    NONE,
    /** Keeps it open until the session's next RELEASES. */
    HOLDS,
    /** Ends that. */
    RELEASES
  }

  /** Why a span was ended before its end was reported; the values of {@link #INCOMPLETE}. */
  public enum Incomplete {
    /** A lookup that was still open at the end of its request. */
    ABANDONED,
    /** Open for too long. */
    EXPIRED,
    /** Too many were open. */
    EVICTED,
    /** Open at the end. */
    SHUTDOWN;

    /** The value of the attribute. */
    public String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What an event can break; the values of the attribute {@code rule}. */
  public enum Violation {
    /** A second start while one is open that can be open once only. */
    STRAY_START,
    /** An end without a start. */
    STRAY_END,
    /** A SUBMITTED whose start did not come in time. */
    MISSING_START,
    /** A parent that is not a W3C trace context. */
    INVALID_TRACEPARENT;

    /** The value of the attribute. */
    public String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * One span.
   *
   * @param scope the name of its tracer
   * @param parent the row of its root; null for one that may only have a parent from outside
   * @param submitted the event that announces it; null if none does
   * @param opens the event that opens it
   * @param closes the event that closes it; null for one that is a moment
   * @param pairedBy the field that tells several of one session apart; empty if there is none
   * @param endsWhenReleased whether a root that had to wait ends with what it waited for, and a
   *     later end replaces an earlier one; else it ends at its own end, if nothing ended later
   */
  public record Row(
      String name,
      Kind kind,
      String scope,
      @Nullable Row parent,
      @Nullable Class<? extends Event> submitted,
      Class<? extends Event> opens,
      @Nullable Class<? extends Event> closes,
      String pairedBy,
      Hold hold,
      boolean endsWhenReleased) {}

  private static final String SERVER = "lmcache_mp.server";
  private static final String BLEND = "lmcache_mp.blend";
  private static final String DEVICE = "device";
  private static final String INSTANCE = "instance_id";

  // spotless:off
  private static final Row REQUEST = root("request", SERVER, null, ServerEvent.RequestStart.class, ServerEvent.RequestEnd.class, false);
  private static final Row CB_REQUEST = root("cb.request", BLEND, REQUEST, BlendEvent.RequestStart.class, BlendEvent.RequestEnd.class, true);

  private static final List<Row> ALL = List.of(
      REQUEST,
      lookup("mp.lookup_prefetch", REQUEST, ServerEvent.LookupPrefetchStart.class, ServerEvent.LookupPrefetchEnd.class),
      operation("mp.retrieve", REQUEST, DEVICE, ServerEvent.RetrieveSubmitted.class, ServerEvent.RetrieveStart.class, ServerEvent.RetrieveEnd.class, Hold.NONE),
      operation("mp.store", REQUEST, DEVICE, ServerEvent.StoreSubmitted.class, ServerEvent.StoreStart.class, ServerEvent.StoreEnd.class, Hold.NONE),
      CB_REQUEST,
      lookup("cb.lookup", CB_REQUEST, BlendEvent.LookupStart.class, BlendEvent.LookupEnd.class),
      operation("cb.retrieve", CB_REQUEST, INSTANCE, BlendEvent.RetrieveSubmitted.class, BlendEvent.RetrieveStart.class, BlendEvent.RetrieveEnd.class, Hold.HOLDS),
      operation("cb.store_pre_computed", CB_REQUEST, INSTANCE, BlendEvent.StorePreComputedSubmitted.class, BlendEvent.StorePreComputedStart.class, BlendEvent.StorePreComputedEnd.class, Hold.NONE),
      operation("cb.store_final", CB_REQUEST, INSTANCE, BlendEvent.StoreFinalSubmitted.class, BlendEvent.StoreFinalStart.class, BlendEvent.StoreFinalEnd.class, Hold.RELEASES),
      instant(CB_REQUEST, BlendEvent.FingerprintsRegistered.class),
      instant(CB_REQUEST, BlendEvent.ChunksEvicted.class),
      new Row("timeout", Kind.EXCEPTION, SERVER, null, null, ServerEvent.TimeoutRaised.class, null, "", Hold.NONE, false));
  // spotless:on

  /** On every span: the session. */
  public static final String SESSION_ID = "session_id";

  /** On a span that was ended before its end was reported: why. */
  public static final String INCOMPLETE = "incomplete";

  /** On a span whose end came before its start by the clock: true. */
  public static final String CLOCK_SKEW = "clock_skew";

  /** On a root that ended with its last child: when its own end was reported. */
  public static final String END_TIME = "request.end_time_unix_nano";

  /** On a root, and the field of the event that a lookup ends with: what it asked for. */
  public static final String REQUESTED_TOKENS = "requested_tokens";

  /** On a root, and the field of the event that a lookup ends with: what it found. */
  public static final String HIT_TOKENS = "hit_tokens";

  /** On a root: the one over the other. */
  public static final String HIT_RATE = "hit_rate";

  /** The field that says whether an operation succeeded. */
  public static final String SUCCESS = "success";

  /** The field that is a root's parent from outside. */
  public static final String TRACEPARENT = "traceparent";

  /** The field with what the parent hands on. */
  public static final String TRACESTATE = "tracestate";

  /** The fields that are no attributes. */
  public static final Set<String> LEFT_OUT = Set.of(TRACEPARENT, TRACESTATE);

  /** The name of the event that tells of an exception. */
  public static final String EXCEPTION = "exception";

  /** Its attributes, by the field that each is. */
  public static final Map<String, String> EXCEPTION_ATTRIBUTES =
      Map.of(
          "exception_class", "exception.type",
          "message", "exception.message",
          "stacktrace", "exception.stacktrace");

  private SpanTable() {}

  /** All rows, each behind that of its parent. */
  public static List<Row> all() {
    return ALL;
  }

  private static Row root(
      String name,
      String scope,
      @Nullable Row parent,
      Class<? extends Event> opens,
      Class<? extends Event> closes,
      boolean endsWhenReleased) {
    return new Row(
        name, Kind.ROOT, scope, parent, null, opens, closes, "", Hold.NONE, endsWhenReleased);
  }

  private static Row lookup(
      String name, Row root, Class<? extends Event> opens, Class<? extends Event> closes) {
    return new Row(name, Kind.LOOKUP, root.scope, root, null, opens, closes, "", Hold.NONE, false);
  }

  private static Row operation(
      String name,
      Row root,
      String pairedBy,
      Class<? extends Event> submitted,
      Class<? extends Event> opens,
      Class<? extends Event> closes,
      Hold hold) {
    return new Row(
        name, Kind.OPERATION, root.scope, root, submitted, opens, closes, pairedBy, hold, false);
  }

  private static Row instant(Row root, Class<? extends Event> event) {
    String name = EventType.of(event).wireName();
    return new Row(name, Kind.INSTANT, root.scope, root, null, event, null, "", Hold.NONE, false);
  }
}
