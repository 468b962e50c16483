package io.lmcache.observability.internal.export;

import static io.lmcache.observability.internal.export.ExportFixture.config;
import static io.lmcache.observability.internal.export.ExportFixture.get;
import static io.lmcache.observability.internal.export.ExportFixture.ourThreads;
import static io.lmcache.observability.internal.export.ExportFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lmcache.observability.config.ObservabilityConfig;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.export.CollectionRegistration;
import io.opentelemetry.sdk.metrics.export.MetricReader;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ExportStartTest {

  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final String UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

  @BeforeEach
  @AfterEach
  void noThreads() {
    await().untilAsserted(() -> assertThat(ourThreads()).isEmpty());
  }

  @Test
  void port_taken_isNamedAndLeavesNothing() throws IOException {
    ObservabilityConfig config;
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      config = config().prometheusPort(port).otlpEndpoint("http://127.0.0.1:1").build();
      assertThatThrownBy(() -> Export.start(config, List.of(), null, true))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("prometheusPort (code): 127.0.0.1:" + port + " is in use");
      assertThat(ourThreads()).isEmpty();
    }
    Export export = Export.start(config, List.of(), null, true);
    assertThat(get(export, "/metrics").status()).isEqualTo(200);
    export.close(Duration.ZERO);
    Export again = Export.start(config, List.of(), null, true);
    again.close(Duration.ZERO);
  }

  @Test
  void host_unknownOrForeign_isNamed() {
    assertThatThrownBy(
            () ->
                Export.start(
                    config().prometheusHost("nope.invalid").build(), List.of(), null, true))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("prometheusHost (code): host \"nope.invalid\" is not known");
    assertThatThrownBy(
            () ->
                Export.start(
                    config().prometheusHost("203.0.113.1").prometheusPort(0).build(),
                    List.of(),
                    null,
                    true))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("prometheusHost (code)")
        .hasMessageContaining("203.0.113.1:0");
  }

  @Test
  void otelSetting_thatTheSdkRefuses_isNamedAndLeavesNothing() {
    ObservabilityConfig config =
        config(Map.of("OTEL_METRIC_EXPORT_INTERVAL", "often"))
            .prometheusPort(0)
            .otlpEndpoint("http://127.0.0.1:4317")
            .build();
    assertThatThrownBy(() -> Export.start(config, List.of(), null, true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("otel.metric.export.interval=often");
  }

  @Test
  void port_withReadersOrPush_isOpenOnlyIfSet() {
    List<MetricReader> readers = List.of(InMemoryMetricReader.create());
    Export unset = Export.start(config().build(), readers, null, true);
    assertThat(unset.prometheusUri()).isNull();
    assertThat(unset.close(TIMEOUT)).isTrue();

    readers = List.of(InMemoryMetricReader.create());
    Export set = Export.start(config().prometheusPort(0).build(), readers, null, true);
    assertThat(set.prometheusUri()).isNotNull();
    assertThat(set.close(TIMEOUT)).isTrue();

    Export pageOnly = Export.start(config().prometheusPort(0).build(), List.of(), null, false);
    assertThat(pageOnly.prometheusUri()).isNull();
    pageOnly.meter().counterBuilder("c").build().add(1);
    assertThat(text(pageOnly)).contains("c_total 1.0");
    assertThat(pageOnly.close(TIMEOUT)).isTrue();

    Export pushed =
        Export.start(config().otlpEndpoint("http://127.0.0.1:1").build(), List.of(), null, true);
    assertThat(pushed.prometheusUri()).isNull();
    pushed.close(Duration.ZERO);
  }

  @Test
  void uri_whenServing_isLogged() {
    try (ExportFixture.Log log = new ExportFixture.Log()) {
      Export export = ExportFixture.serving();
      assertThat(log.lines("INFO"))
          .containsExactly("Prometheus endpoint: " + export.prometheusUri());
      assertThat(export.close(TIMEOUT)).isTrue();
      assertThat(export.close(TIMEOUT)).isTrue();
      assertThat(log.lines("WARN")).isEmpty();
    }
  }

  @Test
  void readerInMemory_sees_allWithLimitAndResource() {
    InMemoryMetricReader reader = InMemoryMetricReader.create();
    Export export =
        Export.start(
            config(Map.of("OTEL_SERVICE_NAME", "mine")).cardinalityLimit(3).build(),
            List.of(reader),
            null,
            true);
    for (int i = 0; i < 10; i++) {
      Attributes one = Attributes.of(AttributeKey.stringKey("k"), "v" + i);
      export.meter().counterBuilder("c").setUnit("chunks").build().add(1, one);
    }
    assertThat(reader.collectAllMetrics())
        .singleElement()
        .satisfies(
            metric -> {
              assertThat(metric.getName()).isEqualTo("c");
              assertThat(metric.getLongSumData().getPoints()).hasSize(3);
              assertThat(metric.getInstrumentationScopeInfo().getName()).isEqualTo(Export.SCOPE);
              assertThat(metric.getResource().getAttribute(AttributeKey.stringKey("service.name")))
                  .isEqualTo("mine");
            });
    assertThat(export.close(TIMEOUT)).isTrue();
  }

  @Test
  void instanceId_fromEachSource_hasItsRank() {
    Map<String, String> theirs = Map.of("OTEL_RESOURCE_ATTRIBUTES", "service.instance.id=theirs");
    assertThat(idOf(config())).matches(UUID).isNotEqualTo(idOf(config()));
    assertThat(idOf(config(theirs))).isEqualTo("theirs");
    assertThat(idOf(config(theirs).instanceId("ours"))).isEqualTo("ours");
  }

  private static String idOf(ObservabilityConfig.Builder config) {
    Export export = Export.start(config.build(), List.of(), null, false);
    String id = export.instanceId();
    export.meter().counterBuilder("c").build().add(1);
    assertThat(text(export)).contains("service_instance_id=\"" + id + "\"");
    export.close(TIMEOUT);
    return id;
  }

  @Test
  void otelSettings_ofTheProcess_doNotCountBesideTheConfiguration() {
    System.setProperty("otel.service.name", "stray");
    System.setProperty("otel.metrics.exporter", "nonsense");
    System.setProperty("otel.sdk.disabled", "true");
    try {
      Export export = Export.start(config().build(), List.of(), null, false);
      export.meter().counterBuilder("c").build().add(1);
      assertThat(text(export)).contains("c_total 1.0", "service_name=\"lmcache-mp-server\"");
      export.close(TIMEOUT);
    } finally {
      System.clearProperty("otel.service.name");
      System.clearProperty("otel.metrics.exporter");
      System.clearProperty("otel.sdk.disabled");
    }
  }

  @Test
  void readerThatThrows_costsTheOthersNothing() {
    InMemoryMetricReader fine = InMemoryMetricReader.create();
    Export export = Export.start(config().build(), List.of(new Broken(), fine), null, false);
    export.meter().counterBuilder("c").build().add(1);
    try (ExportFixture.Log log = new ExportFixture.Log()) {
      assertThat(export.flush(TIMEOUT)).isFalse();
      assertThat(fine.collectAllMetrics()).hasSize(1);
      assertThat(export.close(TIMEOUT)).isFalse();
      assertThat(log.lines("WARN")).anyMatch(line -> line.contains("failed at its flush"));
    }
  }

  @Test
  void spanExporter_ofTheEmbedder_getsSpansOnlyWithTracing() {
    for (boolean tracing : new boolean[] {true, false}) {
      InMemorySpanExporter spans = InMemorySpanExporter.create();
      Export export = Export.start(config().tracing(tracing).build(), List.of(), spans, false);
      var span = export.tracerProvider().get("t").spanBuilder("s").startSpan();
      assertThat(span.getSpanContext().isValid()).isEqualTo(tracing);
      span.end();
      export.meter().counterBuilder("c").build().add(1);
      assertThat(export.flush(TIMEOUT)).isTrue();
      assertThat(spans.getFinishedSpanItems()).hasSize(tracing ? 1 : 0);
      assertThat(text(export)).doesNotContain("queueSize").doesNotContain("processedSpans");
      assertThat(export.close(TIMEOUT)).isTrue();
    }
  }

  @Test
  void globalTelemetry_isLeftAlone() {
    Export export = Export.start(config().build(), List.of(), null, false);
    assertThat(GlobalOpenTelemetry.isSet()).isFalse();
    export.close(TIMEOUT);
  }

  private static final class Broken implements MetricReader {

    @Override
    public void register(CollectionRegistration registration) {}

    @Override
    public AggregationTemporality getAggregationTemporality(InstrumentType type) {
      return AggregationTemporality.CUMULATIVE;
    }

    @Override
    public CompletableResultCode forceFlush() {
      throw new IllegalStateException("flush");
    }

    @Override
    public CompletableResultCode shutdown() {
      throw new IllegalStateException("shutdown");
    }
  }
}
