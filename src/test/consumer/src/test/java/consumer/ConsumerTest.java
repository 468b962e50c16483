package consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.lmcache.observability.Observability;
import io.lmcache.observability.config.ObservabilityConfig;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ConsumerTest {

  private static final Duration SOON = Duration.ofSeconds(10);

  private static List<MyKey> keys(int n) {
    return java.util.stream.IntStream.range(0, n)
        .mapToObj(i -> new MyKey("model", "tenant", new byte[] {(byte) i}, 0))
        .toList();
  }

  @Test
  void countsInMemory() {
    InMemoryMetricReader reader = InMemoryMetricReader.create();
    AtomicLong heard = new AtomicLong();
    try (Observability observability = Observability.builder().metricReader(reader).start()) {
      observability.bus().subscribe(CacheHit.class, "hits", (hit, at) -> heard.addAndGet(hit.chunks()));
      observability.l1().readFinished(keys(3));
      observability.sink().publish(new CacheHit(7));
      assertTrue(observability.flush(SOON));
      MetricData read =
          reader.collectAllMetrics().stream()
              .filter(metric -> metric.getName().equals("lmcache_mp.l1_read"))
              .findFirst()
              .orElseThrow();
      assertEquals(3, read.getLongSumData().getPoints().iterator().next().getValue());
      assertEquals(7, heard.get());
      assertTrue(observability.prometheusUri().isEmpty());
    }
  }

  @Test
  void servesThePage() throws Exception {
    ObservabilityConfig config = ObservabilityConfig.builder().prometheusPort(0).build();
    try (Observability observability = Observability.builder().config(config).start()) {
      observability.l1().readFinished(keys(2));
      assertTrue(observability.bus().flush(SOON));
      URI page = observability.prometheusUri().orElseThrow();
      HttpResponse<String> response =
          HttpClient.newHttpClient()
              .send(HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.ofString());
      assertTrue(
          response.body().contains("lmcache_mp_l1_read_chunks_total{cache_salt=\"tenant\"} 2.0"),
          response.body());
    }
  }

  @Test
  void pushesAgainAndAgain() throws Exception {
    AtomicLong pushes = new AtomicLong();
    HttpServer collector = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    collector.createContext(
        "/v1/metrics",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          pushes.incrementAndGet();
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    collector.start();
    ObservabilityConfig config =
        ObservabilityConfig.builder()
            .environment(Map.of("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"))
            .otlpEndpoint("http://127.0.0.1:" + collector.getAddress().getPort())
            .build();
    try (Observability observability = Observability.builder().config(config).start()) {
      for (int i = 0; i < 5; i++) {
        observability.l1().readFinished(keys(1));
        assertTrue(observability.flush(SOON));
      }
      assertTrue(observability.close(SOON));
    } finally {
      collector.stop(0);
    }
    assertTrue(pushes.get() >= 6, "pushes: " + pushes);
  }

  @Test
  void startsAPushByGrpc_andClosesInTime() {
    ObservabilityConfig config =
        ObservabilityConfig.builder()
            .environment(Map.of())
            .otlpEndpoint("http://127.0.0.1:1")
            .closeTimeout(Duration.ofMillis(200))
            .build();
    try (Observability observability = Observability.builder().config(config).start()) {
      observability.l1().readFinished(keys(1));
      assertTrue(observability.bus().flush(SOON));
    }
  }

  @Test
  void runsWhereItShould() {
    boolean onModulePath = Boolean.getBoolean("on.module.path");
    assertEquals(onModulePath, Observability.class.getModule().isNamed());
  }
}
