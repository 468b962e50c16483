package io.lmcache.observability.internal.export;

import static io.lmcache.observability.internal.export.ExportFixture.config;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.testing.OtlpReceiver;
import io.lmcache.observability.testing.OtlpReceiver.Transport;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PushTest {

  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  @AfterEach
  void noThreads() {
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() -> assertThat(ExportFixture.ourThreads()).isEmpty());
  }

  private static ObservabilityConfig.Builder pushing(
      Transport transport, String endpoint, String... more) {
    Map<String, String> environment = new HashMap<>();
    environment.put("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint);
    if (transport == Transport.HTTP) {
      environment.put("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf");
    }
    for (int i = 0; i < more.length; i += 2) {
      environment.put(more[i], more[i + 1]);
    }
    return config(environment);
  }

  private static Export start(ObservabilityConfig.Builder config) {
    return Export.start(config.build(), List.of(), null, true);
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void close_atOnce_deliversTheTotals(Transport transport) throws IOException {
    try (OtlpReceiver receiver = OtlpReceiver.start(transport)) {
      Export export = start(pushing(transport, receiver.endpoint()).tracing(true));
      LongCounter counter =
          export.meter().counterBuilder("lmcache_mp.l1_read").setUnit("chunks").build();
      for (int i = 0; i < 1000; i++) {
        counter.add(1);
      }
      export.tracerProvider().get("t").spanBuilder("s").startSpan().end();
      // What exporters and processors count about themselves would come with the second export.
      assertThat(export.flush(TIMEOUT)).isTrue();
      counter.add(1);
      assertThat(export.close(TIMEOUT)).isTrue();
      assertThat(receiver.total("lmcache_mp.l1_read", Map.of())).isEqualTo(1001L);
      var metric = Objects.requireNonNull(receiver.metrics().get("lmcache_mp.l1_read"));
      assertThat(metric.getUnit()).isEqualTo("chunks");
      assertThat(metric.getSum().getAggregationTemporality())
          .isEqualTo(AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE);
      assertThat(receiver.metrics()).containsOnlyKeys("lmcache_mp.l1_read");
      assertThat(receiver.spans())
          .singleElement()
          .satisfies(s -> assertThat(s.getName()).isEqualTo("s"));
      assertThat(receiver.resources())
          .allSatisfy(
              resource ->
                  assertThat(OtlpReceiver.attributes(resource.getAttributesList()))
                      .containsEntry("service.name", "lmcache-mp-server")
                      .containsEntry("service.instance.id", export.instanceId()));
      assertThat(GlobalOpenTelemetry.isSet()).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void close_withAnExportInFlight_deliversTheTotals(Transport transport) throws IOException {
    try (OtlpReceiver receiver = OtlpReceiver.start(transport)) {
      receiver.delay(Duration.ofMillis(700));
      Export export = start(pushing(transport, receiver.endpoint()));
      LongCounter counter = export.meter().counterBuilder("c").build();
      counter.add(400);
      CompletableFuture<Boolean> earlier =
          CompletableFuture.supplyAsync(() -> export.flush(TIMEOUT));
      await().until(() -> receiver.requests() == 1);
      counter.add(600);
      assertThat(export.close(TIMEOUT)).isTrue();
      assertThat(receiver.total("c", Map.of())).isEqualTo(1000L);
      assertThat(earlier.join()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void close_withASilentCollector_isBoundedAndSaysSo(Transport transport) throws IOException {
    try (OtlpReceiver receiver = OtlpReceiver.start(transport);
        ExportFixture.Log log = new ExportFixture.Log()) {
      receiver.neverAnswer();
      Export export = start(pushing(transport, receiver.endpoint()).tracing(true));
      export.meter().counterBuilder("c").build().add(1);
      export.tracerProvider().get("t").spanBuilder("s").startSpan().end();
      long start = System.nanoTime();
      CompletableFuture<Boolean> other =
          CompletableFuture.supplyAsync(() -> export.close(Duration.ofSeconds(3)));
      assertThat(export.close(Duration.ofSeconds(3))).isFalse();
      assertThat(other.join()).isFalse();
      assertThat(export.close(Duration.ofSeconds(3))).isFalse();
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(3500));
      List<String> lines =
          log.lines("WARN").stream().filter(line -> line.startsWith("Close gave up")).toList();
      assertThat(lines)
          .singleElement()
          .asString()
          .contains("metrics to " + receiver.endpoint(), "spans to " + receiver.endpoint());
    }
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void close_withoutACollector_isBoundedAndSaysSo(Transport transport) throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Export export = start(pushing(transport, "http://127.0.0.1:" + port));
    export.meter().counterBuilder("c").build().add(1);
    long start = System.nanoTime();
    Thread.currentThread().interrupt();
    assertThat(export.close(Duration.ofSeconds(3))).isFalse();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(3500));
  }

  @Test
  void close_withoutTime_doesNotWait() throws IOException {
    try (OtlpReceiver receiver = OtlpReceiver.start(Transport.HTTP)) {
      receiver.neverAnswer();
      Export export = start(pushing(Transport.HTTP, receiver.endpoint()).prometheusPort(0));
      export.meter().counterBuilder("c").build().add(1);
      long start = System.nanoTime();
      assertThat(export.close(Duration.ZERO)).isFalse();
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(300));
    }
  }

  @Test
  void close_afterARefusal_triesAgain() throws IOException {
    try (OtlpReceiver receiver = OtlpReceiver.start(Transport.HTTP)) {
      receiver.answer(404);
      Export export = start(pushing(Transport.HTTP, receiver.endpoint()));
      export.meter().counterBuilder("c").build().add(5);
      CompletableFuture<Boolean> close = CompletableFuture.supplyAsync(() -> export.close(TIMEOUT));
      await().pollInterval(Duration.ofMillis(1)).until(() -> receiver.requests() >= 1);
      receiver.answer(200);
      assertThat(close.join()).isTrue();
      assertThat(receiver.total("c", Map.of())).isEqualTo(5L);
    }
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void collector_thatComesLate_getsTheWholeTotals(Transport transport) throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    try (ExportFixture.Log log = new ExportFixture.Log()) {
      Export export =
          start(
              pushing(
                  transport,
                  "http://127.0.0.1:" + port,
                  "OTEL_METRIC_EXPORT_INTERVAL",
                  "200",
                  "OTEL_JAVA_EXPORTER_OTLP_RETRY_DISABLED",
                  "true"));
      LongCounter counter = export.meter().counterBuilder("c").build();
      counter.add(1);
      await().until(() -> !log.lines("WARN").isEmpty());
      counter.add(2);
      try (OtlpReceiver receiver = OtlpReceiver.start(transport, port)) {
        await().until(() -> Long.valueOf(3).equals(receiver.total("c", Map.of())));
        await().until(() -> !log.lines("INFO").isEmpty());
        assertThat(log.lines("WARN"))
            .singleElement()
            .asString()
            .contains("The push of metrics to http://127.0.0.1:" + port);
        assertThat(export.close(TIMEOUT)).isTrue();
        assertThat(log.lines("INFO")).hasSize(1);
      }
    }
  }

  @Test
  void exportThatIsSlow_neverOverwritesNewerTotals() throws IOException {
    try (OtlpReceiver receiver = OtlpReceiver.start(Transport.HTTP)) {
      receiver.delay(Duration.ofMillis(800));
      Export export =
          start(pushing(Transport.HTTP, receiver.endpoint(), "OTEL_METRIC_EXPORT_INTERVAL", "50"));
      LongCounter counter = export.meter().counterBuilder("c").build();
      counter.add(1);
      await().until(() -> receiver.requests() == 1);
      counter.add(1);
      await().until(() -> receiver.total("c", Map.of()) != null);
      receiver.delay(Duration.ZERO);
      counter.add(1);
      assertThat(export.close(TIMEOUT)).isTrue();
      assertThat(receiver.total("c", Map.of())).isEqualTo(3L);
    }
  }
}
