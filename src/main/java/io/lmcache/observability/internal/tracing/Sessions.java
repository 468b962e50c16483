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

  /** The time that passed from tick to tick: events may bring any time, and clocks be put back. */
  private long age;

  private long lastTick;
  private @Nullable Throwable failure;

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
    age += Math.max(0, now - lastTick);
    lastTick = now;
    OpenSpan span;
    while ((span = outermost.expired(age, timeoutNanos)) != null) {
      cutShort(span, Incomplete.EXPIRED, now);
    }
    Waiting waits;
    while ((waits = waiting.expired(age, timeoutNanos)) != null) {
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

  private OpenSpan add(OpenSpan span) {
    if (span.session.youngest() == null) {
      byId.put(span.session.id, span.session);
    }
    span.session.add(span);
    open.setRelease(open.getPlain() + 1);
    if (span.parent == null) {
      span.since = age;
      outermost.add(span);
    }
    return span;
  }

  /** Takes a span out of everything and ends it; its parent will end no earlier. */
  void end(OpenSpan span, @Nullable Incomplete reason, long epochNanos) {
    open.setRelease(open.getPlain() - 1);
    if (span.parent == null) {
      outermost.remove(span);
    }
    span.session.remove(span);
    Group group = span.session.group(span.row.root);
    boolean isRoot = span == group.root;
    if (isRoot) {
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
    if (span.parent != null) {
      span.parent.lastEnd = Math.max(span.parent.lastEnd, epochNanos);
    }
    if (reason != null) {
      counts.incomplete(reason);
      if (isRoot && group.isEnded) {
        span.reportedEnd = group.endTime;
      }
    }
    try {
      span.finish(reason, epochNanos);
    } catch (Throwable foreign) {
      failed(foreign);
    }
  }

  /** Keeps what the SDK threw until everything here is in order again. */
  void failed(Throwable foreign) {
    if (failure == null) {
      failure = foreign;
    }
  }

  /** Throws what was kept, if anything was. */
  void throwFailure() throws Exception {
    Throwable kept = failure;
    if (kept == null) {
      return;
    }
    failure = null;
    if (kept instanceof Error error) {
      throw error;
    }
    if (kept instanceof Exception exception) {
      throw exception;
    }
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
      root.reportedEnd = group.endTime;
    }
    end(root, null, Math.max(root.start, Math.max(last, group.endTime)));
    if (root.parent != null) {
      release(session, session.group(root.parent.row), now);
    }
  }

  /** Ends a span and all that is under it before its end was reported. */
  private void cutShort(OpenSpan top, Incomplete reason, long now) {
    Session session = top.session;
    OpenSpan span = top.row.row.kind() == Kind.ROOT ? session.youngest() : top;
    while (span != null) {
      OpenSpan next = span == top ? null : span.older; // nothing older is under it
      if (span.isWithin(top)) {
        end(span, reason, Math.max(span.start, Math.max(span.lastEnd, now)));
      }
      span = next;
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
    session.remove(waits);
    release(session, group, now);
    forgetIfIdle(session);
  }

  /** Waits for the start of what was submitted to a device. */
  void waitForOneMore(Session session, SpanRow row, String device, long now) {
    Waiting waits = session.waiting(row, device);
    if (waits == null) {
      waits = new Waiting(session, row, device);
      session.add(waits);
    } else {
      waiting.remove(waits); // to the end, as the youngest
    }
    waits.since = age;
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
      waits.session.remove(waits);
    }
  }

  void forgetIfIdle(Session session) {
    if (session.youngest() == null && session.isIdle()) {
      byId.remove(session.id);
    }
  }
}
