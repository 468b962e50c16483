package io.lmcache.observability.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.Observability;
import io.lmcache.observability.catalog.MetricCatalog;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.testing.Distribution;
import io.lmcache.observability.testing.FakeClock;
import io.lmcache.observability.testing.OtlpReceiver;
import io.lmcache.observability.testing.OtlpReceiver.Transport;
import io.lmcache.observability.testing.PrometheusText;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every exported name, type, unit and label set against the contract's table. */
@SuppressWarnings("NullAway") // publishes null on purpose
class GoldenExportTest {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0";

  /** How the units of the table end a name, and so are spelled in OpenMetrics. */
  private static final Map<String, String> OPEN_METRICS_UNITS =
      Map.ofEntries(
          Map.entry("chunks", "chunks"),
          Map.entry("tokens", "tokens"),
          Map.entry("requests", "requests"),
          Map.entry("s", "seconds"),
          Map.entry("By", "bytes"),
          Map.entry("GB/s", "GBs"),
          Map.entry("1", "ratio"));

  /** A line of the contract's table, or one of the additions. */
  private record Row(
      String otel, String prometheus, String kind, String unit, Set<String> attributes) {

    String base() {
      return isCounter() ? prometheus.replaceAll("_total$", "") : prometheus;
    }

    boolean isCounter() {
      return kind.endsWith("Counter");
    }

    boolean isHistogram() {
      return kind.equals("Histogram");
    }

    /** The word in its TYPE line. */
    String type() {
      return isHistogram() ? "histogram" : isCounter() ? "counter" : "gauge";
    }

    /** The names that its samples have on the page, and the labels that go with each. */
    Map<String, Set<String>> samples() {
      if (!isHistogram()) {
        return Map.of(prometheus, attributes);
      }
      Set<String> withBound = new TreeSet<>(attributes);
      withBound.add("le");
      return Map.of(
          prometheus + "_bucket", withBound,
          prometheus + "_sum", attributes,
          prometheus + "_count", attributes);
    }

    /** The bounds that the catalogue gives its buckets. */
    List<Double> bounds() {
      return MetricCatalog.all().stream()
          .filter(metric -> metric.name().equals(otel))
          .findFirst()
          .orElseThrow()
          .buckets();
    }
  }

  private static final List<Row> ADDITIONS =
      List.of(
          new Row(
              "lmcache_mp.tracker_evictions",
              "lmcache_mp_tracker_evictions_total",
              "ObservableCounter",
              "",
              Set.of("tracker")),
          new Row(
              "lmcache_mp.recording_errors",
              "lmcache_mp_recording_errors_total",
              "ObservableCounter",
              "",
              Set.of("reason")),
          new Row(
              "lmcache_mp.event_bus.drops_by_type",
              "lmcache_mp_event_bus_drops_by_type_total",
              "ObservableCounter",
              "",
              Set.of("event_type")));

  private static List<Row> rows() throws IOException {
    List<Row> rows =
        Files.readAllLines(Path.of("src/test/resources/golden/metrics.tsv")).stream()
            .skip(1)
            .map(line -> line.split("\t", -1))
            .map(c -> new Row(c[0], c[1], c[2], c[3], words(c[4])))
            .collect(Collectors.toList());
    assertThat(rows).hasSize(66);
    rows.addAll(ADDITIONS);
    return rows;
  }

  private static Set<String> words(String cell) {
    return cell.isEmpty() ? Set.of() : new TreeSet<>(Arrays.asList(cell.split(",")));
  }

  private static Observability start(Map<String, String> environment) {
    ObservabilityConfig config =
        ObservabilityConfig.builder()
            .environment(environment)
            .systemProperties(Map.of())
            .prometheusPort(0)
            .sampleRate(1.0)
            .build();
    FakeClock clock = FakeClock.create();
    Observability observability = Observability.builder().config(config).clock(clock).start();
    EveryMetric.move(observability, clock);
    observability.sink().publish(null); // so that there is a drop
    return observability;
  }

  @Test
  void classicPage_hasTheTablesNamesTypesAndLabels_andNothingElse() throws IOException {
    try (Observability observability = start(Map.of())) {
      String text = observability.prometheusPage(null).text();
      assertThat(text).doesNotContain("# EOF").doesNotContain("otel_scope");
      PrometheusText page = PrometheusText.parse(text);
      for (Row row : rows()) {
        assertThat(page.types()).containsEntry(row.prometheus(), row.type());
        assertSamples(row, page);
      }
      assertThat(names(page)).isEqualTo(wanted());
    }
  }

  @Test
  void openMetricsPage_hasTheTablesNamesTypesUnitsAndLabels_andNothingElse() throws IOException {
    try (Observability observability = start(Map.of())) {
      String text = observability.prometheusPage(OPEN_METRICS).text();
      assertThat(text).endsWith("# EOF\n");
      PrometheusText page = PrometheusText.parse(text);
      for (Row row : rows()) {
        assertThat(page.types()).containsEntry(row.base(), row.type());
        assertSamples(row, page);
        assertThat(page.units().get(row.base()))
            .as(row.otel())
            .isEqualTo(OPEN_METRICS_UNITS.get(row.unit()));
      }
      assertThat(names(page)).isEqualTo(wanted());
    }
  }

