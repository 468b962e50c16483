package io.lmcache.observability.internal.export;

import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.catalog.MetricCatalog;
import io.lmcache.observability.catalog.PrometheusName;
import io.lmcache.observability.internal.support.Warnings;
import io.opentelemetry.exporter.prometheus.PrometheusMetricReader;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.metrics.export.CollectionRegistration;
import io.opentelemetry.sdk.metrics.export.MetricReader;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.Unit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the metrics of our own scope for the Prometheus page, under the names of the catalogue.
 *
 * <p>Any threads may read at the same time. Each metric is converted by itself: one that cannot be
 * shown is left out, with one warning, and costs no other. Of two metrics under one name the first
 * keeps it; the other adds those of its series that the first does not have, if it is of the same
 * kind.
 */
final class PageReader implements MetricReader {

  private static final Map<String, Metric> ROWS =
      MetricCatalog.all().stream().collect(Collectors.toMap(Metric::name, Function.identity()));

  private static final String TOTAL = "_total";

  /** Labels that the formats use themselves. */
  private static final Set<String> RESERVED = Set.of("le", "quantile");

  private final String scope;
  private final Predicate<String> resourceLabels;
  private final Warnings warnings;
  private volatile CollectionRegistration source = CollectionRegistration.noop();

  PageReader(String scope, Set<String> resourceLabels, Warnings warnings) {
    this.scope = scope;
    this.resourceLabels = name -> resourceLabels.contains(name) && !RESERVED.contains(name);
    this.warnings = warnings;
  }

  /** The metrics now; only those of which a name is given, if any is. */
  MetricSnapshots read(Set<String> names) {
    Single single = new Single();
    PrometheusMetricReader plain = converter(single, false);
    Map<String, MetricSnapshot> page = new TreeMap<>();
    MetricSnapshot target = null;
    for (MetricData metric : source.collectAllMetrics()) {
      if (!metric.getInstrumentationScopeInfo().getName().equals(scope)) {
        continue;
      }
      single.metric = metric;
      for (MetricSnapshot converted : convert(plain, metric)) {
        add(page, named(converted, metric));
      }
      if (target == null) {
        target = target(single, metric);
      }
    }
    if (target != null) {
      page.keySet().removeAll(Set.of("target", "target_info"));
      page.put(familyName(target), target);
    }
    page.values().removeIf(family -> !isAsked(family, names));
    return new MetricSnapshots(page.values());
  }

  private PrometheusMetricReader converter(Single single, boolean targetInfo) {
    PrometheusMetricReader reader =
        PrometheusMetricReader.builder()
            .setOtelScopeLabelsEnabled(false)
            .setTargetInfoMetricEnabled(targetInfo)
            .setAllowedResourceAttributesFilter(resourceLabels)
            .build();
    reader.register(single);
    return reader;
  }

  private MetricSnapshots convert(PrometheusMetricReader converter, MetricData metric) {
    try {
      return converter.collect();
    } catch (RuntimeException e) {
      String name = metric.getName();
      warnings.once("page:" + name, "Metric " + name + " cannot be shown on the page", e);
      return MetricSnapshots.of();
    }
  }

  private @Nullable MetricSnapshot target(Single single, MetricData metric) {
    for (MetricSnapshot snapshot : convert(converter(single, true), metric)) {
      if (snapshot instanceof InfoSnapshot) {
        return snapshot;
      }
    }
    return null;
  }

  private static MetricSnapshot named(MetricSnapshot snapshot, MetricData metric) {
    Metric row = ROWS.get(metric.getName());
    if (row != null) {
      String name = row.prometheusName();
      String base = snapshot instanceof CounterSnapshot ? withoutTotal(name) : name;
      return renamed(snapshot, metadata(base, row.unit().suffix(), metric));
    }
    if (metric.getType() == MetricDataType.DOUBLE_GAUGE
        || metric.getType() == MetricDataType.LONG_GAUGE) {
      String unit = metric.getUnit();
      String name = PrometheusName.ofGauge(metric.getName(), unit);
      return renamed(snapshot, metadata(name, PrometheusName.word(unit), metric));
    }
    return snapshot;
  }

