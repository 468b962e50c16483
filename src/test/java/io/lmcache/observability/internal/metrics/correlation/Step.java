package io.lmcache.observability.internal.metrics.correlation;

import io.lmcache.observability.event.CustomEvent;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.ServerEvent;
import java.util.Arrays;
import java.util.List;

/**
 * A moment of a history: an event, or a tick of the clock.
 *
 * @param clock the time by the clock of the bus, in nanoseconds since the epoch
 * @param at the time that the event was published with: the clock's, or one of its own
 */
record Step(long clock, long at, Event event) {

  /** When histories begin. */
  static final long BEGIN = 1_700_000_000_000_000_000L;

  static final long SECOND = 1_000_000_000L;

  /** Stands for a tick. */
  record Tick() implements CustomEvent {}

  /** An event so many nanoseconds after the beginning. */
  static Step event(long after, Event event) {
    return new Step(BEGIN + after, BEGIN + after, event);
  }

  /** The same with a time of its own. */
  Step publishedWith(long epochNanos) {
    return new Step(clock, epochNanos, event);
  }

  boolean hasTimeOfItsOwn() {
    return at != clock;
  }

  static Step tick(long after) {
    return event(after, new Tick());
  }

  boolean isTick() {
    return event instanceof Tick;
  }

  /** Short, with the contents of arrays: histories are read when a property fails. */
  @Override
  public String toString() {
    return "%s%s %s"
        .formatted(
            text(clock - BEGIN),
            hasTimeOfItsOwn() ? " stamped " + text(at - BEGIN) : "",
            event instanceof ServerEvent.BlockAllocation allocation
                ? text(allocation)
                : event.toString());
  }

  private static String text(long after) {
    return "%s%d.%09d s"
        .formatted(after < 0 ? "-" : "+", Math.abs(after) / SECOND, Math.abs(after) % SECOND);
  }

  private static String text(ServerEvent.BlockAllocation allocation) {
    List<String> records =
        allocation.records().stream()
            .map(
                r ->
                    r.reqId() + Arrays.toString(r.newBlockIds()) + Arrays.toString(r.newTokenIds()))
            .toList();
    return "BlockAllocation["
        + allocation.instanceId()
        + ", "
        + allocation.modelName()
        + ", "
        + records
        + "]";
  }
}
