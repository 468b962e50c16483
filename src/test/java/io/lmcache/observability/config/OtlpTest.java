package io.lmcache.observability.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OtlpTest {
  private final Map<String, String> environment = new HashMap<>();
  private final Map<String, String> properties = new HashMap<>();
  private final ObservabilityConfig.Builder builder = ObservabilityConfig.builder();

  private ObservabilityConfig build() {
    return builder.environment(environment).systemProperties(properties).build();
  }

  /** Sets the endpoint {@code http://<host>} in the source of that short name. */
  private void put(String source) {
    String url = "http://" + source.toLowerCase(Locale.ROOT);
    switch (source) {
      case "code" -> builder.otlpEndpoint(url);
      case "flag" -> builder.parse("--otlp-endpoint", url);
      case "ourProp" -> properties.put("lmcache.observability.otlp.endpoint", url);
      case "otelProp" -> properties.put("otel.exporter.otlp.endpoint", url);
      case "ourEnv" -> environment.put("LMCACHE_OBSERVABILITY_OTLP_ENDPOINT", url);
      case "otelEnv" -> environment.put("OTEL_EXPORTER_OTLP_ENDPOINT", url);
      case "metricsProp" -> properties.put("otel.exporter.otlp.metrics.endpoint", url);
      case "metricsEnv" -> environment.put("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", url);
      default -> throw new AssertionError(source);
    }
  }

  private static @Nullable String host(@Nullable Push push) {
    return push == null ? null : push.endpoint().substring("http://".length());
  }

  @ParameterizedTest
  @CsvSource({
    // general against general, best first
    "code flag,                code,        code",
    "flag ourProp,             flag,        flag",
    "flag otelProp,            flag,        flag",
    "ourProp otelProp,         ourProp,     ourProp",
    "otelProp ourEnv,          otelProp,    otelProp",
    "ourEnv otelEnv,           ourEnv,      ourEnv",
    "otelEnv,                  otelEnv,     otelEnv",
    // a signal's own against a general one
    "code metricsProp,         code,        code",
    "code metricsEnv,          code,        code",
    "flag metricsProp,         flag,        flag",
    "ourProp metricsProp,      metricsProp, ourProp",
    "otelProp metricsProp,     metricsProp, otelProp",
    "ourEnv metricsProp,       metricsProp, ourEnv",
    "ourProp metricsEnv,       ourProp,     ourProp",
    "otelProp metricsEnv,      otelProp,    otelProp",
    "ourEnv metricsEnv,        metricsEnv,  ourEnv",
    "otelEnv metricsEnv,       metricsEnv,  otelEnv",
    "metricsProp metricsEnv,   metricsProp, ",
    "metricsEnv,               metricsEnv,  ",
  })
  void endpoints_fromSeveralSources_goByLevelThenBySignalThenByName(
      String sources, String metrics, @Nullable String traces) {
    for (String source : sources.split(" ", -1)) {
      put(source);
    }
    ObservabilityConfig config = build();
    assertThat(host(config.metricsPush())).isEqualToIgnoringCase(metrics);
    assertThat(host(config.tracesPush()))
        .isEqualTo(traces == null ? null : traces.toLowerCase(Locale.ROOT));
    assertThat(config.otlpEndpoint())
        .isEqualTo(traces == null ? null : "http://" + traces.toLowerCase(Locale.ROOT));
    assertThat(config.otelFaults()).isEmpty();
  }

  @Test
  void push_fromASignalsOwnEndpoint_takesTheUrlAsItIs() {
    environment.put("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf");
    environment.put("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://m:4318/v1/metrics");
    environment.put("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://t:4318");
    ObservabilityConfig config = build();
    assertThat(config.metricsPush())
        .isEqualTo(
            new Push(
                "http://m:4318/v1/metrics",
                Push.Protocol.HTTP_PROTOBUF,
                new Origin(Origin.Level.ENVIRONMENT, "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT")));
    assertThat(config.tracesPush()).extracting(Push::endpoint).isEqualTo("http://t:4318/");
  }

  @Test
  void explicit_forOtelSettings_isNot() {
    put("otelProp");
    put("metricsEnv");
    environment.put("OTEL_SDK_DISABLED", "TRUE");
    ObservabilityConfig config = build();
    assertThat(config.explicit()).isEmpty();
    assertThat(config.origin(Setting.OTLP_ENDPOINT))
        .isEqualTo(new Origin(Origin.Level.PROPERTY, "otel.exporter.otlp.endpoint"));
  }

  @Test
  void explicit_forOurEndpointUnderAnOtelProperty_is() {
    put("otelProp");
    put("ourEnv");
    ObservabilityConfig config = build();
    assertThat(config.otlpEndpoint()).isEqualTo("http://otelprop");
    assertThat(config.explicit().get(Setting.OTLP_ENDPOINT))
        .isEqualTo(new Origin(Origin.Level.ENVIRONMENT, "LMCACHE_OBSERVABILITY_OTLP_ENDPOINT"));
  }

  @Test
  void protocol_perSignal_winsOverTheGeneralOne() {
    put("code");
    properties.put("otel.exporter.otlp.protocol", "grpc");
    environment.put("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/protobuf");
    ObservabilityConfig config = build();
    assertThat(config.metricsPush())
        .isEqualTo(new Push("http://code", Push.Protocol.GRPC, Origin.CODE));
    assertThat(config.tracesPush())
        .isEqualTo(new Push("http://code/v1/traces", Push.Protocol.HTTP_PROTOBUF, Origin.CODE));
  }

  @ParameterizedTest
  @ValueSource(strings = {"http/json", "GRPC", "http"})
  void protocol_unknown_isADeferredFault(String protocol) {
    environment.put("OTEL_EXPORTER_OTLP_PROTOCOL", protocol);
    environment.put("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "nope");
    assertThat(build().otelFaults())
        .containsExactlyInAnyOrder(
            "OTEL_EXPORTER_OTLP_PROTOCOL: \"" + protocol + "\" is neither grpc nor http/protobuf",
            "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: \"nope\" is neither grpc nor http/protobuf");
  }

  @Test
  void exporter_none_switchesThatSignalOff() {
    put("code");
    environment.put("OTEL_METRICS_EXPORTER", "none");
    environment.put("OTEL_TRACES_EXPORTER", "otlp");
    environment.put("OTEL_LOGS_EXPORTER", "none");
    ObservabilityConfig config = build();
    assertThat(config.metricsPush()).isNull();
    assertThat(config.tracesPush()).isNotNull();
    assertThat(config.otelFaults()).isEmpty();
  }

  @Test
  void exporter_none_leavesTheSignalsEndpointUnread() {
    environment.put("OTEL_METRICS_EXPORTER", "none");
    environment.put("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "nonsense");
    assertThat(build().otelFaults()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "OTEL_METRICS_EXPORTER,prometheus,prometheusPort",
    "OTEL_METRICS_EXPORTER,'otlp,console',otlpEndpoint",
    "OTEL_TRACES_EXPORTER,zipkin,otlpEndpoint",
    "OTEL_LOGS_EXPORTER,console,logging"
  })
  void exporter_other_isADeferredFaultThatNamesOurSetting(
      String variable, String value, String setting) {
    environment.put(variable, value);
    assertThat(build().otelFaults())
        .singleElement()
        .asString()
        .startsWith(variable + ": \"" + value + "\" is neither otlp nor none")
        .contains(setting);
  }

  @Test
  void faults_ofOtelOnly_areDeferred() {
    environment.put("OTEL_EXPORTER_OTLP_ENDPOINT", "127.0.0.1:4317");
    environment.put("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://h:4317/v1/traces");
    ObservabilityConfig config = build();
    assertThat(config.otelFaults()).hasSize(2);
    assertThat(config.otelFaults().get(0))
        .startsWith("otlpEndpoint (OTEL_EXPORTER_OTLP_ENDPOINT): \"127.0.0.1:4317\" is not");
    assertThat(config.otelFaults().get(1))
        .startsWith("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: \"http://h:4317/v1/traces\" has a path");
  }

  @Test
  void faults_ofOtelGeneralPath_areDeferredAndToldOnce() {
    environment.put("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf");
    environment.put("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h:4318/v1/metrics");
    assertThat(build().otelFaults())
        .singleElement()
        .asString()
        .startsWith("otlpEndpoint (OTEL_EXPORTER_OTLP_ENDPOINT): \"http://h:4318/v1/metrics\"");
  }

  @Test
  void faults_ofOtelBesideOurs_areToldTogether() {
    environment.put("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json");
    builder.maxQueueSize(0);
    assertThatIllegalArgumentException()
        .isThrownBy(this::build)
        .withMessageContaining("maxQueueSize (code): 0")
        .withMessageContaining("OTEL_EXPORTER_OTLP_PROTOCOL: \"http/json\"");
  }

  @Test
  void endpoint_ofOtelMalformedButOverridden_isNotLookedAt() {
    put("code");
    environment.put("OTEL_EXPORTER_OTLP_ENDPOINT", "nonsense");
    environment.put("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "nonsense");
    assertThat(build().otelFaults()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"true,false", "TRUE,false", " True ,false", "false,true", "1,true", "'',true"})
  void sdkDisabled_true_switchesOffWhateverElseIsSet(String value, boolean enabled) {
    environment.put("OTEL_SDK_DISABLED", value);
    assertThat(build().enabled()).isEqualTo(enabled);
    builder.enabled(true);
    assertThat(build().enabled()).isEqualTo(enabled);
    builder.enabled(false);
    assertThat(build().enabled()).isFalse();
  }

  @Test
  void sdkDisabled_byProperty_winsOverTheVariable() {
    environment.put("OTEL_SDK_DISABLED", "true");
    properties.put("otel.sdk.disabled", "false");
    assertThat(build().enabled()).isTrue();
  }

  @Test
  void otel_asMap_hasPropertiesOverVariablesWithoutBlanks() {
    environment.put("OTEL_SERVICE_NAME", "from-env");
    environment.put("OTEL_RESOURCE_ATTRIBUTES", " service.instance.id=kv-7 ");
    environment.put("OTEL_METRIC_EXPORT_INTERVAL", "1000");
    environment.put("OTEL_EXPORTER_OTLP_TIMEOUT", " ");
    environment.put("OTELX", "no");
    environment.put("PATH", "/bin");
    properties.put("otel.service.name", "from-property");
    properties.put("otel.metric.export.interval", "");
    properties.put("otel.experimental.some-thing", "x");
    properties.put("java.version", "17");
    ObservabilityConfig config = build();
    assertThat(config.otel())
        .isEqualTo(
            Map.of(
                "otel.service.name", "from-property",
                "otel.resource.attributes", "service.instance.id=kv-7",
                "otel.metric.export.interval", "1000",
                "otel.experimental.some.thing", "x"));
    assertThat(config.instanceId()).isNull();
  }
}
