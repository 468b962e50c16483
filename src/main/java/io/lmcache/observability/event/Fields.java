package io.lmcache.observability.event;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a record accepts in a field; each refusal names the field as the contract spells it. */
final class Fields {

  /** The largest count that a double, and so every metric format, carries exactly. */
  static final long MAX_COUNT = 1L << 53;

  private Fields() {}

  static void notNull(String field, @Nullable Object value) {
    if (value == null) {
      throw new IllegalArgumentException(field + " is null");
    }
  }

  static void notEmpty(String field, @Nullable String value) {
    if (value == null || value.isEmpty()) {
      throw new IllegalArgumentException(field + " is " + (value == null ? "null" : "empty"));
    }
  }

  static void count(String field, long value) {
    if (value < 0 || value > MAX_COUNT) {
      throw new IllegalArgumentException(field + " is not in 0 … 2^53: " + value);
    }
  }

  static void index(String field, int value) {
    if (value < 0) {
      throw new IllegalArgumentException(field + " is negative: " + value);
    }
  }

  static void ratio(String field, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw new IllegalArgumentException(field + " is not in 0 … 1: " + value);
    }
  }

  /** The list itself when it is immutable, else a copy. */
  static <T> List<T> list(String field, @Nullable Collection<? extends T> values) {
    notNull(field, values);
    try {
      return List.copyOf(values);
    } catch (NullPointerException e) {
      throw new IllegalArgumentException(field + " contains null", e);
    }
  }

  /** The map itself when it is immutable, else a copy; each value a count. */
  static Map<String, Long> countPerSalt(String field, @Nullable Map<String, Long> counts) {
    notNull(field, counts);
    Map<String, Long> copy;
    try {
      copy = Map.copyOf(counts);
    } catch (NullPointerException e) {
      throw new IllegalArgumentException(field + " contains null", e);
    }
    copy.forEach((salt, count) -> count(field, count));
    return copy;
  }
}
