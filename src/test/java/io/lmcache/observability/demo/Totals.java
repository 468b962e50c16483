package io.lmcache.observability.demo;

import java.util.Map;
import java.util.TreeMap;

/** Sums per metric and cache salt; a metric without that label has the salt {@code ""}. */
final class Totals {

  private final Map<String, Map<String, Long>> sums = new TreeMap<>();

  /** Adds to a sum; nothing is as good as not there. */
  void add(String metric, String salt, long amount) {
    if (amount != 0) {
      sums.computeIfAbsent(metric, name -> new TreeMap<>()).merge(salt, amount, Long::sum);
    }
  }

  /** The sum over all salts. */
  long total(String metric) {
    return sums.getOrDefault(metric, Map.of()).values().stream().mapToLong(Long::longValue).sum();
  }

  Map<String, Map<String, Long>> asMap() {
    return sums;
  }
}
