package io.lmcache.observability.internal.tracing;

import io.lmcache.observability.catalog.SpanTable;
import io.lmcache.observability.event.Event;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A span that is open, and its place among the others. The SDK's span is made when it is first
 * asked for: most are made at their end, with all their attributes at once, which costs least.
 */
final class OpenSpan extends ByAge.Aged<OpenSpan> implements Supplier<Span> {

  private static final AttributeKey<Boolean> CLOCK_SKEW =
      AttributeKey.booleanKey(SpanTable.CLOCK_SKEW);
  private static final AttributeKey<String> INCOMPLETE =
      AttributeKey.stringKey(SpanTable.INCOMPLETE);
  private static final AttributeKey<Long> END_TIME = AttributeKey.longKey(SpanTable.END_TIME);

  private static final long NEVER = Long.MIN_VALUE;

  final SpanRow row;
  final Session session;
  final @Nullable OpenSpan parent;
  final long start;

  /** What an operation is on; else empty. */
  final String device;

  /** When its last child ended; before that, {@link #NEVER}. */
  long lastEnd = NEVER;

  /** When its end was reported, if it ends at another time; else {@link #NEVER}. */
  long reportedEnd = NEVER;

  /** The event that closes it; null until that has come. */
  @Nullable Event closing;

  /** What was opened before and after it in its session and is open. */
  @Nullable OpenSpan older;

  @Nullable OpenSpan younger;

  private final Context outside;
  private final @Nullable Event opening;
  private @Nullable Span span;
  private @Nullable Context context;
  private boolean isSkewed;

  /**
   * @param outside the context of the parent where that is not one of ours
   * @param opening the event that opened it; null if one of another row did
   */
  OpenSpan(
      SpanRow row,
      Session session,
      @Nullable OpenSpan parent,
      Context outside,
      @Nullable Event opening,
      long start) {
    this.row = row;
    this.session = session;
    this.parent = parent;
    this.outside = outside;
    this.opening = opening;
    this.device = opening == null ? "" : row.startedOn(opening);
    this.start = start;
  }

  /** The span of the SDK. */
  @Override
  public Span get() {
    Span made = span;
    if (made == null) {
      made = row.start(above(), session.id, device, opening, null, start);
      span = made;
    }
    return made;
  }

  private Context above() {
    return parent == null ? outside : parent.context();
  }

  /** The context of what is under it. */
  Context context() {
    Context known = context;
    if (known == null) {
      known = Context.root().with(get());
      context = known;
    }
    return known;
  }

  /** How many are above it. */
  int depth() {
    return parent == null ? 0 : parent.depth() + 1;
  }

  /** Whether it is the other or under it. */
  boolean isWithin(OpenSpan other) {
    return this == other || (parent != null && parent.isWithin(other));
  }

  /** The time of its end by the clock; not before its start, and marked if the clock says so. */
  long endAt(long epochNanos) {
    if (epochNanos >= start) {
      return epochNanos;
    }
    isSkewed = true;
    return start;
  }

  /**
   * Ends the SDK's span, with all that is known of it. What the SDK throws, an embedder's perhaps,
   * is thrown.
   *
   * @param reason why it ends before its end was reported; null if that was
   */
  void finish(SpanTable.@Nullable Incomplete reason, long epochNanos) {
    Event end = closing;
    Span made = span;
    if (made == null) {
      made = row.start(above(), session.id, device, opening, end, start);
      span = made;
    } else if (end != null) {
      row.end(made, end);
    }
    if (end != null) {
      row.judge(made, end);
    } else if (opening != null) {
      row.endWithoutEvent(made, opening);
    }
    if (reason != null) {
      made.setAttribute(INCOMPLETE, reason.wireName());
    }
    if (isSkewed) {
      made.setAttribute(CLOCK_SKEW, true);
    }
    if (reportedEnd != NEVER) {
      made.setAttribute(END_TIME, reportedEnd);
    }
    made.end(epochNanos, TimeUnit.NANOSECONDS);
  }
}
