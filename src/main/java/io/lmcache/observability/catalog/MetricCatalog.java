package io.lmcache.observability.catalog;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All rows. */
public final class MetricCatalog {

  private static final List<Metric> ALL =
      Stream.of(L1Metrics.TABLE, L2Metrics.TABLE, ServerMetrics.TABLE, BlendMetrics.TABLE)
          .flatMap(table -> table.rows().stream())
          .toList();

  private MetricCatalog() {}

  /** All rows, the additions to the contract's table included. */
  public static List<Metric> all() {
    return ALL;
  }

  /** The names of all attributes. */
  public static Set<String> attributes() {
    return ALL.stream().flatMap(row -> row.attributes().stream()).collect(Collectors.toSet());
  }
}
