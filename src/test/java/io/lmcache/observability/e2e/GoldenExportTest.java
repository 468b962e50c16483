package io.lmcache.observability.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.Observability;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.testing.OtlpReceiver;
import io.lmcache.observability.testing.OtlpReceiver.Transport;
import io.lmcache.observability.testing.PrometheusText;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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

  /** A line of the contract's table, or one of the additions. */
  private record Row(
      String otel, String prometheus, String kind, String unit, Set<String> attributes) {

    String base() {
      return isCounter() ? prometheus.replaceAll("_total$", "") : prometheus;
    }

    boolean isCounter() {
      return kind.endsWith("Counter");
    }
  }

  private static final List<Row> ADDITIONS =
      List.of(
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
            .filter(cells -> !cells[2].equals("Histogram"))
            .map(c -> new Row(c[0], c[1], c[2], c[3], words(c[4])))
            .collect(Collectors.toList());
    assertThat(rows).hasSize(53);
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
            .build();
    Observability observability = Observability.builder().config(config).start();
    EveryMetric.move(observability);
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
        assertThat(page.types())
            .containsEntry(row.prometheus(), row.isCounter() ? "counter" : "gauge");
        assertThat(labels(page, row.prometheus())).containsExactly(row.attributes());
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
        assertThat(page.types()).containsEntry(row.base(), row.isCounter() ? "counter" : "gauge");
        assertThat(labels(page, row.prometheus())).containsExactly(row.attributes());
        if (Set.of("chunks", "tokens", "requests").contains(row.unit())) {
          assertThat(page.units()).containsEntry(row.base(), row.unit());
        }
      }
      assertThat(names(page)).isEqualTo(wanted());
    }
  }

  private static Set<String> wanted() throws IOException {
    return rows().stream().map(Row::prometheus).collect(Collectors.toCollection(TreeSet::new));
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

  private static Set<Set<String>> attributes(Metric metric) {
    List<NumberDataPoint> points =
        metric.hasSum()
            ? metric.getSum().getDataPointsList()
            : metric.getGauge().getDataPointsList();
    assertThat(points).isNotEmpty();
    return points.stream()
        .map(point -> new HashSet<>(OtlpReceiver.attributes(point.getAttributesList()).keySet()))
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
