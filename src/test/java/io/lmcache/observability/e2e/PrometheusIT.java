package io.lmcache.observability.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.lmcache.observability.testing.DemoProcess;
import io.lmcache.observability.testing.OtlpReceiver;
import io.lmcache.observability.testing.PromQl;
import io.lmcache.observability.testing.PrometheusText;
import io.lmcache.observability.testing.Skip;
import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real Prometheus server scrapes the running demo. */
class PrometheusIT {

  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final String HIT = "lmcache_mp_lookup_hit_tokens_total";
  private static final String REQUESTED = "lmcache_mp_lookup_requested_tokens_total";

  /** The hit rate over all models and tenants, over the last five minutes. */
  private static final String HIT_RATE = "rate(%s[5m]) / rate(%s[5m])".formatted(HIT, REQUESTED);

  @TempDir private Path folder;

  private static Optional<Path> prometheus() {
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
        .map(entry -> Path.of(entry, "prometheus"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  @Test
  void prometheus_scrapingTheDemo_answersTheHitRate() throws Exception {
    Optional<Path> binary = prometheus();
    Skip.unless(binary.isPresent(), "no prometheus on the path: install Debian's package");
    // Slow enough for several scrapes to see the counters rise, and for all spans to be exported.
    try (OtlpReceiver receiver = OtlpReceiver.start(OtlpReceiver.Transport.GRPC);
        DemoProcess demo =
            DemoProcess.start(
                Map.of(),
                "--speed=100",
                "--enable-tracing",
                "--otlp-endpoint=" + receiver.endpoint())) {
      int port = freePort();
      Process server = startPrometheus(binary.get(), port, demo.metrics());
      try {
        demo.awaitReplay();
        PrometheusText page = demo.page();
        Awaitility.await()
            .atMost(LIMIT)
            .ignoreExceptions()
            .untilAsserted(
                () -> {
                  assertThat(query(port, HIT)).isEqualTo(page.sum(HIT));
                  assertThat(query(port, REQUESTED)).isEqualTo(page.sum(REQUESTED));
                });
        double rate = rise(port, HIT) / rise(port, REQUESTED);
        assertThat(rate).isBetween(0.01, 1.0);
        assertThat(query(port, HIT_RATE)).isEqualTo(rate, within(1e-6));
        assertThat(query(port, "up")).isEqualTo(1);
        assertDocumentedQueriesAnswer(port);
        assertExemplarsLeadToTraces(port, receiver);
      } finally {
        server.destroy();
        server.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS);
      }
    }
  }

  /** They are valid, and name series and labels that there are. */
  private static void assertDocumentedQueriesAnswer(int port) throws Exception {
    List<String> queries = new ArrayList<>(PromQl.of(Path.of("METRICS.md")));
    queries.addAll(PromQl.of(Path.of("docs/operating.md")));
    assertThat(queries).hasSizeGreaterThan(13);
    queries.removeIf(query -> query.contains("drops_by_type")); // no series while nothing drops
    Awaitility.await()
        .atMost(LIMIT)
        .ignoreExceptions()
        .untilAsserted(() -> assertThat(queries).allSatisfy(query -> values(port, query)));
  }

  private static void assertExemplarsLeadToTraces(int port, OtlpReceiver receiver)
      throws Exception {
    for (String copies : List.of("store", "load")) {
      String buckets = "lmcache_mp_l0_l1_%s_throughput_GBs_bucket".formatted(copies);
      long now = Instant.now().getEpochSecond();
      String exemplars =
          get(
              port,
              "query_exemplars?query=%s&start=%d&end=%d".formatted(buckets, now - 600, now + 60));
      List<String> ids =
          Pattern.compile("\"trace_id\":\"(\\w+)\"")
              .matcher(exemplars)
              .results()
              .map(found -> found.group(1))
              .toList();
      assertThat(ids).as(exemplars).isNotEmpty();
      Awaitility.await()
          .atMost(LIMIT)
          .untilAsserted(() -> assertThat(receiver.traceIds()).containsAll(ids));
    }
  }

  private Process startPrometheus(Path binary, int port, URI target) throws IOException {
    Path config =
        Files.writeString(
            folder.resolve("prometheus.yml"),
            """
            global:
              scrape_interval: 1s
            scrape_configs:
              - job_name: demo
                metrics_path: %s
                static_configs:
                  - targets: ['%s']
            """
                .formatted(target.getPath(), target.getAuthority()));
    return new ProcessBuilder(
            binary.toString(),
            "--config.file=" + config,
            "--enable-feature=exemplar-storage",
            "--storage.tsdb.path=" + folder.resolve("data"),
            "--web.listen-address=127.0.0.1:" + port)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("prometheus.log").toFile())
        .start();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  /** By how much a counter rose over its scraped samples. */
  private static double rise(int port, String counter) throws Exception {
    List<Double> values = values(port, counter + "[5m]");
    return values.get(values.size() - 1) - values.get(0);
  }

  /** The one value that a query gives. */
  private static double query(int port, String promQl) throws Exception {
    return values(port, promQl).get(0);
  }

  /** The values that a query gives, in the order of their times. */
  private static List<Double> values(int port, String promQl) throws Exception {
    String response = get(port, "query?query=" + URLEncoder.encode(promQl, StandardCharsets.UTF_8));
    List<Double> values = new ArrayList<>();
    try (JsonParser json = new JsonFactory().createParser(response)) {
      JsonToken before = null;
      for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
        // A sample is a pair: the time as a number, then the value as a string.
        if (token == JsonToken.VALUE_STRING && before != null && before.isNumeric()) {
          values.add(Double.parseDouble(json.getText()));
        }
        before = token;
      }
    }
    assertThat(values).as(promQl + ": " + response).isNotEmpty();
    return values;
  }

  private static String get(int port, String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:%d/api/v1/%s".formatted(port, path));
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
        .body();
  }
}
