package io.lmcache.observability.testing;

import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.sdk.metrics.data.MetricData;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.assertj.core.api.recursive.comparison.RecursiveComparisonConfiguration;

/**
 * What one series of a histogram says, wherever it is read.
 *
 * @param bounds the upper bounds of the buckets, the last one's infinity left out
 * @param buckets how many samples each bucket holds by itself; one more than there are bounds
 */
public record Distribution(long count, double sum, List<Double> bounds, List<Long> buckets) {

  /** Compares what holds distributions; sums may differ by the order of their addition. */
  public static final RecursiveComparisonConfiguration UP_TO_ROUNDING =
      RecursiveComparisonConfiguration.builder()
          .withEqualsForType((a, b) -> Math.abs(a - b) <= 1e-9 * Math.abs(b), Double.class)
          .build();

  /** Of samples, counted one by one. */
  public static Distribution of(List<Double> samples, List<Double> bounds) {
    double sum = 0;
    long[] buckets = new long[bounds.size() + 1];
    for (double sample : samples) {
      sum += sample;
      int bucket = 0;
      while (bucket < bounds.size() && sample > bounds.get(bucket)) {
        bucket++;
      }
      buckets[bucket]++;
    }
    return new Distribution(samples.size(), sum, List.copyOf(bounds), list(buckets));
  }

  private static List<Long> list(long... numbers) {
    List<Long> list = new ArrayList<>();
    for (long number : numbers) {
      list.add(number);
    }
    return List.copyOf(list);
  }

  /** The series of a metric in memory, by attributes. */
  public static Map<Map<String, String>, Distribution> of(MetricData metric) {
    Map<Map<String, String>, Distribution> series = new HashMap<>();
    metric
        .getHistogramData()
        .getPoints()
        .forEach(
            point -> {
              Map<String, String> attributes = new TreeMap<>();
              point
                  .getAttributes()
                  .forEach((key, value) -> attributes.put(key.getKey(), value.toString()));
              series.put(
                  attributes,
                  new Distribution(
                      point.getCount(), point.getSum(), point.getBoundaries(), point.getCounts()));
            });
    return series;
  }

  /** The series of a metric that came over OTLP, by attributes. */
  public static Map<Map<String, String>, Distribution> of(Metric metric) {
    Map<Map<String, String>, Distribution> series = new HashMap<>();
    for (HistogramDataPoint point : metric.getHistogram().getDataPointsList()) {
      series.put(
          OtlpReceiver.attributes(point.getAttributesList()),
          new Distribution(
              point.getCount(),
              point.getSum(),
              List.copyOf(point.getExplicitBoundsList()),
              List.copyOf(point.getBucketCountsList())));
    }
    return series;
  }

  /**
   * The series of a metric on a page, by labels.
   *
   * @param name the name that {@code _bucket}, {@code _sum} and {@code _count} are added to
   */
  public static Map<Map<String, String>, Distribution> of(PrometheusText page, String name) {
    Map<Map<String, String>, NavigableMap<Double, Double>> upTo = new HashMap<>();
    page.series(name + "_bucket")
        .forEach(
            (labels, value) -> {
              Map<String, String> others = new TreeMap<>(labels);
              String bound = String.valueOf(others.remove("le")).replace("Inf", "Infinity");
              upTo.computeIfAbsent(others, unused -> new TreeMap<>())
                  .put(Double.valueOf(bound), value);
            });
    Map<Map<String, String>, Double> sums = page.series(name + "_sum");
    Map<Map<String, String>, Double> counts = page.series(name + "_count");
    Map<Map<String, String>, Distribution> series = new HashMap<>();
    counts.forEach(
        (labels, count) ->
            series.put(
                labels,
                of(
                    count.longValue(),
                    sums.getOrDefault(labels, Double.NaN),
                    upTo.getOrDefault(labels, new TreeMap<>()))));
    return series;
  }

  private static Distribution of(long count, double sum, NavigableMap<Double, Double> upTo) {
    List<Double> bounds = new ArrayList<>(upTo.keySet());
    bounds.remove(Double.POSITIVE_INFINITY);
    List<Long> buckets = new ArrayList<>();
    long below = 0;
    for (double samples : upTo.values()) {
      buckets.add((long) samples - below);
      below = (long) samples;
    }
    return new Distribution(count, sum, bounds, buckets);
  }
}
