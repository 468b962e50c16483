package io.lmcache.observability.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SettingTest {

  @Test
  void rows_asTable_holdTheContract() {
    List<String> table = new ArrayList<>();
    for (Setting<?> row : Setting.all()) {
      String flag = row.flagArgument() == null ? row.flag() : row.flag() + " " + row.flagArgument();
      table.add(
          String.join(
              "|", row.signature(), String.valueOf(flag), row.property(), row.defaultText()));
    }
    String p = "lmcache.observability.";
    assertThat(table)
        .containsExactly(
            "enabled(boolean)|--disable-observability|" + p + "enabled|true",
            "metrics(boolean)|--disable-metrics|" + p + "metrics.enabled|true",
            "logging(boolean)|--disable-logging|" + p + "logging.enabled|true",
            "summaryInterval(Duration)|--summary-interval D|" + p + "logging.summary.interval|0s",
            "tracing(boolean)|--enable-tracing|" + p + "tracing.enabled|false",
            "maxQueueSize(int)|--event-bus-queue-size N|" + p + "queue.size|10000",
            "sampleRate(double)|--metrics-sample-rate R|" + p + "metrics.sample.rate|0.01",
            "maxTrackedChunks(int)|--max-tracked-chunks N|" + p + "metrics.tracked.chunks|1000000",
            "maxReuseChunks(int)|--max-reuse-chunks N|" + p + "metrics.reuse.chunks|1000000",
            "maxReuseSalts(int)|--max-reuse-salts N|" + p + "metrics.reuse.salts|100000",
            "maxTrackedBlocks(int)|--max-tracked-blocks N|" + p + "metrics.tracked.blocks|1000000",
            "maxOpenPairs(int)|--max-open-pairs N|" + p + "metrics.open.pairs|100000",
            "pairTimeout(Duration)|--pair-timeout D|" + p + "metrics.pair.timeout|10m",
            "maxOpenSpans(int)|--max-open-spans N|" + p + "tracing.open.spans|10000",
            "openSpanTimeout(Duration)|--open-span-timeout D|" + p + "tracing.open.span.timeout|1h",
            "otlpEndpoint(String)|--otlp-endpoint URL|" + p + "otlp.endpoint|none",
            "prometheusHost(String)|--prometheus-host H|" + p + "prometheus.host|localhost",
            "prometheusPort(int)|--prometheus-port P|" + p + "prometheus.port|9464",
            "instanceId(String)|--instance-id ID|"
                + p
                + "instance.id|a random UUID, one per Observability",
            "dropAttributes(String...)|--drop-attribute NAME|" + p + "metrics.drop.attributes|none",
            "cardinalityLimit(int)|--cardinality-limit N|" + p + "metrics.cardinality.limit|2000",
            "resourceLabels(String...)|--resource-label NAME|"
                + p
                + "prometheus.resource.labels|none",
            "closeTimeout(Duration)|null|" + p + "close.timeout|5s");
  }

  @Test
  void rows_againstBuilder_areItsSettersAndAccessors() {
    Set<String> inputs = Set.of("environment", "systemProperties");
    List<String> setters = new ArrayList<>();
    for (Method method : ObservabilityConfig.Builder.class.getDeclaredMethods()) {
      boolean returnsBuilder = method.getReturnType() == ObservabilityConfig.Builder.class;
      if (Modifier.isPublic(method.getModifiers())
          && returnsBuilder
          && !inputs.contains(method.getName())) {
        String type = method.getParameterTypes()[0].getSimpleName().replace("[]", "...");
        setters.add(method.getName() + "(" + type + ")");
      }
    }
    assertThat(setters)
        .containsExactlyInAnyOrderElementsOf(
            Setting.all().stream().map(Setting::signature).toList());
    assertThat(
            Arrays.stream(ObservabilityConfig.class.getDeclaredMethods())
                .map(Method::getName)
                .toList())
        .containsAll(Setting.all().stream().map(Setting::name).toList());
  }

  @Test
  void rows_inWords_areComplete() {
    assertThat(Setting.all())
        .allSatisfy(
            row -> {
              assertThat(row.meaning()).isNotBlank().doesNotContain("\n", "|");
              assertThat(row.accepted()).isNotBlank();
            });
    assertThat(Setting.MAX_QUEUE_SIZE.environmentVariable())
        .isEqualTo("LMCACHE_OBSERVABILITY_QUEUE_SIZE");
    assertThat(Setting.all().stream().filter(Setting::repeatable))
        .containsExactly(Setting.DROP_ATTRIBUTES, Setting.RESOURCE_LABELS);
    assertThat(Setting.all().stream().filter(row -> row.otelVariable() != null))
        .containsExactly(Setting.ENABLED, Setting.OTLP_ENDPOINT);
  }

  @Test
  void samples_areThereForEveryRow() {
    assertThat(SettingSamples.all().map(SettingSamples.Sample::setting).toList())
        .isEqualTo(Setting.all());
  }

  @Test
  void create_withNothingSet_givesDefaults() {
    ObservabilityConfig config =
        ObservabilityConfig.builder().environment(Map.of()).systemProperties(Map.of()).build();
    assertThat(config.enabled()).isTrue();
    assertThat(config.metrics()).isTrue();
    assertThat(config.logging()).isTrue();
    assertThat(config.summaryInterval()).isZero();
    assertThat(config.tracing()).isFalse();
    assertThat(config.maxQueueSize()).isEqualTo(10_000);
    assertThat(config.sampleRate()).isEqualTo(0.01);
    assertThat(config.otlpEndpoint()).isNull();
    assertThat(config.prometheusHost()).isEqualTo("localhost");
    assertThat(config.prometheusPort()).isEqualTo(9464);
    assertThat(config.instanceId()).isNull();
    assertThat(config.dropAttributes()).isEmpty();
    assertThat(config.cardinalityLimit()).isEqualTo(2000);
    assertThat(config.resourceLabels()).isEmpty();
    assertThat(config.closeTimeout()).hasSeconds(5);
    assertThat(config.metricsPush()).isNull();
    assertThat(config.tracesPush()).isNull();
    assertThat(config.otel()).isEmpty();
    assertThat(config.otelFaults()).isEmpty();
    assertThat(config.explicit()).isEmpty();
  }
}
