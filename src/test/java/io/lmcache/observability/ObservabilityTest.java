package io.lmcache.observability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.CustomEvent;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.ObjectKey;
import io.lmcache.observability.testing.OtlpReceiver;
import io.lmcache.observability.testing.OtlpReceiver.Transport;
import io.lmcache.observability.testing.Threads;
import io.lmcache.observability.testing.Totals;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ObservabilityTest {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final ObjectKey KEY = ObjectKey.of("m", "a", new byte[32], 0);

  private record Poke() implements CustomEvent {}

  private static ObservabilityConfig.Builder config(String... environment) {
    return ObservabilityConfig.builder()
        .environment(environment.length == 0 ? Map.of() : Map.of(environment[0], environment[1]))
        .systemProperties(Map.of());
  }

  private static Observability start(ObservabilityConfig.Builder config) {
    return Observability.builder().config(config.build()).start();
  }

  @Test
  void off_byAnyWay_opensNoPort_startsNoThread_exportsNothing() {
    int threads = Threads.named("lmcache-").size();
    InMemoryMetricReader reader = InMemoryMetricReader.create();
    try (Observability noop = Observability.noop();
        Observability off =
            Observability.builder()
                .config(config().enabled(false).build())
                .metricReader(reader)
                .start();
        Observability otelOff = start(config("OTEL_SDK_DISABLED", "true"))) {
      for (Observability observability : List.of(noop, off, otelOff)) {
        observability.l1().readFinished(List.of(KEY));
        observability.server().storeStarted("s", "d", "e", "m").ended(1, 1);
        assertThat(observability.sink().isEnabled()).isFalse();
        assertThat(observability.prometheusUri()).isEmpty();
        assertThat(observability.bus().statistics().published()).isZero();
        assertThat(observability.flush(SOON)).isTrue();
        observability.gauge("mine", "", "", () -> 1).close();
        assertThatIllegalStateException()
            .isThrownBy(() -> observability.prometheusPage(null))
            .withMessageContaining("off");
      }
      assertThat(reader.collectAllMetrics()).isEmpty();
      assertThat(Threads.named("lmcache-")).hasSize(threads);
    }
  }

  @Test
  void withAReader_noPortIsOpened_unlessItIsSet() {
    try (Observability quiet =
            Observability.builder()
                .config(config().build())
                .metricReader(InMemoryMetricReader.create())
                .start();
        Observability serving =
            Observability.builder()
                .config(config().prometheusPort(0).build())
                .metricReader(InMemoryMetricReader.create())
                .start()) {
      assertThat(quiet.prometheusUri()).isEmpty();
      assertThat(quiet.prometheusPage(null).text()).contains("lmcache_mp_event_bus_queue_depth");
      assertThat(serving.prometheusUri()).isPresent();
    }
  }

  @Test
  void tracing_withNowhereToGo_failsAtTheStart_withAllOtherFaults() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                start(
                    config("OTEL_METRICS_EXPORTER", "prometheus")
                        .tracing(true)
                        .dropAttributes("salt")))
        .withMessageContaining("tracing (code)")
        .withMessageContaining("OTEL_METRICS_EXPORTER")
        .withMessageContaining("dropAttributes (code)")
        .withMessageContaining("salt")
        .withMessageContaining("cache_salt");
  }

  @Test
  void tracing_besideAnInvalidSetting_isToldInTheSameMessage() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> config().maxQueueSize(0).tracing(true).build())
        .withMessageContaining("maxQueueSize (code)")
        .withMessageContaining("tracing (code)");
  }

  @Test
  void otelSettings_thatTheSdkRefuses_areAllShown_secretsMasked() {
    ObservabilityConfig wrong =
        ObservabilityConfig.builder()
            .environment(
                Map.of(
                    "OTEL_METRIC_EXPORT_INTERVAL", "soon",
                    "OTEL_EXPORTER_OTLP_COMPRESSION", "lzma",
                    "OTEL_EXPORTER_OTLP_HEADERS", "authorization=secret"))
            .systemProperties(Map.of())
            .otlpEndpoint("http://127.0.0.1:1")
            .build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Observability.builder().config(wrong).start())
        .withMessageContaining("OTEL_METRIC_EXPORT_INTERVAL=soon")
        .withMessageContaining("OTEL_EXPORTER_OTLP_COMPRESSION=lzma")
        .satisfies(fault -> assertThat(fault).hasMessageNotContaining("secret"));
  }

  @Test
  void openTelemetry_withWhatBelongsToIt_isRefusedByName() {
    ObservabilityConfig conflicting =
        config()
            .cardinalityLimit(10)
            .instanceId("kv-0")
            .resourceLabels("service.name")
            .otlpEndpoint("http://127.0.0.1:1")
            .prometheusPort(0)
            .build();
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                Observability.builder()
                    .config(conflicting)
                    .openTelemetry(OpenTelemetry.noop())
                    .metricReader(InMemoryMetricReader.create())
                    .start())
        .withMessageContaining("cardinalityLimit")
        .withMessageContaining("instanceId")
        .withMessageContaining("resourceLabels")
        .withMessageContaining("otlpEndpoint")
        .withMessageContaining("prometheusPort")
        .withMessageContaining("metricReader");
  }

  @Test
  void openTelemetry_handedIn_isUsed_andOnlyOurCallbacksAreClosed() {
    InMemoryMetricReader reader = InMemoryMetricReader.create();
    try (SdkMeterProvider provider =
        SdkMeterProvider.builder().registerMetricReader(reader).build()) {
      OpenTelemetry host = OpenTelemetrySdk.builder().setMeterProvider(provider).build();
      provider.get("host").counterBuilder("host").build().add(1);
      Observability observability =
          Observability.builder()
              .config(config("OTEL_METRICS_EXPORTER", "prometheus").build())
              .openTelemetry(host)
              .start();
      observability.l1().readFinished(List.of(KEY));
      observability.gauge("mine", "", "", () -> 1);
      assertThat(observability.flush(SOON)).isTrue();
      assertThat(Totals.of(reader.collectAllMetrics()))
          .containsEntry("lmcache_mp.l1_read", Map.of("{cache_salt=a}", 1.0))
          .containsKeys("mine", "host", "lmcache_mp.event_bus.queue_depth");
      observability.close();
      observability.gauge("late", "", "", () -> 1);
      assertThat(Totals.of(reader.collectAllMetrics()))
          .containsKey("host")
          .doesNotContainKeys("mine", "late", "lmcache_mp.event_bus.queue_depth");
    }
  }

  @Test
  void instanceIds_areRandomAndDifferent_unlessGiven() {
    try (Observability one = start(config().prometheusPort(0));
        Observability two = start(config().prometheusPort(0));
        Observability named = start(config().prometheusPort(0).instanceId("kv-0"))) {
      assertThat(UUID.fromString(one.instanceId())).isNotEqualTo(UUID.fromString(two.instanceId()));
      assertThat(named.instanceId()).isEqualTo("kv-0");
      assertThat(named.prometheusPage(null).text()).contains("service_instance_id=\"kv-0\"");
      assertThat(one.prometheusPage(null).text()).doesNotContain("kv-0");
    }
  }

  @ParameterizedTest
  @EnumSource
  void counts_readAgainAndAgain_stayAsTheyAre_onBothExporters(Transport transport)
      throws Exception {
    try (OtlpReceiver receiver = OtlpReceiver.start(transport);
        Observability observability =
            start(
                config(
                        "OTEL_EXPORTER_OTLP_PROTOCOL",
                        transport == Transport.GRPC ? "grpc" : "http/protobuf")
                    .otlpEndpoint(receiver.endpoint())
                    .prometheusPort(0))) {
      for (int count : new int[] {5, 3, 0}) {
        observability.l1().readFinished(java.util.Collections.nCopies(count, KEY));
      }
      for (int interval = 0; interval < 3; interval++) {
        assertThat(observability.flush(SOON)).isTrue();
        assertThat(receiver.total("lmcache_mp.l1_read", Map.of("cache_salt", "a"))).isEqualTo(8L);
        assertThat(observability.prometheusPage(null).text())
            .contains("lmcache_mp_l1_read_chunks_total{cache_salt=\"a\"} 8.0");
      }
    }
  }

  @Test
  void close_withASubscriberThatBlocks_stillExportsWhatWasCounted() throws Exception {
    CountDownLatch blocked = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    try (OtlpReceiver receiver = OtlpReceiver.start(Transport.HTTP)) {
      Observability observability =
          start(
              config("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
                  .otlpEndpoint(receiver.endpoint()));
      observability.l1().readFinished(List.of(KEY, KEY));
      assertThat(observability.bus().flush(SOON)).isTrue();
      observability
          .bus()
          .subscribe(
              Poke.class,
              "blocked",
              (poke, at) -> {
                blocked.countDown();
                Threads.await(release);
              });
      observability.sink().publish(new Poke());
      Threads.await(blocked);
      observability.l1().readFinished(List.of(KEY));
      assertThat(observability.close(Duration.ofSeconds(3))).isFalse();
      release.countDown();
      assertThat(receiver.total("lmcache_mp.l1_read", Map.of("cache_salt", "a"))).isEqualTo(2L);
      assertThat(receiver.total("lmcache_mp.event_bus.dropped_events_total", Map.of()))
          .isEqualTo(1L);
    }
  }

  @Test
  void close_byASubscriberAtWork_isRefused_andNothingIsLost() {
    InMemoryMetricReader reader = InMemoryMetricReader.create();
    try (Observability observability =
        Observability.builder().config(config().build()).metricReader(reader).start()) {
      AtomicReference<Boolean> closed = new AtomicReference<>();
      observability
          .bus()
          .subscribe(Poke.class, "closer", (poke, at) -> closed.set(observability.close(SOON)));
      observability.sink().publish(new Poke());
      observability.sink().publish(new L1Event.ReadFinished(List.of(KEY)));
      assertThat(observability.flush(SOON)).isTrue();
      assertThat(closed.get()).isFalse();
      assertThat(Totals.of(reader.collectAllMetrics()))
          .containsEntry("lmcache_mp.l1_read", Map.of("{cache_salt=a}", 1.0));
    }
  }

  @Test
  void close_byTwoAtOnceAndAgain_isQuiet() {
    for (int round = 0; round < 20; round++) {
      Observability observability = start(config().prometheusPort(0));
      observability.l1().readFinished(List.of(KEY));
      Threads.together(2, index -> observability.close());
      observability.close();
      assertThat(observability.sink().publish(new Poke())).isFalse();
    }
  }
}
