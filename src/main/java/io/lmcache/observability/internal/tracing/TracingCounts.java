package io.lmcache.observability.internal.tracing;

import io.lmcache.observability.catalog.SpanTable.Incomplete;
import io.lmcache.observability.catalog.SpanTable.Violation;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Counts what went wrong with spans; the drain thread counts, any thread may ask. */
final class TracingCounts {

  private final Map<Incomplete, AtomicLong> incomplete = new EnumMap<>(Incomplete.class);
  private final Map<Violation, AtomicLong> violations = new EnumMap<>(Violation.class);

  TracingCounts() {
    for (Incomplete reason : Incomplete.values()) {
      incomplete.put(reason, new AtomicLong());
    }
    for (Violation rule : Violation.values()) {
      violations.put(rule, new AtomicLong());
    }
  }

  void incomplete(Incomplete reason) {
    add(incomplete.get(reason), 1);
  }

  void violation(Violation rule) {
    add(violations.get(rule), 1);
  }

  void violations(Violation rule, long count) {
    add(violations.get(rule), count);
  }

  private static void add(@Nullable AtomicLong counter, long count) {
    if (counter != null) {
      counter.addAndGet(count);
    }
  }

  /** By reason, zeros included. */
  Map<String, Long> incomplete() {
    Map<String, Long> counts = new TreeMap<>();
    incomplete.forEach((reason, count) -> counts.put(reason.wireName(), count.get()));
    return counts;
  }

  /** By rule, zeros included. */
  Map<String, Long> violations() {
    Map<String, Long> counts = new TreeMap<>();
    violations.forEach((rule, count) -> counts.put(rule.wireName(), count.get()));
    return counts;
  }
}
