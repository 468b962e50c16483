package io.lmcache.observability.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ValidationTest {

  private static ObservabilityConfig.Builder isolated() {
    return ObservabilityConfig.builder().environment(Map.of()).systemProperties(Map.of());
  }

  @Test
  void build_withManyFaults_tellsAllAtOnce() {
    ObservabilityConfig.Builder builder =
        isolated()
            .systemProperties(
                Map.of(
                    "lmcache.observability.metrics.sample.rate", "1.5",
                    "lmcache.observability.close.timeout", "soon"))
            .environment(
                Map.of(
                    "LMCACHE_OBSERVABILITY_TRACING_ENABLED", "yes",
                    "LMCACHE_OBSERVABILITY_METRICS_CARDINALITY_LIMIT", "1",
                    "OTEL_METRICS_EXPORTER", "prometheus"))
            .prometheusPort(70_000)
            .instanceId(" ")
            .dropAttributes("cache_salt", "")
            .otlpEndpoint("127.0.0.1:4317");
    builder.parse("--event-bus-queue-size", "0", "--prometheus-host=", "--resource-label");
    assertThatIllegalArgumentException()
        .isThrownBy(builder::build)
        .satisfies(
            e ->
                assertThat(String.valueOf(e.getMessage()).lines().map(String::strip))
                    .containsExactlyInAnyOrder(
                        "invalid observability configuration",
                        "resourceLabels (--resource-label): needs a value NAME",
                        "tracing (LMCACHE_OBSERVABILITY_TRACING_ENABLED): \"yes\" is neither true"
                            + " nor false",
                        "maxQueueSize (--event-bus-queue-size): 0 is not in 1 … 4194304",
                        "sampleRate (lmcache.observability.metrics.sample.rate): 1.5 is not in"
                            + " 0 < R ≤ 1",
                        "prometheusHost (--prometheus-host): \"\" is blank",
                        "prometheusPort (code): 70000 is not in 0 … 65535",
                        "instanceId (code): \" \" is blank",
                        "dropAttributes (code): \"\" is blank",
                        "cardinalityLimit (LMCACHE_OBSERVABILITY_METRICS_CARDINALITY_LIMIT): 1 is"
                            + " not at least 2",
                        "closeTimeout (lmcache.observability.close.timeout): \"soon\" is not a"
                            + " duration in 0s … 24h, such as 500ms, 5s or PT5S",
                        "otlpEndpoint (code): \"127.0.0.1:4317\" is not an http:// or https:// URL;"
                            + " write \"http://127.0.0.1:4317\"",
                        "OTEL_METRICS_EXPORTER: \"prometheus\" is neither otlp nor none; to push set"
                            + " otlpEndpoint, to serve Prometheus set prometheusPort"));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 10, 1000, 1024, 4_194_304})
  void maxQueueSize_inRange_isTakenExactly(int size) {
    assertThat(isolated().maxQueueSize(size).build().maxQueueSize()).isEqualTo(size);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 4_194_305, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void maxQueueSize_outOfRange_isRefusedByName(int size) {
    assertRefused(b -> b.maxQueueSize(size), "maxQueueSize (code): " + size + " is not in");
    assertRefused(
        b -> b.parse("--event-bus-queue-size=" + size),
        "maxQueueSize (--event-bus-queue-size): " + size + " is not in");
  }

  @Property(tries = 200)
  void maxQueueSize_anyInt_isTakenOrRefused(@ForAll int size) {
    Throwable thrown = catchThrowable(() -> isolated().maxQueueSize(size).build());
    assertThat(thrown == null).isEqualTo(size >= 1 && size <= 4_194_304);
  }

  @Property(tries = 100)
  void closeTimeout_anyMillis_readsTheSameInEachForm(@ForAll @IntRange(min = 0) int any) {
    int millis = any % 86_400_000;
    Duration expected = Duration.ofMillis(millis);
    for (String text : new String[] {millis + "", millis + "ms", expected.toString()}) {
      assertThat(Kind.duration(Duration.ZERO, Duration.ofDays(1)).parse(text)).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -0.0, -0.1, 1.5, 1.0000001, Double.NaN, Double.POSITIVE_INFINITY})
  void sampleRate_outOfRange_isRefusedByName(double rate) {
    assertRefused(b -> b.sampleRate(rate), "sampleRate (code): " + rate + " is not in 0 < R ≤ 1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"NaN", "0", "1.5", "-1", "1f", "0x1p-1", "1e-999", "half", "0,5"})
  void sampleRate_badText_isRefusedByName(String text) {
    assertRefused(
        b -> b.parse("--metrics-sample-rate", text), "sampleRate (--metrics-sample-rate)");
  }

  @ParameterizedTest
  @ValueSource(doubles = {1.0, 0.01, Double.MIN_VALUE})
  void sampleRate_inRange_isTaken(double rate) {
    assertThat(isolated().sampleRate(rate).build().sampleRate()).isEqualTo(rate);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 65_536, 70_000})
  void prometheusPort_outOfRange_isRefusedByName(int port) {
    assertRefused(b -> b.prometheusPort(port), "prometheusPort (code): " + port);
  }

  @Test
  void prometheusHost_unknownButWellFormed_isLeftToTheStart() {
    assertThat(isolated().prometheusHost("nope.invalid").build().prometheusHost())
        .isEqualTo("nope.invalid");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1_000", "1.0", "0x10", "99999999999", "99999999999999999999", "ten"})
  void integer_badText_isRefusedWithTheText(String text) {
    assertRefused(
        b -> b.parse("--cardinality-limit", text),
        "cardinalityLimit (--cardinality-limit): \""
            + text
            + "\" is not a whole number at least 2");
  }

  @Test
  void instanceId_withControlCharactersOrTooLong_isRefusedAndEscaped() {
    assertRefused(
        b -> b.instanceId("kv\n0 ERROR forged"),
        "instanceId (code): \"kv\\u000a0 ERROR forged\" has control characters");
    assertRefused(b -> b.instanceId("x".repeat(256)), "…\" is longer than 255 characters");
    assertThat(isolated().instanceId("x".repeat(255)).build().instanceId()).hasSize(255);
  }

  @Test
  void instanceId_ofTwoServers_isEachOnes() {
    assertThat(isolated().instanceId("kv-0").build().instanceId()).isEqualTo("kv-0");
    assertThat(isolated().instanceId("kv-1").build().instanceId()).isEqualTo("kv-1");
  }

  @ParameterizedTest
  @CsvSource({
    "5s,PT5S",
    "500ms,PT0.5S",
    "2m,PT2M",
    "1h,PT1H",
    "1d,PT24H",
    "0,PT0S",
    "1500,PT1.5S",
    "PT5S,PT5S",
    "pt0.25s,PT0.25S"
  })
  void closeTimeout_asText_isRead(String text, Duration expected) {
    assertThat(
            isolated()
                .systemProperties(Map.of("lmcache.observability.close.timeout", text))
                .build()
                .closeTimeout())
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-5s",
        "-1",
        "PT-1S",
        "1.5s",
        "5 s",
        "5S",
        "25h",
        "2d",
        "9223372036854775807",
        "9223372036854775807d",
        "99999999999999999999s",
        "PT9223372036854775808S",
        "s",
        "P1Y"
      })
  void closeTimeout_badText_isRefusedByName(String text) {
    ObservabilityConfig.Builder builder =
        isolated().environment(Map.of("LMCACHE_OBSERVABILITY_CLOSE_TIMEOUT", text));
    assertThatIllegalArgumentException()
        .isThrownBy(builder::build)
        .withMessageContaining("closeTimeout (LMCACHE_OBSERVABILITY_CLOSE_TIMEOUT): ");
  }

  @Test
  void closeTimeout_fromCode_isBounded() {
    assertThat(isolated().closeTimeout(Duration.ZERO).build().closeTimeout()).isZero();
    assertThat(isolated().closeTimeout(Duration.ofDays(1)).build().closeTimeout().toNanos())
        .isEqualTo(86_400_000_000_000L);
    assertRefused(
        b -> b.closeTimeout(Duration.ofNanos(-1)), "closeTimeout (code): PT-0.000000001S");
    assertRefused(b -> b.closeTimeout(Duration.ofSeconds(Long.MAX_VALUE)), "is not in 0s … 24h");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a,,b", ",", "a,", " ,a"})
  void names_withBlankEntry_areRefusedByName(String text) {
    assertRefused(b -> b.parse("--drop-attribute", text), "dropAttributes (--drop-attribute): \"");
  }

  @Test
  void names_given_areTrimmedUniqueAndImmutable() {
    String[] names = {" b", "a ", "b"};
    ObservabilityConfig.Builder builder = isolated().resourceLabels(names);
    names[0] = "changed";
    ObservabilityConfig config = builder.build();
    assertThat(config.resourceLabels()).containsExactly("b", "a").isUnmodifiable();
    assertThat(config.explicit()).isUnmodifiable();
    assertThat(config.otel()).isUnmodifiable();
    assertThat(config.otelFaults()).isUnmodifiable();
    assertThat(Setting.all()).isUnmodifiable();
  }

  @ParameterizedTest
  @MethodSource("nulls")
  @SuppressWarnings("NullAway") // what callers without a checker do
  void setter_givenNull_isAFaultByName(Consumer<ObservabilityConfig.Builder> call, String name) {
    assertRefused(call, name + ": null is not a");
  }

  @SuppressWarnings("NullAway")
  static Stream<Object[]> nulls() {
    return Stream.of(
        nulls(b -> b.otlpEndpoint(null), "otlpEndpoint (code)"),
        nulls(b -> b.prometheusHost(null), "prometheusHost (code)"),
        nulls(b -> b.instanceId(null), "instanceId (code)"),
        nulls(b -> b.dropAttributes((String[]) null), "dropAttributes (code)"),
        nulls(b -> b.dropAttributes("a", null), "dropAttributes (code)"),
        nulls(b -> b.resourceLabels((String[]) null), "resourceLabels (code)"),
        nulls(b -> b.closeTimeout(null), "closeTimeout (code)"),
        nulls(b -> b.environment(null), "environment"),
        nulls(b -> b.systemProperties(null), "systemProperties"));
  }

  private static Object[] nulls(Consumer<ObservabilityConfig.Builder> call, String name) {
    return new Object[] {call, name};
  }

  @Test
  void builder_usedTwice_givesEqualConfigs() {
    ObservabilityConfig.Builder builder = isolated().maxQueueSize(9);
    ObservabilityConfig first = builder.build();
    assertThat(builder.build()).isEqualTo(first).hasSameHashCodeAs(first);
    assertThat(builder.maxQueueSize(8).build()).isNotEqualTo(first);
    assertThat(first.maxQueueSize()).isEqualTo(9);
  }

  static void assertRefused(Consumer<ObservabilityConfig.Builder> call, String message) {
    ObservabilityConfig.Builder builder = isolated();
    call.accept(builder);
    assertThatIllegalArgumentException().isThrownBy(builder::build).withMessageContaining(message);
  }
}
