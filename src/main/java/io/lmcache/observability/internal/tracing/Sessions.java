package io.lmcache.observability.internal.tracing;

import io.lmcache.observability.catalog.SpanTable;
import io.lmcache.observability.catalog.SpanTable.Incomplete;
import io.lmcache.observability.catalog.SpanTable.Kind;
import io.lmcache.observability.catalog.SpanTable.Violation;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.internal.tracing.Session.Group;
import io.lmcache.observability.internal.tracing.Session.Waiting;
import io.opentelemetry.context.Context;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * All sessions of which something is open or pending: opens, ends, releases and cuts short their
 * spans. For the drain thread only.
 *
 * <p>At most as many spans are open, and as many starts waited for, as is set; the oldest go, a
 * root with all that is under it. Nothing else is kept: a session of which nothing is open or
 * pending is forgotten.
 */
final class Sessions {

  /** How many kinds of roots there are. */
  private static final int ROOTS =
      (int) SpanTable.all().stream().filter(row -> row.kind() == Kind.ROOT).count();

  private final int maxOpen;
  private final long timeoutNanos;
  private final TracingCounts counts;
  private final Map<String, Session> byId = new HashMap<>();
  private final AtomicInteger open = new AtomicInteger();

  /** What is open and not under another; what is under it came later and goes with it. */
  private final ByAge<OpenSpan> outermost = new ByAge<>();

  private final ByAge<Waiting> waiting = new ByAge<>();

  /** The time of the latest tick; 0 before the first. */
  private long clock;

  Sessions(int maxOpen, long timeoutNanos, TracingCounts counts) {
    this.maxOpen = maxOpen;
    this.timeoutNanos = timeoutNanos;
    this.counts = counts;
  }

  /** How many spans are open; any thread may ask. */
  int openSpans() {
    return open.getAcquire();
  }

  /** How much is remembered of what is not open. */
  int remembered() {
    return byId.size() + waiting.size();
  }

  @Nullable Session find(String id) {
    return byId.get(id);
  }

  Session findOrMake(String id) {
    Session session = byId.get(id);
    if (session == null) {
      session = new Session(id, ROOTS);
      byId.put(id, session);
    }
    return session;
  }

  /** Ends what is open and forgets what is waited for since longer than is set. */
  void expire(long now) {
    clock = now;
    OpenSpan span;
    while ((span = outermost.expired(now, timeoutNanos)) != null) {
      cutShort(span, Incomplete.EXPIRED, now);
    }
    Waiting waits;
    while ((waits = waiting.expired(now, timeoutNanos)) != null) {
      giveUp(waits, now);
    }
  }

  /** Ends all that is open and forgets the rest. */
  void shutdown(long now) {
    OpenSpan span;
    while ((span = outermost.oldest()) != null) {
      cutShort(span, Incomplete.SHUTDOWN, now);
    }
    Waiting waits;
    while ((waits = waiting.oldest()) != null) {
      waiting.remove(waits);
    }
    byId.clear();
  }

  /** The session of an event that opens a span, once there is room for it and a root. */
  Session withRoom(SpanRow row, String id, @Nullable Session known, long now) {
    Session session = known;
    while (true) {
      int needed = row.row.kind() != Kind.ROOT && lacksRoot(row, session, id) ? 2 : 1;
      OpenSpan oldest = outermost.oldest();
      if (oldest == null || open.getPlain() + needed <= maxOpen) {
        return session == null ? new Session(id, ROOTS) : session;
      }
      cutShort(oldest, Incomplete.EVICTED, now);
      session = byId.get(id); // which may have gone with the oldest
    }
  }

  /** Whether a root must be opened first; what belongs to no session stands alone. */
  private static boolean lacksRoot(SpanRow row, @Nullable Session session, String id) {
    Group group = session == null ? null : session.find(row.root);
    return !id.isEmpty() && (group == null || group.root == null);
  }

  OpenSpan openChild(SpanRow row, Session session, Event event, long now) {
    OpenSpan root =
        lacksRoot(row, session, session.id)
            ? openRoot(row.root, session, null, now)
            : session.group(row.root).root;
    return add(new OpenSpan(row, session, root, Context.root(), event, now));
  }

