package io.lmcache.observability.bus;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what bad values cost, by reason; any thread may count and read. */
public final class RecordingErrors {

  /** Why something could not be recorded. */
  public enum Reason {
    /** An event was not made, because a field was null or out of range. */
    INVALID_FIELD,
    /** A value of an event, a key or a gauge was not usable. */
    INVALID_VALUE,
    /** A stream refused the callback of an event. */
    STREAM_FAILED;

    /** The value of the {@code reason} attribute. */
    public String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final Map<Reason, AtomicLong> counts = new EnumMap<>(Reason.class);

  RecordingErrors() {
    for (Reason reason : Reason.values()) {
      counts.put(reason, new AtomicLong());
    }
  }

  /** Counts one. */
  public void count(Reason reason) {
    counter(reason).incrementAndGet();
  }

  /** How many were counted for a reason. */
  public long of(Reason reason) {
    return counter(reason).get();
  }

  /** The counts by the reason's wire name, zeros included. */
  public Map<String, Long> byReason() {
    Map<String, Long> byReason = new TreeMap<>();
    counts.forEach((reason, count) -> byReason.put(reason.wireName(), count.get()));
    return byReason;
  }

  private AtomicLong counter(Reason reason) {
    AtomicLong counter = counts.get(reason);
    if (counter == null) {
      throw new IllegalArgumentException("no such reason: " + reason);
    }
    return counter;
  }
}
