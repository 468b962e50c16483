package io.lmcache.observability.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class FlagsTest {
  private final ObservabilityConfig.Builder builder =
      ObservabilityConfig.builder().environment(Map.of()).systemProperties(Map.of());

  @Test
  void parse_amidForeignArguments_handsTheRestBackInOrder() {
    List<String> rest =
        builder.parse(
            "serve",
            "--event-bus-queue-size",
            "20",
            "--port=8080",
            "--disable-logging",
            "-v",
            "--otlp-endpoint=http://h:4317",
            "--model",
            "m",
            "--enable-tracing");
    assertThat(rest).containsExactly("serve", "--port=8080", "-v", "--model", "m");
    ObservabilityConfig config = builder.build();
    assertThat(config.maxQueueSize()).isEqualTo(20);
    assertThat(config.logging()).isFalse();
    assertThat(config.tracing()).isTrue();
    assertThat(config.otlpEndpoint()).isEqualTo("http://h:4317");
  }

  @Test
  void parse_afterBareDashes_touchesNothing() {
    assertThat(builder.parse("--disable-metrics", "--", "--disable-logging", "--instance-id"))
        .containsExactly("--", "--disable-logging", "--instance-id");
    ObservabilityConfig config = builder.build();
    assertThat(config.metrics()).isFalse();
    assertThat(config.logging()).isTrue();
  }

  @Test
  void parse_flagGivenTwice_lastHolds() {
    builder.parse("--instance-id", "a", "--instance-id=b");
    assertThat(builder.build().instanceId()).isEqualTo("b");
    builder.parse("--instance-id", "c");
    assertThat(builder.build().instanceId()).isEqualTo("c");
  }

  @Test
  void parse_repeatableFlags_addUp() {
    builder.parse("--drop-attribute", "b", "--drop-attribute=a", "--resource-label", "x");
    builder.parse("--drop-attribute", "c,b");
    ObservabilityConfig config = builder.build();
    assertThat(config.dropAttributes()).containsExactly("b", "a", "c");
    assertThat(config.resourceLabels()).containsExactly("x");
  }

  @Test
  void parse_valueWithEqualsOrDash_isTakenWhole() {
    builder.parse("--instance-id=a=b", "--prometheus-host=--odd");
    ObservabilityConfig config = builder.build();
    assertThat(config.instanceId()).isEqualTo("a=b");
    assertThat(config.prometheusHost()).isEqualTo("--odd");
    ValidationTest.assertRefused(
        b -> b.parse("--prometheus-port", "-1"), "prometheusPort (--prometheus-port): -1 is not");
  }

  @Test
  void parse_flagWithoutValue_isAFaultAndTakesNothingElse() {
    ValidationTest.assertRefused(
        b -> assertThat(b.parse("x", "--instance-id")).containsExactly("x"),
        "instanceId (--instance-id): needs a value ID");
    ValidationTest.assertRefused(
        b -> assertThat(b.parse("--instance-id", "--verbose")).containsExactly("--verbose"),
        "instanceId (--instance-id): needs a value ID");
    ValidationTest.assertRefused(
        b -> assertThat(b.parse("--instance-id", "--", "y")).containsExactly("--", "y"),
        "instanceId (--instance-id): needs a value ID");
  }

  @Test
  void parse_badCommandLine_isAFaultThoughCodeOverridesIt() {
    ValidationTest.assertRefused(
        b -> b.instanceId("ours").parse("--instance-id"), "instanceId (--instance-id)");
  }

  @Test
  void parse_toggleWithValue_isAFault() {
    ValidationTest.assertRefused(
        b -> b.parse("--disable-metrics=false"),
        "metrics (--disable-metrics): takes no value, but was given \"false\"");
  }

  @Test
  void parse_almostOurFlag_isHandedBack() {
    String[] foreign = {"--disable-metric", "--Disable-Metrics", "-disable-metrics", "", "-", "="};
    assertThat(builder.parse(foreign)).containsExactly(foreign).isUnmodifiable();
    assertThat(builder.build().explicit()).isEmpty();
  }

  @Property(tries = 200)
  void parse_anyForeignArguments_areHandedBackUntouched(@ForAll List<String> args) {
    ObservabilityConfig.Builder fresh = ObservabilityConfig.builder();
    assertThat(fresh.parse(args.toArray(String[]::new))).isEqualTo(args);
  }
}