  /** Opens a root; without an event of its own for the first child. */
  OpenSpan openRoot(SpanRow row, Session session, @Nullable Event event, long now) {
    SpanRow above = row.parent();
    Group outer = above == null ? null : session.find(above);
    OpenSpan parent = outer == null ? null : outer.root;
    Context outside = Context.root();
    if (event != null && row.hasRemoteParent(event)) {
      Context remote = row.remoteParent(event);
      if (remote == null) {
        counts.violation(Violation.INVALID_TRACEPARENT);
      } else {
        outside = remote;
      }
    }
    OpenSpan root = add(new OpenSpan(row, session, parent, outside, event, now));
    session.group(row).root = root;
    if (outer != null && parent != null) {
      outer.pending++;
    }
    return root;
  }

  /** Age goes by the clock of the bus, since an event may bring any time of its own. */
  private long sinceByTheClock(long epochNanos) {
    return clock == 0 ? epochNanos : clock;
  }

  private OpenSpan add(OpenSpan span) {
    if (span.session.open.isEmpty()) {
      byId.put(span.session.id, span.session);
    }
    span.session.open.add(span);
    open.setRelease(open.getPlain() + 1);
    if (span.parent == null) {
      span.since = sinceByTheClock(span.start);
      outermost.add(span);
    }
    return span;
  }

  /** Takes a span out of everything and ends it. */
  void end(OpenSpan span, @Nullable Incomplete reason, long epochNanos) {
    open.setRelease(open.getPlain() - 1);
    if (span.parent == null) {
      outermost.remove(span);
    }
    span.session.remove(span);
    Group group = span.session.group(span.row.root);
    if (span == group.root) {
      group.root = null;
      if (span.parent != null) {
        span.session.group(span.parent.row).pending--;
      }
    } else {
      group.pending--;
    }
    if (span == group.lookup) {
      group.lookup = null;
    }
    if (reason != null) {
      span.cutShort(reason);
      counts.incomplete(reason);
    }
    span.end(epochNanos);
  }

  /** Ends a root that has ended and waits for nothing more; then perhaps the one above it. */
  void release(Session session, Group group, long now) {
    OpenSpan root = group.root;
    if (group.pending > 0 || (root != null && (group.isHeld || !group.isEnded))) {
      return;
    }
    group.isHeld = false;
    group.isEnded = false;
    if (root == null) {
      return;
    }
    long last = group.row.row.endsWhenReleased() ? Math.max(now, root.lastEnd) : root.lastEnd;
    if (last > group.endTime) {
      root.markEndTime(group.endTime);
    }
    end(root, null, Math.max(root.start, Math.max(last, group.endTime)));
    if (root.parent != null) {
      release(session, session.group(root.parent.row), now);
    }
  }

  /** Ends a span and all that is under it before its end was reported. */
  private void cutShort(OpenSpan top, Incomplete reason, long now) {
    Session session = top.session;
    for (int i = session.open.size() - 1; i >= 0; i--) {
      OpenSpan span = session.open.get(i);
      if (span.isWithin(top)) {
        end(span, reason, Math.max(span.start, Math.max(span.lastEnd, now)));
      }
    }
    for (Group group : session.groups()) {
      if (group != null) {
        release(session, group, now);
      }
    }
    forgetIfIdle(session);
  }

  /** Waits no longer for what was submitted to a device. */
  private void giveUp(Waiting waits, long now) {
    counts.violations(Violation.MISSING_START, waits.count);
    Session session = waits.session;
    Group group = session.group(waits.row.root);
    group.pending -= waits.count;
    waiting.remove(waits);
    session.waiting.remove(waits);
    release(session, group, now);
    forgetIfIdle(session);
  }

  /** Waits for the start of what was submitted to a device. */
  void waitForOneMore(Session session, SpanRow row, String device, long now) {
    Waiting waits = session.waiting(row, device);
    if (waits == null) {
      waits = new Waiting(session, row, device);
      session.waiting.add(waits);
    } else {
      waiting.remove(waits); // to the end, as the youngest
    }
    waits.since = sinceByTheClock(now);
    waits.count++;
    waiting.add(waits);
    Waiting oldest = waiting.oldest();
    if (oldest != null && waiting.size() > maxOpen) {
      giveUp(oldest, now);
    }
  }

  /** Waits for one start less. */
  void waitForOneLess(Waiting waits) {
    waits.count--;
    if (waits.count == 0) {
      waiting.remove(waits);
      waits.session.waiting.remove(waits);
    }
  }

  void forgetIfIdle(Session session) {
    if (session.isIdle()) {
      byId.remove(session.id);
    }
  }
}
