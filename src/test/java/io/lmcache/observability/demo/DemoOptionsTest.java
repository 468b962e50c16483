package io.lmcache.observability.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.demo.DemoOptions.UsageException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DemoOptionsTest {

  private static DemoOptions parse(String... args) throws UsageException {
    return DemoOptions.parse(
        ObservabilityConfig.builder().environment(Map.of()).systemProperties(Map.of()), args);
  }

  @Test
  void parse_nothing_isTheDefaults() throws UsageException {
    DemoOptions options = parse();
    assertThat(options.trace()).isNull();
    assertThat(options.l1Chunks()).isEqualTo(8000);
    assertThat(options.tenants()).isEqualTo(1);
    assertThat(options.speed()).isZero();
    assertThat(options.traceTime()).isFalse();
    assertThat(options.loop()).isFalse();
    assertThat(options.exit()).isFalse();
    assertThat(options.config().prometheusPort()).isEqualTo(9464);
  }

  @Test
  void parse_valuesAsNextArgument_areTaken() throws UsageException {
    DemoOptions options =
        parse("--trace", "a.jsonl", "--l1-chunks", "0", "--tenants", "3", "--speed", "2.5");
    assertThat(options.trace()).isEqualTo(Path.of("a.jsonl"));
    assertThat(options.l1Chunks()).isZero();
    assertThat(options.tenants()).isEqualTo(3);
    assertThat(options.speed()).isEqualTo(2.5);
  }

  @Test
  void parse_valuesBehindEqualsSigns_areTaken() throws UsageException {
    DemoOptions options =
        parse("--trace=x=y.jsonl", "--l1-chunks=7", "--tenants=2", "--speed=1e1", "--trace-time");
    assertThat(options.trace()).isEqualTo(Path.of("x=y.jsonl"));
    assertThat(options.l1Chunks()).isEqualTo(7);
    assertThat(options.tenants()).isEqualTo(2);
    assertThat(options.speed()).isEqualTo(10);
    assertThat(options.traceTime()).isTrue();
  }

  @Test
  void parse_flagsOfTheLibraryInBetween_areTaken() throws UsageException {
    DemoOptions options =
        parse("--exit", "--prometheus-port", "0", "--tenants", "2", "--disable-logging");
    assertThat(options.exit()).isTrue();
    assertThat(options.tenants()).isEqualTo(2);
    assertThat(options.config().prometheusPort()).isZero();
    assertThat(options.config().logging()).isFalse();
  }

  @Test
  void parse_sameOptionTwice_theLastHolds() throws UsageException {
    assertThat(parse("--tenants=2", "--tenants", "5").tenants()).isEqualTo(5);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--l1-chunks=-1      | --l1-chunks must be a whole number from 0",
        "--l1-chunks=1e3     | --l1-chunks must be a whole number from 0",
        "--l1-chunks=3000000000 | --l1-chunks must be a whole number from 0",
        "--tenants=0         | --tenants must be a whole number from 1",
        "--tenants=          | --tenants must be a whole number from 1",
        "--speed=-0.5        | --speed must be a number from 0",
        "--speed=NaN         | --speed must be a number from 0",
        "--speed=1e999       | --speed must be a number from 0",
        "--speed=fast        | --speed must be a number from 0",
        "--trace             | --trace needs a value",
        "--tenants           | --tenants needs a value",
        "--trace=            | --trace is empty",
        "--exit=true         | --exit takes no value",
        "--nonsense          | unknown option",
        "trace.jsonl         | unknown option",
        "--                  | unknown option",
        "--prometheus-port=70000 | --prometheus-port",
        "--metrics-sample-rate=0 | --metrics-sample-rate",
        "--otlp-endpoint     | --otlp-endpoint",
      })
  void parse_badOption_isRefusedByName(String arg, String message) {
    assertThatThrownBy(() -> parse(arg))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining(message);
  }

  @Test
  void parse_valueThatIsAnOption_isNotTaken() {
    assertThatThrownBy(() -> parse("--trace", "--exit")).hasMessage("--trace needs a value");
  }

  @Test
  void parse_severalFaults_areAllTold() {
    assertThatThrownBy(() -> parse("--tenants=0", "--nonsense", "--prometheus-port=-1"))
        .hasMessageContainingAll("--tenants", "--nonsense", "--prometheus-port");
  }

  @Test
  void parse_loopAndExit_excludeEachOther() {
    assertThatThrownBy(() -> parse("--loop", "--exit"))
        .hasMessage("--loop and --exit exclude each other");
  }
}