  private static MetricMetadata metadata(String name, String word, MetricData metric) {
    boolean ends = !word.isEmpty() && name.endsWith("_" + word);
    Unit unit = ends ? new Unit(word) : null;
    return MetricMetadata.builder().name(name).help(metric.getDescription()).unit(unit).build();
  }

  private static MetricSnapshot renamed(MetricSnapshot snapshot, MetricMetadata metadata) {
    return rebuilt(snapshot, metadata, snapshot.getDataPoints());
  }

  @SuppressWarnings("unchecked") // the points are those of the snapshot's own kind
  private static MetricSnapshot rebuilt(
      MetricSnapshot kind, MetricMetadata metadata, List<? extends DataPointSnapshot> points) {
    if (kind instanceof CounterSnapshot) {
      return new CounterSnapshot(
          metadata, (Collection<CounterSnapshot.CounterDataPointSnapshot>) points);
    }
    if (kind instanceof GaugeSnapshot) {
      return new GaugeSnapshot(metadata, (Collection<GaugeSnapshot.GaugeDataPointSnapshot>) points);
    }
    if (kind instanceof HistogramSnapshot) {
      return new HistogramSnapshot(
          metadata, (Collection<HistogramSnapshot.HistogramDataPointSnapshot>) points);
    }
    return kind;
  }

  private void add(Map<String, MetricSnapshot> page, MetricSnapshot snapshot) {
    String name = familyName(snapshot);
    MetricSnapshot first = page.get(name);
    boolean hasRival = hasRival(page, snapshot, name);
    if (first == null && !hasRival) {
      page.put(name, snapshot);
      return;
    }
    warnings.once("page twice:" + name, "Two metrics are called " + name + " on the page");
    if (first == null || hasRival || first.getClass() != snapshot.getClass()) {
      return;
    }
    Set<Labels> taken = new HashSet<>();
    List<DataPointSnapshot> points = new ArrayList<>(first.getDataPoints());
    points.forEach(point -> taken.add(point.getLabels()));
    snapshot.getDataPoints().stream()
        .filter(point -> taken.add(point.getLabels()))
        .forEach(points::add);
    page.put(name, rebuilt(first, first.getMetadata(), points));
  }

  /** Whether a counter's samples are called like a family that is no counter, or the reverse. */
  private static boolean hasRival(
      Map<String, MetricSnapshot> page, MetricSnapshot snapshot, String name) {
    if (snapshot instanceof CounterSnapshot) {
      return page.containsKey(name + TOTAL);
    }
    return name.endsWith(TOTAL) && page.get(withoutTotal(name)) instanceof CounterSnapshot;
  }

  private static String withoutTotal(String name) {
    return name.substring(0, name.length() - TOTAL.length());
  }

  private static boolean isAsked(MetricSnapshot family, Set<String> names) {
    String name = familyName(family);
    return names.isEmpty() || suffixes(family).stream().anyMatch(end -> names.contains(name + end));
  }

  private static List<String> suffixes(MetricSnapshot family) {
    if (family instanceof CounterSnapshot) {
      return List.of("", TOTAL);
    }
    if (family instanceof HistogramSnapshot) {
      return List.of("", "_bucket", "_count", "_sum");
    }
    return family instanceof InfoSnapshot ? List.of("", "_info") : List.of("");
  }

  private static String familyName(MetricSnapshot snapshot) {
    return snapshot.getMetadata().getPrometheusName();
  }

  @Override
  public void register(CollectionRegistration registration) {
    source = registration;
  }

  @Override
  public AggregationTemporality getAggregationTemporality(InstrumentType instrumentType) {
    return AggregationTemporality.CUMULATIVE;
  }

  @Override
  public CompletableResultCode forceFlush() {
    return CompletableResultCode.ofSuccess();
  }

  @Override
  public CompletableResultCode shutdown() {
    return CompletableResultCode.ofSuccess();
  }

  /** Feeds the converter one metric at a time; used by one thread. */
  private static final class Single implements CollectionRegistration {

    private @Nullable MetricData metric;

    @Override
    public Collection<MetricData> collectAllMetrics() {
      MetricData only = metric;
      return only == null ? List.of() : List.of(only);
    }
  }
}
