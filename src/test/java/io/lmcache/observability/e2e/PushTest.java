package io.lmcache.observability.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import io.lmcache.observability.Observability;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.ObjectKey;
import io.lmcache.observability.internal.support.Warnings;
import io.lmcache.observability.testing.Logs;
import io.lmcache.observability.testing.OtlpReceiver;
import io.lmcache.observability.testing.OtlpReceiver.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The push as an operator meets it: collectors that refuse, and the standard settings. */
class PushTest {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final Duration IMPATIENT = Duration.ofMillis(300);
  private static final ObjectKey KEY = ObjectKey.of("m", "a", new byte[32], 0);

  private static Observability start(String endpoint, Map<String, String> environment) {
    ObservabilityConfig config =
        ObservabilityConfig.builder()
            .environment(environment)
            .systemProperties(Map.of())
            .otlpEndpoint(endpoint)
            .closeTimeout(Duration.ofSeconds(3))
            .build();
    return Observability.builder().config(config).start();
  }

  @ParameterizedTest
  @CsvSource({"404,HTTP", "429,HTTP", "503,HTTP", "503,GRPC"})
  void collector_thatRefusesForAWhile_getsTheWholeCounters_andLittleIsLogged(
      int status, Transport transport) throws Exception {
    Map<String, String> protocol =
        Map.of(
            "OTEL_EXPORTER_OTLP_PROTOCOL", transport == Transport.GRPC ? "grpc" : "http/protobuf");
    try (OtlpReceiver receiver = OtlpReceiver.start(transport);
        Logs logs = Logs.of(Warnings.LOGGER);
        Observability observability = start(receiver.endpoint(), protocol)) {
      receiver.answer(status);
      for (int i = 0; i < 5; i++) {
        observability.l1().readFinished(List.of(KEY));
        assertThat(observability.flush(IMPATIENT)).isFalse();
      }
      receiver.answer(200);
      observability.l1().readFinished(List.of(KEY));
      assertThat(observability.flush(SOON)).isTrue();
      assertThat(receiver.total("lmcache_mp.l1_read", Map.of("cache_salt", "a"))).isEqualTo(6L);
      assertThat(logs.warnings()).hasSizeLessThanOrEqualTo(1);
    }
  }

  @Test
  void standardSettings_doWhatTheyDoElsewhere() throws Exception {
    AtomicReference<Headers> headers = new AtomicReference<>(new Headers());
    HttpServer collector =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    collector.createContext(
        "/base/v1/metrics",
        exchange -> {
          headers.set(exchange.getRequestHeaders());
          exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    collector.start();
    Map<String, String> environment = new HashMap<>();
    environment.put("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf");
    environment.put("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20abc,x-tenant=t1");
    environment.put("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip");
    environment.put("OTEL_SERVICE_NAME", "my-cache");
    environment.put("OTEL_RESOURCE_ATTRIBUTES", "zone=z1,service.instance.id=kv-7");
    String base = "http://127.0.0.1:" + collector.getAddress().getPort() + "/base";
    try (Observability observability = start(base, environment)) {
      assertThat(observability.flush(SOON)).isTrue();
      assertThat(headers.get().getFirst("Authorization")).isEqualTo("Bearer abc");
      assertThat(headers.get().getFirst("x-tenant")).isEqualTo("t1");
      assertThat(headers.get().getFirst("Content-Encoding")).isEqualTo("gzip");
      assertThat(observability.instanceId()).isEqualTo("kv-7");
      assertThat(observability.prometheusPage(null).text())
          .contains("service_name=\"my-cache\"")
          .contains("zone=\"z1\"")
          .contains("service_instance_id=\"kv-7\"");
    } finally {
      collector.stop(0);
    }
  }
}
