package io.lmcache.observability.internal.export;

import static io.lmcache.observability.internal.export.ExportFixture.config;
import static io.lmcache.observability.internal.export.ExportFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lmcache.observability.catalog.Instrument;
import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.catalog.MetricCatalog;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PageTest {

  private Export export = Export.start(config().build(), List.of(), null, false);

  @AfterEach
  void close() {
    export.close(Duration.ofSeconds(5));
  }

  private void restart(Map<String, String> environment, String... resourceLabels) {
    close();
    export =
        Export.start(
            config(environment).resourceLabels(resourceLabels).build(), List.of(), null, false);
  }

  private void recordAll() {
    Meter meter = export.meter();
    for (Metric row : MetricCatalog.all()) {
      String unit = row.unit().otel();
      switch (row.instrument()) {
        case COUNTER -> meter.counterBuilder(row.name()).setUnit(unit).build().add(2);
        case OBSERVABLE_COUNTER ->
            meter
                .counterBuilder(row.name())
                .setUnit(unit)
                .buildWithCallback(result -> result.record(2));
        case OBSERVABLE_GAUGE ->
            meter
                .gaugeBuilder(row.name())
                .setUnit(unit)
                .buildWithCallback(result -> result.record(2));
        case HISTOGRAM ->
            meter
                .histogramBuilder(row.name())
                .setUnit(unit)
                .setExplicitBucketBoundariesAdvice(row.buckets())
                .build()
                .record(2);
      }
    }
  }

  /** Families by name, with their types, as the TYPE lines tell. */
  private static Map<String, String> families(String page) {
    Map<String, String> types = new TreeMap<>();
    page.lines()
        .filter(line -> line.startsWith("# TYPE "))
        .map(line -> line.split(" ", -1))
        .forEach(words -> types.put(words[2], words[3]));
    return types;
  }

  private static List<String> series(String page) {
    return Arrays.stream(page.split("\n", -1))
        .filter(line -> !line.isEmpty() && !line.startsWith("#"))
        .toList();
  }

  @Test
  void classicPage_everyRow_hasItsPrometheusName() {
    recordAll();
    Map<String, String> expected = new TreeMap<>(Map.of("target_info", "gauge"));
    for (Metric row : MetricCatalog.all()) {
      String type =
          row.instrument().isCounter()
              ? "counter"
              : row.instrument() == Instrument.HISTOGRAM ? "histogram" : "gauge";
      expected.put(row.prometheusName(), type);
    }
    String page = text(export);
    assertThat(families(page)).isEqualTo(expected);
    for (Metric row : MetricCatalog.all()) {
      String name = row.prometheusName();
      String sample = row.instrument() == Instrument.HISTOGRAM ? name + "_count 1" : name + " 2.0";
      assertThat(series(page)).contains(sample);
    }
    assertThat(page).doesNotContain("otel_scope").doesNotContain("# EOF").doesNotContain("NaN");
  }

  @Test
  void openMetricsPage_everyRow_hasTheSameSeriesAndItsUnit() {
    recordAll();
    String open = text(export, "application/openmetrics-text; version=1.0.0");
    String classic = text(export);
    assertThat(open).endsWith("# EOF\n");
    assertThat(series(open)).containsExactlyInAnyOrderElementsOf(series(classic));
    for (Metric row : MetricCatalog.all()) {
      String name = row.prometheusName();
      String family =
          row.instrument().isCounter()
              ? name.substring(0, name.length() - "_total".length())
              : name;
      String suffix = row.unit().suffix();
      if (!suffix.isEmpty()) {
        assertThat(open).contains("# UNIT " + family + " " + suffix + "\n");
      }
    }
  }

  @Test
  void targetInfo_byDefault_carriesNameAndRandomId() {
    recordAll();
    assertThat(text(export))
        .contains("target_info{service_instance_id=\"" + export.instanceId() + "\"")
        .contains("service_name=\"lmcache-mp-server\"");
    assertThat(export.instanceId()).hasSize(36);
  }

  @Test
  void resourceLabels_ifSet_standOnEverySeries() {
    restart(
        Map.of("OTEL_RESOURCE_ATTRIBUTES", "service.instance.id=kv-0,le=x"),
        "service.instance.id",
        "le");
    recordAll();
    assertThat(series(text(export)))
        .hasSizeGreaterThan(60)
        .allMatch(line -> line.contains("service_instance_id=\"kv-0\""));
  }

  @ParameterizedTest
  @CsvSource({
    "queue.length,'',queue_length",
    "a__b,'',a__b",
    "wait,s,wait_seconds",
    "wait_seconds,s,wait_seconds",
    "share,1,share_ratio",
    "size,By,size_bytes",
    "size,GiBy,size",
    "size_total,'',size_total",
    "build_info,'',build_info",
    "x_bucket,'',x_bucket",
    "load,'{weird}/x',load",
    "a/b-c.d,'',a_b_c_d",
  })
  void ownGauge_anyNameAndUnit_isCalledAsPromised(String name, String unit, String expected) {
    export.meter().gaugeBuilder(name).setUnit(unit).buildWithCallback(r -> r.record(7));
    export
        .meter()
        .gaugeBuilder("n." + name)
        .setUnit(unit)
        .ofLongs()
        .buildWithCallback(r -> r.record(7));
    for (String accept : new String[] {"text/plain", "application/openmetrics-text"}) {
      assertThat(series(text(export, accept)))
          .contains(expected + " 7.0", "n_" + expected + " 7.0");
    }
  }

  @Test
  void metricsThatConflict_share_costNoOther() {
    Meter meter = export.meter();
    meter.counterBuilder("good").build().add(1);
    meter.counterBuilder("c").setDescription("one").build().add(1);
    meter.counterBuilder("c").setDescription("two").build().add(2);
    meter.counterBuilder("d").build().add(1);
    meter.counterBuilder("d").ofDoubles().build().add(2);
    meter.counterBuilder("e.f").build().add(1);
    meter.counterBuilder("e_f").build().add(2, Attributes.of(AttributeKey.stringKey("k"), "v"));
    meter.counterBuilder("g").build().add(1);
    meter.gaugeBuilder("g_total").buildWithCallback(r -> r.record(2));
    meter.counterBuilder("negative").buildWithCallback(r -> r.record(-7));
    meter
        .counterBuilder("labels")
        .buildWithCallback(
            r -> {
              r.record(1, Attributes.of(AttributeKey.stringKey("a.b"), "x"));
              r.record(1, Attributes.of(AttributeKey.stringKey("a_b"), "x"));
            });
    meter.histogramBuilder("h").build().record(1, Attributes.of(AttributeKey.stringKey("le"), "x"));
    for (String accept : new String[] {"text/plain", "application/openmetrics-text"}) {
      List<String> series = series(text(export, accept));
      assertThat(series).contains("good_total 1.0", "e_f_total{k=\"v\"} 2.0");
      assertThat(series.stream().map(line -> line.substring(0, line.lastIndexOf(' '))))
          .doesNotHaveDuplicates()
          .noneMatch(line -> line.startsWith("negative"));
    }
  }

  @Test
  void metricsOfOtherScopes_areNotOnThePage() {
    recordAll();
    assertThat(text(export)).doesNotContain("otel_sdk").doesNotContain("queueSize");
  }

  @Test
  void names_ofFamiliesAndSamples_select() {
    recordAll();
    Set<String> names =
        Set.of("lmcache_mp_l1_read_chunks_total", "lmcache_mp_l1_chunk_lifetime_seconds_bucket");
    String page = new String(export.page(null, names).body(), StandardCharsets.UTF_8);
    assertThat(families(page).keySet())
        .containsExactly("lmcache_mp_l1_chunk_lifetime_seconds", "lmcache_mp_l1_read_chunks_total");
    assertThat(export.page(null, Set.of("nope")).body()).isEmpty();
  }

  @Test
  void labelValues_withSpecialCharacters_areEscaped() {
    Attributes salt = Attributes.of(AttributeKey.stringKey("cache_salt"), "a\"b\\c\nd😀");
    export.meter().counterBuilder("c").build().add(1, salt);
    assertThat(text(export)).contains("c_total{cache_salt=\"a\\\"b\\\\c\\nd😀\"} 1.0");
  }

  @Test
  void page_withoutMetricsOrWithAnEmbeddersTelemetry_saysWhy() {
    Export off = Export.start(config().metrics(false).build(), List.of(), null, true);
    assertThatThrownBy(() -> off.page(null, Set.of()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("metrics are off");
    assertThat(off.prometheusUri()).isNull();
    assertThat(off.close(Duration.ofSeconds(1))).isTrue();

    OpenTelemetry theirs = OpenTelemetrySdk.builder().build();
    Export wrapped = Export.of(theirs);
    assertThatThrownBy(() -> wrapped.page(null, Set.of()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("OpenTelemetry that was handed in");
    assertThat(wrapped.flush(Duration.ofSeconds(1))).isTrue();
    assertThat(wrapped.close(Duration.ofSeconds(1))).isTrue();
  }

  @Test
  void cardinalityLimit_bites_onThePage() {
    close();
    export = Export.start(config().cardinalityLimit(3).build(), List.of(), null, false);
    for (int i = 0; i < 10; i++) {
      Attributes one = Attributes.of(AttributeKey.stringKey("k"), "v" + i);
      export.meter().counterBuilder("c").build().add(1, one);
    }
    assertThat(series(text(export)).stream().filter(line -> line.startsWith("c_total")))
        .hasSize(3)
        .contains("c_total{otel_metric_overflow=\"true\"} 8.0");
  }
}
