package io.lmcache.observability.internal.tracing;

import io.lmcache.observability.catalog.SpanTable;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.EventType;
import io.lmcache.observability.event.EventType.Field;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A row of the span table at work: its tracer, and the fields of its events. */
final class SpanRow {

  private static final AttributeKey<String> SESSION_ID =
      AttributeKey.stringKey(SpanTable.SESSION_ID);
  private static final AttributeKey<Long> REQUESTED_TOKENS =
      AttributeKey.longKey(SpanTable.REQUESTED_TOKENS);
  private static final AttributeKey<Long> HIT_TOKENS = AttributeKey.longKey(SpanTable.HIT_TOKENS);
  private static final AttributeKey<Double> HIT_RATE = AttributeKey.doubleKey(SpanTable.HIT_RATE);

  final SpanTable.Row row;

  /** The position of its root among the roots. */
  final int group;

  /** The row of the root above; of a root, itself. */
  final SpanRow root;

  private final @Nullable SpanRow parent;
  private final Tracer tracer;
  private final String name;
  private final @Nullable AttributeKey<String> pairedBy;
  private final FieldAttribute[] atStart;

  /** Fields that both events have: the end's are written, or the start's if there is no end. */
  private final FieldAttribute[] ofStartWithoutEnd;

  private final FieldAttribute[] atEnd;
  private final @Nullable Field submittedBy;
  private final @Nullable Field startedBy;
  private final @Nullable Field endedBy;
  private final @Nullable Field traceparent;
  private final @Nullable Field tracestate;
  private final @Nullable Field requestedTokens;
  private final @Nullable Field hitTokens;
  private final @Nullable Field success;

  SpanRow(SpanTable.Row row, int group, @Nullable SpanRow parent, Tracer tracer) {
    this.row = row;
    this.group = group;
    this.parent = parent;
    this.root = row.kind() == SpanTable.Kind.ROOT || parent == null ? this : parent;
    this.tracer = tracer;
    this.name = row.name();
    this.pairedBy = row.pairedBy().isEmpty() ? null : AttributeKey.stringKey(row.pairedBy());
    List<Field> opening = fields(row.opens());
    List<Field> closing = fields(row.closes());
    // What start and end have in common as such is known without looking into them.
    Set<String> known = Set.of(SpanTable.SESSION_ID, row.pairedBy());
    Set<String> later = names(closing);
    later.removeAll(known);
    Set<String> now = names(opening);
    now.removeAll(known);
    now.removeAll(later);
    now.removeAll(SpanTable.LEFT_OUT);
    this.atStart = attributes(opening, now);
    this.ofStartWithoutEnd = attributes(opening, later);
    this.atEnd = attributes(closing, later);
    this.submittedBy = find(fields(row.submitted()), row.pairedBy());
    this.startedBy = find(opening, row.pairedBy());
    this.endedBy = find(closing, row.pairedBy());
    this.traceparent = find(opening, SpanTable.TRACEPARENT);
    this.tracestate = find(opening, SpanTable.TRACESTATE);
    this.requestedTokens = find(closing, SpanTable.REQUESTED_TOKENS);
    this.hitTokens = find(closing, SpanTable.HIT_TOKENS);
    this.success = find(closing, SpanTable.SUCCESS);
  }

  private static List<Field> fields(@Nullable Class<? extends Event> event) {
    return event == null ? List.of() : EventType.of(event).fields();
  }

  private static @Nullable Field find(List<Field> fields, String name) {
    return fields.stream().filter(field -> field.name().equals(name)).findFirst().orElse(null);
  }

  private static Set<String> names(List<Field> fields) {
    return fields.stream().map(Field::name).collect(Collectors.toCollection(HashSet::new));
  }

  private static FieldAttribute[] attributes(List<Field> fields, Set<String> wanted) {
    return fields.stream()
        .filter(field -> wanted.contains(field.name()))
        .map(FieldAttribute::new)
        .toArray(FieldAttribute[]::new);
  }

  /** The row of the span that this one is under; null for the outermost. */
  @Nullable SpanRow parent() {
    return parent;
  }

  /** The device of the event that announces an operation. */
  String submittedOn(Event event) {
    return submittedBy == null ? "" : (String) submittedBy.of(event);
  }

  /** The device of the event that opens an operation; empty for other spans. */
  String startedOn(Event event) {
    return startedBy == null ? "" : (String) startedBy.of(event);
  }

  /** The device of the event that closes an operation. */
  String endedOn(Event event) {
    return endedBy == null ? "" : (String) endedBy.of(event);
  }

  /** Whether the event names a parent from outside. */
  boolean hasRemoteParent(Event event) {
    return traceparent != null && !((String) traceparent.of(event)).isEmpty();
  }

  /** The parent from outside; null if what the event names is none. */
  @Nullable Context remoteParent(Event event) {
    return traceparent == null || tracestate == null
        ? null
        : new RemoteParent((String) traceparent.of(event), (String) tracestate.of(event)).context();
  }

  /**
   * Starts a span with the fields of the events that open and close it.
   *
   * @param device what an operation is on; else empty
   * @param opening null for a span that an event of another row opens
   * @param closing null for a span that is still open
   */
  Span start(
      Context parent,
      String session,
      String device,
      @Nullable Event opening,
      @Nullable Event closing,
      long epochNanos) {
    SpanBuilder builder =
        tracer
            .spanBuilder(name)
            .setParent(parent)
            .setStartTimestamp(epochNanos, TimeUnit.NANOSECONDS)
            .setAttribute(SESSION_ID, session);
    if (pairedBy != null) {
      builder.setAttribute(pairedBy, device);
    }
    if (opening != null) {
      write(builder, opening, atStart);
    }
    if (closing != null) {
      write(builder, closing, atEnd);
    }
    return builder.startSpan();
  }

  private static void write(SpanBuilder builder, Event event, FieldAttribute[] attributes) {
    for (FieldAttribute attribute : attributes) {
      attribute.write(builder, event);
    }
  }

  /** Writes the fields of the event that closes the span. */
  void end(Span span, Event event) {
    for (FieldAttribute attribute : atEnd) {
      attribute.write(span, event);
    }
  }

  /** Says whether what the span stands for has failed. */
  void judge(Span span, Event event) {
    if (success != null && success.of(event).equals(false)) {
      span.setStatus(StatusCode.ERROR);
    }
  }

  /** Writes what the event that closes the span would have written over. */
  void endWithoutEvent(Span span, Event opening) {
    for (FieldAttribute attribute : ofStartWithoutEnd) {
      attribute.write(span, opening);
    }
  }

  /** Writes the tokens that the event at the end of a lookup tells onto the root. */
  void tell(Span rootSpan, Event event) {
    if (requestedTokens != null && hitTokens != null) {
      long requested = (Long) requestedTokens.of(event);
      long hit = (Long) hitTokens.of(event);
      rootSpan.setAttribute(REQUESTED_TOKENS, requested);
      rootSpan.setAttribute(HIT_TOKENS, hit);
      rootSpan.setAttribute(HIT_RATE, requested == 0 ? 0.0 : (double) hit / requested);
    }
  }
}
