package io.lmcache.observability;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.testing.PrometheusText;
import io.lmcache.observability.testing.Totals;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tracing as it is started: where the spans go. */
class TracingStartTest {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final AttributeKey<String> INCOMPLETE = AttributeKey.stringKey("incomplete");

  private final InMemorySpanExporter exporter = InMemorySpanExporter.create();

  private static ObservabilityConfig.Builder config(Map<String, String> environment) {
    return ObservabilityConfig.builder()
        .environment(environment)
        .systemProperties(Map.of())
        .tracing(true);
  }

  private static void request(Observability observability, String session) {
    observability.sink().publish(new ServerEvent.RequestStart(session));
    observability.server().storeStarted(session, "d", "e", "m").ended(1, 1);
    observability.sink().publish(new ServerEvent.RequestEnd(session));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void spanExporter_getsTheSpans_withoutMetricsToo(boolean metrics) {
    try (Observability observability =
        Observability.builder()
            .config(config(Map.of()).metrics(metrics).build())
            .servePrometheus(false)
            .spanExporter(exporter)
            .start()) {
      request(observability, "s");
      assertThat(observability.flush(SOON)).isTrue();
      assertThat(exporter.getFinishedSpanItems().stream().map(SpanData::getName))
          .containsExactly("mp.store", "request");
    }
  }

  @ParameterizedTest
  @CsvSource({"'', 65536", "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT, 50"})
  void longText_isCut_toTheLimitThatIsSet(String variable, int limit) {
    Map<String, String> environment = variable.isEmpty() ? Map.of() : Map.of(variable, "50");
    try (Observability observability =
        Observability.builder()
            .config(config(environment).build())
            .servePrometheus(false)
            .spanExporter(exporter)
            .start()) {
      request(observability, "s".repeat(100_000));
      assertThat(observability.flush(SOON)).isTrue();
      assertThat(exporter.getFinishedSpanItems())
          .hasSize(2)
          .allSatisfy(
              span ->
                  assertThat(span.getAttributes().get(AttributeKey.stringKey("session_id")))
                      .hasSize(limit));
    }
  }

  @Test
  void noTraceContext_andPropagatorsOfOthers_doNotMatter() {
    try (Observability observability =
        Observability.builder()
            .config(config(Map.of("OTEL_PROPAGATORS", "b3")).build())
            .servePrometheus(false)
            .spanExporter(exporter)
            .start()) {
      observability.server().requestStarted("s", null, null).ended();
      assertThat(observability.flush(SOON)).isTrue();
      assertThat(exporter.getFinishedSpanItems()).hasSize(1);
      assertThat(observability.bus().recordingErrors().byReason().values()).containsOnly(0L);
    }
  }

  @Test
  void off_noSpan_andNothingOfTracingOnThePage() {
    try (Observability observability =
        Observability.builder()
            .config(config(Map.of()).tracing(false).build())
            .servePrometheus(false)
            .spanExporter(exporter)
            .start()) {
      request(observability, "s");
      assertThat(observability.flush(SOON)).isTrue();
      assertThat(exporter.getFinishedSpanItems()).isEmpty();
      assertThat(observability.prometheusPage(null).text())
          .doesNotContain("lmcache_mp_tracing_")
          .doesNotContain("contract_violations")
          .doesNotContain("TracingSubscriber");
    }
  }

  @Test
  void openTelemetryOfTheEmbedders_getsTheSpans_andNobodyKnowsWhatItDrops() {
    InMemoryMetricReader reader = InMemoryMetricReader.create();
    try (SdkTracerProvider tracers =
            SdkTracerProvider.builder()
                .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                .build();
        SdkMeterProvider meters = SdkMeterProvider.builder().registerMetricReader(reader).build()) {
      Observability observability =
          Observability.builder()
              .config(config(Map.of()).build())
              .openTelemetry(
                  OpenTelemetrySdk.builder()
                      .setTracerProvider(tracers)
                      .setMeterProvider(meters)
                      .build())
              .start();
      request(observability, "s");
      observability.sink().publish(new ServerEvent.RequestStart("open"));
      assertThat(observability.flush(SOON)).isTrue();
      assertThat(exporter.getFinishedSpanItems()).hasSize(2);
      assertThat(Totals.of(reader.collectAllMetrics()))
          .containsEntry("lmcache_mp.tracing.open_spans", Map.of("{}", 1.0))
          .containsKeys("lmcache_mp.tracing.incomplete_spans", "lmcache_mp.contract_violations")
          .doesNotContainKey("lmcache_mp.tracing.dropped_spans");
      observability.close();
      assertThat(exporter.getFinishedSpanItems()).hasSize(3);
      assertThat(exporter.getFinishedSpanItems().get(2).getAttributes().get(INCOMPLETE))
          .isEqualTo("shutdown");
      assertThat(Totals.of(reader.collectAllMetrics()).keySet())
          .noneMatch(name -> name.startsWith("lmcache_mp.tracing"));
    }
  }

  @Test
  void hundredThousandRequestsThatNeverEnd_leaveAsManyOpenAsMayBe_andTheNextTenAreRight() {
    int requests = 100_000;
    ObservabilityConfig config =
        config(Map.of("OTEL_BSP_MAX_QUEUE_SIZE", "200000")).maxQueueSize(1_000_000).build();
    try (Observability observability =
        Observability.builder()
            .config(config)
            .servePrometheus(false)
            .spanExporter(exporter)
            .start()) {
      for (int i = 0; i < requests; i++) {
        observability.sink().publish(new ServerEvent.RequestStart("endless-" + i));
      }
      for (int i = 0; i < 10; i++) {
        request(observability, "right-" + i);
      }
      assertThat(observability.flush(SOON)).isTrue();
      PrometheusText page = PrometheusText.parse(observability.prometheusPage(null).text());
      double open =
          page.series("lmcache_mp_tracing_open_spans").values().iterator().next().doubleValue();
      assertThat(open).isBetween(9_980.0, 10_000.0);
      assertThat(page.series("lmcache_mp_tracing_incomplete_spans_total"))
          .containsEntry(Map.of("reason", "evicted"), requests - open);
      assertThat(page.series("lmcache_mp_tracing_dropped_spans_total")).containsValue(0.0);
      Map<Boolean, Long> whole =
          exporter.getFinishedSpanItems().stream()
              .collect(
                  Collectors.partitioningBy(
                      span -> span.getAttributes().get(INCOMPLETE) == null, Collectors.counting()));
      assertThat(whole).containsEntry(true, 20L).containsEntry(false, (long) (requests - open));
    }
  }
}
