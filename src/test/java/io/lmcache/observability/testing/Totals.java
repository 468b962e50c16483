package io.lmcache.observability.testing;

import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/** The numbers of an in-memory reader: by metric, by attributes. */
public final class Totals {

  private Totals() {}

  /** All points of counters and gauges; attributes as {@code {name=value, …}} in order of name. */
  public static Map<String, Map<String, Double>> of(Collection<MetricData> metrics) {
    Map<String, Map<String, Double>> totals = new TreeMap<>();
    for (MetricData metric : metrics) {
      Map<String, Double> points = totals.computeIfAbsent(metric.getName(), n -> new TreeMap<>());
      if (metric.getType() == MetricDataType.LONG_SUM) {
        metric
            .getLongSumData()
            .getPoints()
            .forEach(p -> points.put(text(p.getAttributes().asMap()), (double) p.getValue()));
      } else if (metric.getType() == MetricDataType.LONG_GAUGE) {
        metric
            .getLongGaugeData()
            .getPoints()
            .forEach(p -> points.put(text(p.getAttributes().asMap()), (double) p.getValue()));
      } else if (metric.getType() == MetricDataType.DOUBLE_GAUGE) {
        metric
            .getDoubleGaugeData()
            .getPoints()
            .forEach(p -> points.put(text(p.getAttributes().asMap()), p.getValue()));
      }
    }
    return totals;
  }

  private static String text(Map<?, ?> attributes) {
    Map<String, Object> sorted = new TreeMap<>();
    attributes.forEach((key, value) -> sorted.put(key.toString(), value));
    return sorted.toString();
  }
}
