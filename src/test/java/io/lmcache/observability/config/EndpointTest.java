package io.lmcache.observability.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointTest {
  private static final Map<String, String> HTTP =
      Map.of("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf");

  private static ObservabilityConfig.Builder isolated(Map<String, String> environment) {
    return ObservabilityConfig.builder().environment(environment).systemProperties(Map.of());
  }

  private static String refusal(String endpoint, Map<String, String> environment) {
    Throwable thrown = catchThrowable(() -> isolated(environment).otlpEndpoint(endpoint).build());
    assertThat(thrown).isInstanceOf(IllegalArgumentException.class);
    return String.valueOf(thrown.getMessage());
  }

  @ParameterizedTest
  @CsvSource({
    "' http://h:4318 ',http://h:4318/v1/metrics",
    "http://h:4318/,http://h:4318/v1/metrics",
    "http://h:4318/otlp,http://h:4318/otlp/v1/metrics",
    "https://gw/api/v1/otlp/,https://gw/api/v1/otlp/v1/metrics",
    "HTTP://otel_collector,http://otel_collector/v1/metrics",
    "http://[::1]:4318,http://[::1]:4318/v1/metrics"
  })
  void general_underHttp_getsTheSignalsPath(String endpoint, String url) {
    Push push = isolated(HTTP).otlpEndpoint(endpoint).build().metricsPush();
    assertThat(push).isEqualTo(new Push(url, Push.Protocol.HTTP_PROTOBUF, Origin.CODE));
  }

  @ParameterizedTest
  @CsvSource({"' http://h:4318 ',http://h:4318", "http://h:1/,http://h:1", "https://h,https://h"})
  void general_underGrpc_hasNoPath(String endpoint, String url) {
    Push push = isolated(Map.of()).otlpEndpoint(endpoint).build().tracesPush();
    assertThat(push).isEqualTo(new Push(url, Push.Protocol.GRPC, Origin.CODE));
  }

  @Test
  void endpoint_withoutScheme_isRefusedWithAHint() {
    assertThat(refusal("127.0.0.1:4317", Map.of()))
        .contains("otlpEndpoint (code): \"127.0.0.1:4317\" is not an http:// or https:// URL")
        .contains("write \"http://127.0.0.1:4317\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "  ",
        "http://",
        "http://:4317",
        "http://h:",
        "http://h:0",
        "http://h:65536",
        "http://h:x",
        "http://h:123456",
        "ftp://h:1",
        "http:/h:4317",
        "http//h",
        "http://h h",
        "http://a:b:c",
        "http://::1:4317",
        "http://[zz]:1",
        "http://h?x",
        "http://h#x",
        "http://h\\x",
        "grpc://h:4317",
        "localhost",
        "http://h:4317/%"
      })
  void endpoint_malformed_isRefusedWithTheValue(String endpoint) {
    for (Map<String, String> environment : List.of(Map.<String, String>of(), HTTP)) {
      assertThat(refusal(endpoint, environment))
          .contains("otlpEndpoint (code): \"" + endpoint.replaceAll("\\?.*", "?***"));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://h:4318/v1/metrics",
        "http://h/v1/traces/",
        "http://h/v1",
        "http://h/v1/",
        "http://gw/otlp/v1/logs"
      })
  void general_withSignalPath_isRefusedUnderBothProtocols(String endpoint) {
    assertThat(refusal(endpoint, HTTP)).contains('"' + endpoint + "\" names a signal's path");
    assertThat(refusal(endpoint, Map.of())).contains('"' + endpoint + "\" has a path");
  }

  @Test
  void general_withAnyPathUnderGrpc_isRefusedAsOpenTelemetryDoes() {
    assertThat(refusal("http://h:4317/base", Map.of()))
        .contains(
            "otlpEndpoint (code): \"http://h:4317/base\" has a path, which grpc does not know");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://alice:s3cret@h:4317",
        "http://alice:s3cret@h:4318/v1/metrics",
        "alice:s3cret@h:4317",
        "ftp://alice:s3cret@h",
        "http://alice:s3cret/x@h",
        "http://alice:s3cret?x@h",
        "http://alice:x@s3cret@h",
        "http://h:4317?token=s3cret",
        "h:4317?token=s3cret",
        "h:4317/x?token=s3cret",
        "http://alice:s3cret\u0007@h",
        "http://alice:s3cret\n@h"
      })
  void credentials_inAnyRefusedEndpoint_areNotEchoed(String endpoint) {
    assertThat(refusal(endpoint, Map.of())).contains("***", "h").doesNotContain("s3cret", "alice");
    assertThat(refusal(endpoint, HTTP)).doesNotContain("s3cret", "alice");
    ObservabilityConfig config = isolated(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)).build();
    assertThat(config.otelFaults()).hasSize(1);
    assertThat(config.otelFaults().get(0)).contains("***").doesNotContain("s3cret", "alice");
    assertThat(config.toString()).doesNotContain("s3cret", "alice");
  }

  @Test
  void toString_withHeaders_showsTheirKeyOnly() {
    String text =
        isolated(Map.of("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer s3cret"))
            .maxQueueSize(5)
            .build()
            .toString();
    assertThat(text)
        .contains("maxQueueSize (code)=5", "otel=[otel.exporter.otlp.headers]")
        .doesNotContain("s3cret");
  }

  @Test
  void endpoint_overlongOrWithControlCharacters_isCutAndEscaped() {
    assertThat(refusal("http://u:p@h/" + "x".repeat(5000), Map.of()))
        .contains("***@h/xxx", "…")
        .hasSizeLessThan(400);
    assertThat(refusal("http://h\n2026 ERROR forged", Map.of()))
        .contains("\"http://h\\u000a2026 ERROR forged\"");
    assertThat(refusal("x".repeat(5000), Map.of())).hasSizeLessThan(700);
  }

  @Test
  void endpoint_emptyInTheEnvironment_isUnset() {
    ObservabilityConfig config =
        isolated(
                Map.of(
                    "OTEL_EXPORTER_OTLP_ENDPOINT", "",
                    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", " ",
                    "OTEL_EXPORTER_OTLP_PROTOCOL", "",
                    "LMCACHE_OBSERVABILITY_OTLP_ENDPOINT", ""))
            .build();
    assertThat(config.otlpEndpoint()).isNull();
    assertThat(config.metricsPush()).isNull();
    assertThat(config.tracesPush()).isNull();
    assertThat(config.otel()).isEmpty();
    assertThat(config.otelFaults()).isEmpty();
  }
}
