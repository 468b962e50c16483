package io.lmcache.observability.internal.export;

import static io.lmcache.observability.internal.export.ExportFixture.connect;
import static io.lmcache.observability.internal.export.ExportFixture.get;
import static io.lmcache.observability.internal.export.ExportFixture.read;
import static io.lmcache.observability.internal.export.ExportFixture.request;
import static io.lmcache.observability.internal.export.ExportFixture.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.internal.export.ExportFixture.Response;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScrapeServerTest {

  private static final String CLASSIC = "text/plain; version=0.0.4; charset=utf-8";
  private static final String OPEN = "application/openmetrics-text; version=1.0.0; charset=utf-8";

  private final Export export = ExportFixture.serving();

  @BeforeEach
  void record() {
    for (int i = 0; i < 100; i++) {
      Attributes one = Attributes.of(AttributeKey.stringKey("k"), "value " + i);
      export.meter().counterBuilder("a").build().add(1, one);
      export.meter().counterBuilder("b").build().add(1, one);
    }
  }

  @AfterEach
  void close() {
    export.close(Duration.ofSeconds(5));
  }

  @Test
  void metrics_withoutAcceptOrWithAny_areClassicText() throws IOException {
    for (String[] headers : new String[][] {{}, {"Accept: */*"}, {"Accept: text/plain"}}) {
      Response response = get(export, "/metrics", headers);
      assertThat(response.status()).isEqualTo(200);
      assertThat(response.header("Content-Type")).isEqualTo(CLASSIC);
      assertThat(response.header("Content-Length")).isEqualTo("" + response.body().length);
      assertThat(response.text()).contains("a_total{k=\"value 7\"} 1.0").doesNotContain("# EOF");
    }
  }

  @Test
  void metrics_asOpenMetrics_endInEof() throws IOException {
    Response response =
        get(export, "/metrics", "Accept: application/openmetrics-text;version=1.0.0");
    assertThat(response.header("Content-Type")).isEqualTo(OPEN);
    assertThat(response.text()).contains("a_total{").endsWith("# EOF\n");
  }

  @Test
  void metrics_asProtobufWithGzip_areTextWithGzip() throws IOException {
    Response response =
        get(
            export,
            "/metrics",
            "Accept: application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;"
                + "encoding=delimited",
            "Accept-Encoding: gzip");
    assertThat(response.status()).isEqualTo(200);
    assertThat(response.header("Content-Type")).isEqualTo(CLASSIC);
    assertThat(unzipped(response)).contains("a_total{");
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "deflate, GZIP;q=0.5", "*", "x-gzip"})
  void acceptEncoding_thatTakesGzip_getsGzip(String encoding) throws IOException {
    Response response = get(export, "/metrics", "Accept-Encoding: " + encoding);
    assertThat(response.header("Content-Encoding")).isEqualTo("gzip");
    assertThat(unzipped(response)).contains("a_total{");
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip;q=0", "*, gzip;q=0.0", "identity", "br", "gzip;q=x", "*;q=0"})
  void acceptEncoding_thatRefusesGzip_getsPlain(String encoding) throws IOException {
    Response response = get(export, "/metrics", "Accept-Encoding: " + encoding);
    assertThat(response.headers()).doesNotContainKey("Content-Encoding");
    assertThat(response.text()).contains("a_total{");
  }

  @Test
  void head_ofEachPath_hasNoBody() throws IOException {
    for (String path : new String[] {"/metrics", "/-/healthy", "/nope"}) {
      Response response = request(export, "HEAD " + path + " HTTP/1.1");
      assertThat(response.status()).isEqualTo(path.equals("/nope") ? 404 : 200);
      assertThat(response.body()).isEmpty();
      assertThat(response.header("Content-Length"))
          .isEqualTo(get(export, path).header("Content-Length"));
    }
  }

  @Test
  void healthy_asked_isOk() throws IOException {
    assertThat(get(export, "/-/healthy").text()).isEqualTo("ok");
    assertThat(get(export, "/-/healthy?x=1").status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/metrics/",
        "/metrics/x",
        "/metricsfoo",
        "//metrics",
        "/Metrics",
        "*",
        "/-/"
      })
  void path_unknown_is404(String path) throws IOException {
    assertThat(get(export, path).status()).isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "FOO", "get"})
  void method_notGetOrHead_is405WithAllow(String method) throws IOException {
    for (String path : new String[] {"/metrics", "/-/healthy"}) {
      Response response = request(export, method + " " + path + " HTTP/1.1");
      assertThat(response.status()).isEqualTo(405);
      assertThat(response.header("Allow")).isEqualTo("GET, HEAD");
    }
  }

  @Test
  void names_repeatedAndEncoded_select() throws IOException {
    assertThat(get(export, "/metrics?name[]=a_total").text())
        .contains("a_total{")
        .doesNotContain("b_");
    assertThat(get(export, "/metrics?name%5B%5D=a_total&x&name%5B%5D=b%5Ftotal").text())
        .contains("a_total{", "b_total{")
        .doesNotContain("target_info");
    assertThat(get(export, "/metrics?name[]=nope").body()).isEmpty();
    assertThat(get(export, "/metrics?other=1").text()).contains("a_total{");
    assertThat(get(export, "http://host/metrics").text()).contains("a_total{");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/metrics?name[]=%", "/metrics?%zz=1", "/metrics?a=%f", "/%g0", "/metrics%"})
  void percentEncoding_thatIsBad_is400(String target) throws IOException {
    assertThat(get(export, target).status()).isEqualTo(400);
  }

  @ParameterizedTest
  @ValueSource(strings = {"GARBAGE\r\n\r\n", "GET /metrics\r\n\r\n", "GET /metrics HTTP/x\r\n\r\n"})
  void request_thatIsNone_is400(String text) throws IOException {
    try (Socket socket = connect(export)) {
      send(socket, text);
      assertThat(Response.of(socket.getInputStream().readAllBytes()).status()).isEqualTo(400);
    }
  }

  @Test
  void http10_asked_isAnsweredAndClosed() throws IOException {
    try (Socket socket = connect(export)) {
      send(socket, "GET /metrics HTTP/1.0\r\n\r\n");
      Response response = Response.of(socket.getInputStream().readAllBytes());
      assertThat(response.status()).isEqualTo(200);
      assertThat(response.text()).contains("a_total{");
    }
  }

  @Test
  void keepAlive_scrapes_doNotStall() throws IOException {
    try (Socket socket = connect(export)) {
      long best = Long.MAX_VALUE;
      for (int i = 0; i < 50; i++) {
        long start = System.nanoTime();
        send(socket, "GET /metrics HTTP/1.1\r\nHost: h\r\n\r\n");
        assertThat(read(socket).text()).contains("a_total{");
        best = Math.min(best, System.nanoTime() - start);
      }
      assertThat(Duration.ofNanos(best)).isLessThan(Duration.ofMillis(20));
    }
  }

  @Test
  void requests_inARow_areAnsweredInOrder() throws IOException {
    try (Socket socket = connect(export)) {
      send(
          socket,
          "GET /-/healthy HTTP/1.1\r\n\r\nHEAD /metrics HTTP/1.1\r\n\r\nGET /nope HTTP/1.1\r\n\r\n");
      assertThat(read(socket).text()).isEqualTo("ok");
      int status = 0;
      StringBuilder head = new StringBuilder();
      while (head.indexOf("\r\n\r\n") < 0) {
        head.append((char) socket.getInputStream().read());
        status = head.length() == 12 ? Integer.parseInt(head.substring(9, 12)) : status;
      }
      assertThat(status).isEqualTo(200);
      assertThat(read(socket).status()).isEqualTo(404);
    }
  }

  @Test
  void uri_byDefault_isLoopbackWithTheRealPort() throws IOException {
    var uri = Objects.requireNonNull(export.prometheusUri());
    assertThat(uri.toString()).matches("http://127\\.0\\.0\\.1:[1-9][0-9]*/metrics");
    try (Socket socket = connect(export)) {
      assertThat(socket.getInetAddress().isLoopbackAddress()).isTrue();
    }
  }

  private static String unzipped(Response response) throws IOException {
    var in = new GZIPInputStream(new ByteArrayInputStream(response.body()));
    return new String(in.readAllBytes(), StandardCharsets.UTF_8);
  }
}
