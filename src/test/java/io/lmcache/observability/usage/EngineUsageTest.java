package io.lmcache.observability.usage;

import static io.lmcache.observability.usage.UsageFixture.CHUNK;
import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.testing.FakeClock;
import io.lmcache.observability.testing.Samples;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineUsageTest {

  private static final Duration INTERVAL = Duration.ofMinutes(10);
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long BYTES_PER_TOKEN = 32L * 2 * 8 * 128 * 2;

  @TempDir private Path home;
  private final FakeClock clock = FakeClock.create();
  private final Reports reports = new Reports();
  private EngineUsage usage;

  @BeforeEach
  void start() {
    usage = start(UsageFixture.engine());
    reports.await(3);
  }

  @AfterEach
  void close() {
    usage.close(PATIENCE);
  }

  private EngineUsage start(EngineUsage.Setup setup) {
    return UsageTelemetry.startEngine(setup, UsageFixture.on(home, reports, clock)).orElseThrow();
  }

  private Map<String, Object> usageReport(int number) {
    reports.await(3 + 2 * number);
    return reports.of("ContinuousContextMessage").get(number - 1);
  }

  private static Map<String, Object> histogram(Map<String, Long> filled) {
    Map<String, Object> whole = new LinkedHashMap<>();
    for (int bound : List.of(0, 1, 5, 10, 20, 40, 60, 80, 100, 250, 500, 750, 1000, 2500, 5000)) {
      whole.put("" + bound, filled.getOrDefault("" + bound, 0L));
    }
    return whole;
  }

  @Test
  void tick_theFirst_sendsBothReports() {
    usage.tick(10, 20);
    assertThat(usageReport(1))
        .containsEntry("interval_num_stored_tokens", 10L)
        .containsEntry("interval_num_hit_tokens", 20L)
        .containsEntry("interval_stored_kv_size", 10 * BYTES_PER_TOKEN)
        .containsEntry("sequence_number", 1L)
        .containsEntry("uptime_seconds", 0.0);
    assertThat(reports.types().subList(3, 5))
        .containsExactly("ContinuousContextMessage", "CacheLifespanMessage");
  }

  @Test
  void ticks_ofAnInterval_areAddedUp() {
    usage.tick(1, 1);
    usageReport(1);
    usage.tick(10, 100);
    clock.advance(INTERVAL.minusNanos(1));
    usage.tick(20, 200);
    clock.advance(Duration.ofNanos(1));
    usage.tick(30, 300, 3);
    assertThat(usageReport(2))
        .containsEntry("interval_num_stored_tokens", 60L)
        .containsEntry("interval_num_hit_tokens", 600L)
        .containsEntry("sequence_number", 2L)
        .containsEntry("uptime_seconds", 600.0);
    assertThat(reports.of("CacheLifespanMessage").get(1).get("cache_lifespan_histogram"))
        .isEqualTo(histogram(Map.of("5", 1L)));
    clock.advance(INTERVAL);
    usage.tick(0, 0);
    assertThat(usageReport(3)).containsEntry("interval_num_stored_tokens", 0L);
    assertThat(reports.of("CacheLifespanMessage").get(2).get("cache_lifespan_histogram"))
        .isEqualTo(histogram(Map.of()));
  }

  @Test
  void clock_thatIsPutBack_delaysAReportByOneIntervalOnly() {
    usage.tick(1, 1);
    usageReport(1);
    clock.advance(Duration.ofDays(-1));
    usage.tick(2, 2);
    clock.advance(INTERVAL);
    usage.tick(3, 3);
    assertThat(usageReport(2))
        .containsEntry("interval_num_stored_tokens", 5L)
        .containsEntry("uptime_seconds", 0.0);
  }

  @Test
  void probeOfTheMachine_thatFails_costsItsMessageOnly() {
    Reports others = new Reports();
    UsageTelemetry.Options options =
        UsageFixture.on(home, others, clock)
            .environment(
                name -> {
                  if (name.equals("RUNPOD_DC_ID")) {
                    throw new SecurityException(name);
                  }
                  return null;
                });
    EngineUsage failing = UsageTelemetry.startEngine(UsageFixture.engine(), options).orElseThrow();
    assertThat(failing.close(PATIENCE)).isTrue();
    assertThat(others.types()).containsExactly("EngineMessage", "MetadataMessage");
  }

  @Test
  void lifespans_standUnderTheBoundAboveThem() {
    usage.tick(0, 0, 0, 0.999, 1.0, 4.999, 5.0, 9.99, 4_999.9, 5_000, 5_000.1, 1e300);
    usageReport(1);
    assertThat(reports.of("CacheLifespanMessage").get(0).get("cache_lifespan_histogram"))
        .isEqualTo(histogram(Map.of("1", 2L, "5", 2L, "10", 2L, "5000", 2L)));
    assertThat(usage.skippedValues()).isZero();
  }

  @Test
  void values_thatAreBad_areSkippedAndCounted() {
    usage.tick(Long.MAX_VALUE, -1, Double.NaN, -0.5, Double.NEGATIVE_INFINITY, 2);
    assertThat(usageReport(1))
        .containsEntry("interval_num_stored_tokens", 0L)
        .containsEntry("interval_num_hit_tokens", 0L);
    assertThat(reports.of("CacheLifespanMessage").get(0).get("cache_lifespan_histogram"))
        .isEqualTo(histogram(Map.of("5", 1L)));
    assertThat(usage.skippedValues()).isEqualTo(5);
    usage.tick(0, 0, Samples.<double[]>nothing());
    assertThat(usage.skippedValues()).isEqualTo(5);
  }

  @Test
  void sums_doNotWrapAround() {
    usage.tick(0, 0);
    usageReport(1);
    for (int i = 0; i < 2_000; i++) {
      usage.tick(1L << 53, 1L << 53);
    }
    clock.advance(INTERVAL);
    usage.tick(1, 1);
    assertThat(usageReport(2))
        .containsEntry("interval_num_stored_tokens", Long.MAX_VALUE)
        .containsEntry("interval_num_hit_tokens", Long.MAX_VALUE)
        .containsEntry("interval_stored_kv_size", Long.MAX_VALUE);
    assertThat(usage.skippedValues()).isZero();
  }

  @Test
  void bytesPerToken_ofAnythingButTheStandardShape_isZero() {
    assertThat(EngineUsage.bytesPerToken(new int[] {32, 2, CHUNK, 8, 128}, 2))
        .isEqualTo(BYTES_PER_TOKEN);
    assertThat(EngineUsage.bytesPerToken(new int[] {32, 2, 7, 8, 128}, 1))
        .isEqualTo(BYTES_PER_TOKEN / 2);
    assertThat(EngineUsage.bytesPerToken(new int[] {}, 2)).isZero();
    assertThat(EngineUsage.bytesPerToken(new int[] {32, 2, 8, 128}, 2)).isZero();
    assertThat(EngineUsage.bytesPerToken(new int[] {32, 2, 0, 8, 128}, 2)).isZero();
    assertThat(EngineUsage.bytesPerToken(new int[] {-32, 2, 1, -8, 128}, 2)).isZero();
    assertThat(EngineUsage.bytesPerToken(new int[] {32, 2, 1, 8, 128}, 0)).isZero();
    int huge = Integer.MAX_VALUE;
    assertThat(EngineUsage.bytesPerToken(new int[] {huge, huge, 1, huge, huge}, 2)).isZero();
  }

  @Test
  void setup_ofNothing_isReportedAllTheSame() {
    EngineUsage empty =
        start(EngineUsage.setup().modelName(null).kvCache(null, 0, (int[]) null).remoteUrl(null));
    reports.await(6);
    assertThat(reports.of("EngineMessage").get(1))
        .containsEntry("model_name", "")
        .containsEntry("kv_shape", "")
        .containsEntry("blend_recompute_ratio", 0.15);
    assertThat(empty.close(PATIENCE)).isTrue();
  }
}
