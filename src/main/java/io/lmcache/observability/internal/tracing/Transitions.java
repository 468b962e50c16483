package io.lmcache.observability.internal.tracing;

import io.lmcache.observability.catalog.SpanTable.Hold;
import io.lmcache.observability.catalog.SpanTable.Incomplete;
import io.lmcache.observability.catalog.SpanTable.Violation;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.internal.support.SpanLookup;
import io.lmcache.observability.internal.tracing.Session.Group;
import io.lmcache.observability.internal.tracing.Session.Waiting;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What each kind of event does to the spans of its session; what does not go with the events before
 * it is counted and does nothing. For the drain thread only.
 */
final class Transitions {

  private final Sessions sessions;
  private final SpanLookup current;
  private final TracingCounts counts;

  Transitions(Sessions sessions, SpanLookup current, TracingCounts counts) {
    this.sessions = sessions;
    this.current = current;
    this.counts = counts;
  }

  void rootStarted(SpanRow row, Event event, long now) {
    String id = event.sessionId();
    Session known = sessions.find(id);
    Group group = known == null ? null : known.find(row);
    if (group != null && group.root != null) {
      counts.violation(Violation.STRAY_START);
      return;
    }
    Session session = sessions.withRoom(row, id, known, now);
    sessions.openRoot(row, session, event, now);
    session.group(row).isEnded = false; // an end that came before is not this one's
  }

  void rootEnded(SpanRow row, Event event, long now) {
    Session session = sessions.find(event.sessionId());
    Group group = session == null ? null : session.find(row);
    if (session == null
        || group == null
        || group.isIdle()
        || (group.isEnded && !row.row.endsWhenReleased())) {
      counts.violation(Violation.STRAY_END);
      return;
    }
    OpenSpan lookup = group.lookup;
    if (lookup != null) {
      sessions.end(lookup, Incomplete.ABANDONED, lookup.endAt(now));
    }
    group.isEnded = true;
    group.endTime = now;
    OpenSpan root = group.root;
    if (root != null) {
      root.closing = event;
      root.endAt(now); // marks an end before its start
    }
    sessions.release(session, group, now);
    sessions.forgetIfIdle(session);
  }

  void lookupStarted(SpanRow row, Event event, long now) {
    String id = event.sessionId();
    Session known = sessions.find(id);
    Group before = known == null ? null : known.find(row.root);
    if (before != null && before.lookup != null) {
      counts.violation(Violation.STRAY_START);
      return;
    }
    Session session = sessions.withRoom(row, id, known, now);
    OpenSpan lookup = sessions.openChild(row, session, event, now);
    Group group = session.group(row.root);
    group.lookup = lookup;
    group.pending++;
  }

  void lookupEnded(SpanRow row, Event event, long now) {
    Session session = sessions.find(event.sessionId());
    Group group = session == null ? null : session.find(row.root);
    OpenSpan lookup = group == null ? null : group.lookup;
    if (session == null || group == null || lookup == null) {
      counts.violation(Violation.STRAY_END);
      return;
    }
    lookup.closing = event;
    tell(row, group.root, event);
    sessions.end(lookup, null, lookup.endAt(now));
    sessions.release(session, group, now);
    sessions.forgetIfIdle(session);
  }

  private void tell(SpanRow row, @Nullable OpenSpan root, Event event) {
    if (root != null) {
      try {
        row.tell(root.get(), event);
      } catch (Throwable foreign) {
        sessions.failed(foreign);
      }
    }
  }

  void submitted(SpanRow row, Event event, long now) {
    Session session = sessions.findOrMake(event.sessionId());
    Group group = session.group(row.root);
    if (row.row.hold() != Hold.NONE) {
      group.isHeld = row.row.hold() == Hold.HOLDS;
    }
    group.pending++;
    sessions.waitForOneMore(session, row, row.submittedOn(event), now);
  }

  void started(SpanRow row, Event event, long now) {
    String id = event.sessionId();
    Session session = sessions.withRoom(row, id, sessions.find(id), now);
    OpenSpan span = sessions.openChild(row, session, event, now);
    Group group = session.group(row.root);
    if (row.row.hold() == Hold.RELEASES) {
      group.isHeld = false; // also if its SUBMITTED got lost
    }
    Waiting waits = session.waiting(row, span.device);
    if (waits == null) {
      group.pending++;
    } else {
      sessions.waitForOneLess(waits);
    }
  }

  void ended(SpanRow row, Event event, long now) {
    Session session = sessions.find(event.sessionId());
    String device = row.endedOn(event);
    OpenSpan span = session == null ? null : session.first(row, device);
    current.set(span);
    if (session == null) {
      counts.violation(Violation.STRAY_END);
      return;
    }
    Group group = session.group(row.root);
    if (span == null) {
      counts.violation(Violation.STRAY_END);
      Waiting waits = session.waiting(row, device);
      if (waits != null) {
        // Its start got lost; what was submitted has ended all the same.
        group.pending--;
        sessions.waitForOneLess(waits);
      }
    } else {
      span.closing = event;
      sessions.end(span, null, span.endAt(now));
    }
    sessions.release(session, group, now);
    sessions.forgetIfIdle(session);
  }

  void instant(SpanRow row, Event event, long now) {
    Session session = sessions.find(event.sessionId());
    Group group = session == null ? null : session.find(row.root);
    OpenSpan root = group == null ? null : group.root;
    if (root != null) {
      root.lastEnd = Math.max(root.lastEnd, now);
    }
    Context context = root == null ? Context.root() : root.context();
    row.start(context, event.sessionId(), "", event, null, now).end(now, TimeUnit.NANOSECONDS);
  }

  void raised(SpanRow row, Event event, long now) {
    String id = event.sessionId();
    Session session = id.isEmpty() ? null : sessions.find(id);
    OpenSpan innermost = session == null ? null : session.innermost();
    if (innermost != null) {
      ExceptionEvent.add(innermost.get(), event, now);
      return;
    }
    Span span = row.start(Context.root(), id, "", null, null, now);
    ExceptionEvent.add(span, event, now);
    span.end(now, TimeUnit.NANOSECONDS);
  }
}
