package io.lmcache.observability.internal.tracing;

import org.jspecify.annotations.Nullable;

/** What is known of one session as long as anything of it is open or pending. */
final class Session {

  /** A root, open or not, and what it waits for. */
  static final class Group {

    final SpanRow row;
    @Nullable OpenSpan root;
    @Nullable OpenSpan lookup;

    /** What was submitted or started, and has not ended. */
    int pending;

    /** Whether the end was reported, and when. */
    boolean isEnded;

    long endTime;

    /** Whether it is held open though nothing may be pending. */
    boolean isHeld;

    Group(SpanRow row) {
      this.row = row;
    }

    boolean isIdle() {
      return root == null && pending == 0;
    }
  }

  /** What was submitted to a device and has not started. */
  static final class Waiting extends ByAge.Aged<Waiting> {

    final Session session;
    final SpanRow row;
    final String device;
    int count;
    private @Nullable Waiting next;

    Waiting(Session session, SpanRow row, String device) {
      this.session = session;
      this.row = row;
      this.device = device;
    }
  }

  final String id;

  /** What is open, in the order in which it was opened. */
  private @Nullable OpenSpan oldest;

  private @Nullable OpenSpan youngest;

  private @Nullable Waiting waiting;

  private final @Nullable Group[] groups;

  /**
   * @param roots how many kinds of roots there are
   */
  Session(String id, int roots) {
    this.id = id;
    this.groups = new Group[roots];
  }

  /** The group of a root; a new one if there is none. */
  Group group(SpanRow root) {
    Group group = groups[root.group];
    if (group == null) {
      group = new Group(root);
      groups[root.group] = group;
    }
    return group;
  }

  @Nullable Group find(SpanRow root) {
    return groups[root.group];
  }

  @Nullable Group[] groups() {
    return groups;
  }

  /** What was opened last and is open; null if nothing is. */
  @Nullable OpenSpan youngest() {
    return youngest;
  }

  void add(OpenSpan span) {
    OpenSpan before = youngest;
    span.older = before;
    if (before == null) {
      oldest = span;
    } else {
      before.younger = span;
    }
    youngest = span;
  }

  /** Takes out what is open no more. */
  void remove(OpenSpan span) {
    OpenSpan before = span.older;
    OpenSpan after = span.younger;
    if (before == null) {
      oldest = after;
    } else {
      before.younger = after;
    }
    if (after == null) {
      youngest = before;
    } else {
      after.older = before;
    }
  }

  /** The first of the open operations on a device; null if there is none. */
  @Nullable OpenSpan first(SpanRow row, String device) {
    OpenSpan span = oldest;
    while (span != null && (span.row != row || !span.device.equals(device))) {
      span = span.younger;
    }
    return span;
  }

  /** What waits to start on a device; null if nothing does. */
  @Nullable Waiting waiting(SpanRow row, String device) {
    Waiting waits = waiting;
    while (waits != null && (waits.row != row || !waits.device.equals(device))) {
      waits = waits.next;
    }
    return waits;
  }

  void add(Waiting waits) {
    waits.next = waiting;
    waiting = waits;
  }

  void remove(Waiting waits) {
    Waiting before = waiting;
    if (before == waits) {
      waiting = waits.next;
      return;
    }
    while (before != null && before.next != waits) {
      before = before.next;
    }
    if (before != null) {
      before.next = waits.next;
    }
  }

  /** The deepest of the open spans, of several the latest; null if none is open. */
  @Nullable OpenSpan innermost() {
    OpenSpan innermost = null;
    for (OpenSpan span = oldest; span != null; span = span.younger) {
      if (innermost == null || span.depth() >= innermost.depth()) {
        innermost = span;
      }
    }
    return innermost;
  }

  boolean isIdle() {
    for (Group group : groups) {
      if (group != null && !group.isIdle()) {
        return false;
      }
    }
    return true;
  }
}