  private static Set<String> wanted() throws IOException {
    return rows().stream()
        .flatMap(row -> row.samples().keySet().stream())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static void assertSamples(Row row, PrometheusText page) {
    row.samples()
        .forEach((name, labels) -> assertThat(labels(page, name)).as(name).containsExactly(labels));
    if (row.isHistogram()) {
      assertThat(Distribution.of(page, row.prometheus()).values())
          .as(row.otel())
          .allSatisfy(series -> assertIsWhole(row, series));
    }
  }

  private static void assertIsWhole(Row row, Distribution series) {
    assertThat(series.bounds()).isEqualTo(row.bounds());
    assertThat(series.count()).isPositive();
    assertThat(series.sum()).isPositive();
    assertThat(series.buckets()).hasSize(row.bounds().size() + 1).allMatch(n -> n >= 0);
    assertThat(series.buckets().stream().mapToLong(Long::longValue).sum())
        .isEqualTo(series.count());
  }

  private static Set<String> names(PrometheusText page) {
    return page.samples().stream()
        .map(PrometheusText.Sample::name)
        .filter(name -> name.startsWith("lmcache_"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<Set<String>> labels(PrometheusText page, String name) {
    return page.series(name).keySet().stream().map(Map::keySet).collect(Collectors.toSet());
  }

  @ParameterizedTest
  @EnumSource
  void otlp_hasTheTablesNamesTypesUnitsAndAttributes_andThePagesNumbers(Transport transport)
      throws IOException {
    try (OtlpReceiver receiver = OtlpReceiver.start(transport)) {
      Map<String, String> environment =
          Map.of(
              "OTEL_EXPORTER_OTLP_ENDPOINT",
              receiver.endpoint(),
              "OTEL_EXPORTER_OTLP_PROTOCOL",
              transport == Transport.GRPC ? "grpc" : "http/protobuf");
      try (Observability observability = start(environment)) {
        assertThat(observability.flush(SOON)).isTrue();
        PrometheusText page = PrometheusText.parse(observability.prometheusPage(null).text());
        Map<String, Metric> metrics = receiver.metrics();
        for (Row row : rows()) {
          assertThat(metrics).containsKey(row.otel());
          Metric metric = metrics.get(row.otel());
          assertThat(metric.getUnit()).as(row.otel()).isEqualTo(row.unit());
          assertThat(metric.hasSum()).as(row.otel()).isEqualTo(row.isCounter());
          assertThat(metric.hasHistogram()).as(row.otel()).isEqualTo(row.isHistogram());
          assertThat(attributes(metric)).as(row.otel()).containsExactly(row.attributes());
          assertNumbersAgree(row, page, receiver);
        }
        assertThat(metrics.keySet().stream().filter(name -> name.startsWith("lmcache")))
            .containsExactlyInAnyOrderElementsOf(rows().stream().map(Row::otel).toList());
        assertResource(receiver, observability);
      }
    }
  }

  private static void assertNumbersAgree(Row row, PrometheusText page, OtlpReceiver receiver) {
    if (row.otel().contains("event_bus.")) {
      return;
    }
    if (row.isHistogram()) {
      assertHistogramsAgree(row, page, receiver);
      return;
    }
    receiver
        .totals()
        .getOrDefault(row.otel(), Map.of())
        .forEach(
            (attributes, value) ->
                assertThat(page.series(row.prometheus()))
                    .as(row.otel())
                    .containsEntry(attributes, value.doubleValue()));
    assertThat(page.series(row.prometheus()))
        .hasSameSizeAs(receiver.totals().getOrDefault(row.otel(), Map.of()));
  }

  private static void assertHistogramsAgree(Row row, PrometheusText page, OtlpReceiver receiver) {
    Metric metric = receiver.metrics().get(row.otel());
    assertThat(metric.getHistogram().getAggregationTemporality())
        .isEqualTo(AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE);
    Map<Map<String, String>, Distribution> pushed = Distribution.of(metric);
    assertThat(pushed.values()).allSatisfy(series -> assertIsWhole(row, series));
    assertThat(pushed).as(row.otel()).isEqualTo(Distribution.of(page, row.prometheus()));
  }

  private static Set<Set<String>> attributes(Metric metric) {
    List<List<KeyValue>> points = new ArrayList<>();
    List<NumberDataPoint> numbers = new ArrayList<>(metric.getSum().getDataPointsList());
    numbers.addAll(metric.getGauge().getDataPointsList());
    numbers.forEach(point -> points.add(point.getAttributesList()));
    metric
        .getHistogram()
        .getDataPointsList()
        .forEach(point -> points.add(point.getAttributesList()));
    assertThat(points).isNotEmpty();
    return points.stream()
        .map(point -> new HashSet<>(OtlpReceiver.attributes(point).keySet()))
        .collect(Collectors.toSet());
  }

  private static void assertResource(OtlpReceiver receiver, Observability observability) {
    assertThat(receiver.resources())
        .isNotEmpty()
        .allSatisfy(
            resource ->
                assertThat(OtlpReceiver.attributes(resource.getAttributesList()))
                    .containsEntry("service.name", "lmcache-mp-server")
                    .containsEntry("service.instance.id", observability.instanceId()));
  }
}
