package io.lmcache.observability.catalog;

import java.util.Locale;
import java.util.Map;

/**
 * The name of a metric on the Prometheus page.
 *
 * <p>Dots and other signs become underscores, the unit's word ends the name, and a counter ends in
 * {@code _total}; nothing is put where it stands already.
 */
public final class PrometheusName {

  /** The words for the units that embedders use most; another unit leaves no trace in the name. */
  private static final Map<String, String> WORDS =
      Map.ofEntries(
          Map.entry("d", "days"),
          Map.entry("h", "hours"),
          Map.entry("min", "minutes"),
          Map.entry("s", "seconds"),
          Map.entry("ms", "milliseconds"),
          Map.entry("us", "microseconds"),
          Map.entry("ns", "nanoseconds"),
          Map.entry("By", "bytes"),
          Map.entry("1", "ratio"),
          Map.entry("%", "percent"));

  private PrometheusName() {}

  /** The name of a gauge of the embedder's own. */
  public static String ofGauge(String name, String unit) {
    return withWord(sanitized(name), word(unit));
  }

  /** The word that a unit ends the name of a gauge with; empty if it leaves no trace. */
  public static String word(String unit) {
    return WORDS.getOrDefault(unit, "");
  }

  static String of(String name, String word, boolean counter) {
    String base = sanitized(name);
    if (!counter) {
      return withWord(base, word);
    }
    String bare = base.endsWith("_total") ? base.substring(0, base.length() - 6) : base;
    return withWord(bare, word) + "_total";
  }

  private static String withWord(String base, String word) {
    return word.isEmpty() || base.endsWith("_" + word) ? base : base + "_" + word;
  }

  private static String sanitized(String name) {
    return name.replaceAll("[^a-zA-Z0-9_]", "_");
  }

  /** What two names must differ in to be told apart: SDK and page ignore case and signs. */
  public static String key(String prometheusName) {
    return prometheusName.toLowerCase(Locale.ROOT);
  }
}
