package io.lmcache.observability.usage;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.testing.FakeClock;
import io.lmcache.observability.testing.Threads;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class OptOutTest {

  @TempDir private Path home;
  private final Reports reports = new Reports();

  private UsageTelemetry.Options options(Map<String, String> environment) {
    return UsageFixture.on(home, reports, FakeClock.create()).environment(environment::get);
  }

  private void assertOff(UsageTelemetry.Options options) throws Exception {
    int before = Threads.named("lmcache-usage").size();
    EventBus bus = EventBus.create(10);
    Path log = home.resolve("usage.log");
    assertThat(UsageTelemetry.startEngine(UsageFixture.engine(), options.localLog(log))).isEmpty();
    assertThat(UsageTelemetry.startMpServer(bus, UsageFixture.server(), options)).isEmpty();
    assertThat(Threads.named("lmcache-usage")).hasSize(before);
    assertThat(bus.subscriberExceptions()).as("subscribers").isEmpty();
    try (Stream<Path> files = Files.list(home)) {
      assertThat(files).isEmpty();
    }
    assertThat(reports.all()).isEmpty();
  }

  static Stream<Map<String, String>> off() {
    return Stream.of(
        Map.of("LMCACHE_TRACK_USAGE", "false"),
        Map.of("LMCACHE_TRACK_USAGE", "FALSE"),
        Map.of("LMCACHE_TRACK_USAGE", " False "),
        Map.of("DO_NOT_TRACK", "1"),
        Map.of("DO_NOT_TRACK", "true"),
        Map.of("DO_NOT_TRACK", "yes"),
        Map.of("DO_NOT_TRACK", "TRUE"),
        Map.of("DO_NOT_TRACK", "YeS"),
        Map.of("DO_NOT_TRACK", "0", "LMCACHE_TRACK_USAGE", "false"),
        Map.of("DO_NOT_TRACK", "1", "LMCACHE_TRACK_USAGE", "true"));
  }

  @ParameterizedTest
  @MethodSource("off")
  void anyOff_wins_andNothingExists(Map<String, String> environment) throws Exception {
    assertOff(options(environment));
    assertOff(options(environment).enabled(true));
  }

  @Test
  void offInCode_winsToo() throws Exception {
    assertOff(options(Map.of("LMCACHE_TRACK_USAGE", "true", "DO_NOT_TRACK", "0")).enabled(false));
  }

  @Test
  void environmentThatCannotBeRead_isOff() throws Exception {
    assertOff(
        options(Map.of())
            .environment(
                name -> {
                  throw new SecurityException(name);
                }));
  }

  @ParameterizedTest
  @CsvSource({
    "LMCACHE_TRACK_USAGE,true",
    "LMCACHE_TRACK_USAGE,''",
    "DO_NOT_TRACK,0",
    "DO_NOT_TRACK,no",
    "DO_NOT_TRACK,''"
  })
  void whatIsNoOptOut_leavesItOn(String name, String value) {
    EngineUsage usage =
        UsageTelemetry.startEngine(UsageFixture.engine(), options(Map.of(name, value)))
            .orElseThrow();
    reports.await(3);
    usage.close(Duration.ofSeconds(30));
  }

  @Test
  void gate_thatClosesLater_stopsTheReports() {
    Map<String, String> environment = new HashMap<>();
    Outbox outbox = new Outbox(options(environment), "mp_server");
    UsageMessage message = new UsageMessage.L1UsageMessage(1, 2, 3, 4, 5);
    outbox.send(message);
    environment.put("DO_NOT_TRACK", "1");
    outbox.send(message);
    assertThat(reports.all()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "'',600",
    "600,600",
    "5,5",
    "1.5,1.5",
    "0,1",
    "0.2,1",
    "-7,1",
    "abc,600",
    "NaN,600",
    "Infinity,600",
    "1e3,600",
    "0x1p3,600",
    "10d,600",
    "5 s,600",
    "99999999999999999999,600",
    "999999999999,31536000"
  })
  void interval_ofTheEnvironment_isAtLeastASecond_malformedTenMinutes(String text, double seconds) {
    Map<String, String> environment = Map.of("LMCACHE_USAGE_TRACK_INTERVAL", text);
    assertThat(options(environment).intervalNanos()).isEqualTo((long) (seconds * 1e9));
    Consumer<Duration> code =
        interval ->
            assertThat(options(environment).interval(interval).intervalNanos())
                .isEqualTo(Math.max(interval.toNanos(), 1_000_000_000L));
    code.accept(Duration.ZERO);
    code.accept(Duration.ofSeconds(7));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "::",
        "ftp://h",
        "h:8080",
        "http://",
        "http:/x",
        "http://:80",
        "http://h:port",
        "http://h/?a=b",
        "http://h/#f",
        "http://h b"
      })
  void baseUrl_thatIsNone_sendsNothing_leastOfAllElsewhere(String url) {
    EngineUsage usage =
        UsageTelemetry.startEngine(UsageFixture.engine(), options(Map.of()).url(url)).orElseThrow();
    usage.tick(1, 1);
    assertThat(usage.close(Duration.ofSeconds(30))).isTrue();
    assertThat(reports.all()).isEmpty();
    assertThat(home.resolve(".config")).doesNotExist();
  }
}
