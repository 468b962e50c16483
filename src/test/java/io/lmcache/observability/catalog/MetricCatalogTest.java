package io.lmcache.observability.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.event.EventType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class MetricCatalogTest {

  private static final int MAX_BUCKETS = 20;

  @Test
  void rows_areTheContractsTable_toTheLetter() throws IOException {
    List<String> golden = Files.readAllLines(Path.of("src/test/resources/golden/metrics.tsv"));
    Set<List<Object>> wanted =
        golden.stream()
            .skip(1)
            .map(line -> line.split("\t", -1))
            .map(
                cells ->
                    List.<Object>of(
                        cells[0],
                        cells[1],
                        cells[2],
                        cells[3],
                        words(cells[4], ","),
                        cells[5].equals("callback") ? Set.of() : words(cells[5], " ")))
            .collect(Collectors.toSet());
    Set<List<Object>> rows =
        MetricCatalog.all().stream()
            .filter(row -> !row.additional())
            .map(
                row ->
                    List.<Object>of(
                        row.name(),
                        row.prometheusName(),
                        row.instrument().label(),
                        row.unit().otel(),
                        Set.copyOf(row.attributes()),
                        row.sources().stream()
                            .map(source -> EventType.of(source.event()).name())
                            .collect(Collectors.toSet())))
            .collect(Collectors.toSet());
    assertThat(golden).hasSize(67);
    assertThat(rows).isEqualTo(wanted);
  }

  private static Set<String> words(String cell, String separator) {
    return cell.isEmpty() ? Set.of() : new HashSet<>(Arrays.asList(cell.split(separator)));
  }

  @Test
  void additions_areThoseThatAreAgreed() {
    assertThat(MetricCatalog.all().stream().filter(Metric::additional).map(Metric::name))
        .isSubsetOf(
            "lmcache_mp.event_bus.drops_by_type",
            "lmcache_mp.tracker_evictions",
            "lmcache_mp.tracing.open_spans",
            "lmcache_mp.tracing.incomplete_spans",
            "lmcache_mp.tracing.dropped_spans",
            "lmcache_mp.contract_violations",
            "lmcache_mp.recording_errors");
  }

  @Test
  void names_areUnique_onBothSides() {
    assertThat(MetricCatalog.all().stream().map(Metric::name)).doesNotHaveDuplicates();
    assertThat(MetricCatalog.all().stream().map(Metric::prometheusName)).doesNotHaveDuplicates();
  }

  @Test
  void everyRow_saysWhatItIsAndWhatItAnswers() {
    assertThat(MetricCatalog.all())
        .allSatisfy(
            row -> {
              assertThat(row.description()).as(row.name()).endsWith(".");
              assertThat(row.question()).as(row.name()).isNotBlank();
              assertThat(row.calculation()).as(row.name()).isNotBlank();
            });
  }

  @Test
  void buckets_areFewAndRising_andHaveTheCap() {
    for (Metric row : MetricCatalog.all()) {
      assertThat(row.buckets().isEmpty()).isEqualTo(row.instrument() != Instrument.HISTOGRAM);
      assertThat(row.buckets()).hasSizeLessThanOrEqualTo(MAX_BUCKETS).isSorted();
      assertThat(row.buckets()).doesNotHaveDuplicates();
      if (row.unit() == Unit.SECONDS && row.instrument() == Instrument.HISTOGRAM) {
        assertThat(row.buckets()).startsWith(0.001).contains(300.0).endsWith(86_400.0);
      }
      if (row.unit() == Unit.GIGABYTES_PER_SECOND) {
        assertThat(row.buckets()).startsWith(0.01).endsWith(1_000.0);
      }
    }
  }

  @Test
  void sourcesOfARow_haveTheSameAttributes() {
    for (Metric row : MetricCatalog.all()) {
      row.sources().stream()
          .filter(source -> source.amount() != null)
          .forEach(
              source -> assertThat(source.attributes()).as(row.name()).isEqualTo(row.attributes()));
    }
  }

  @Test
  void gaugeNames_endInTheUnitOnce() {
    assertThat(PrometheusName.ofGauge("pool.size", "By")).isEqualTo("pool_size_bytes");
    assertThat(PrometheusName.ofGauge("pool_bytes", "By")).isEqualTo("pool_bytes");
    assertThat(PrometheusName.ofGauge("wait-time/max", "ms"))
        .isEqualTo("wait_time_max_milliseconds");
    assertThat(PrometheusName.ofGauge("jobs", "{jobs}")).isEqualTo("jobs");
    assertThat(PrometheusName.ofGauge("jobs", "")).isEqualTo("jobs");
  }
}
