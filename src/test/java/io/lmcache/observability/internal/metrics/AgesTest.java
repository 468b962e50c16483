package io.lmcache.observability.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.L2Event;
import io.lmcache.observability.event.ObjectKey;
import io.lmcache.observability.internal.support.SpanLookup;
import io.lmcache.observability.testing.FakeClock;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What waits goes by the clock of the bus, whatever the times that events bring. */
class AgesTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration CAP = Duration.ofMinutes(5);
  private static final Duration PAIR_TIMEOUT = Duration.ofMinutes(10);
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration NANO = Duration.ofNanos(1);

  private static final List<ObjectKey> KEYS = List.of(ObjectKey.of("m", "", new byte[] {1}, 0));
  private static final Event WRITE = new L1Event.WriteFinished(KEYS);
  private static final Event EVICTION = new L1Event.KeysEvicted(KEYS);
  private static final Event START = new L2Event.StoreSubmitted(0, 1, "fs", Map.of(), 1);

  private final FakeClock clock = FakeClock.create();
  private final InMemoryMetricReader reader = InMemoryMetricReader.create();
  private final SdkMeterProvider provider =
      SdkMeterProvider.builder().registerMetricReader(reader).build();
  private final EventBus bus = EventBus.create(1_000, clock);
  private final MetricsSubscriber metrics =
      new MetricsSubscriber(
          provider.get("test"),
          MetricsFixture.config().sampleRate(1).pairTimeout(PAIR_TIMEOUT).build(),
          true,
          bus.recordingErrors(),
          new SpanLookup());

  @AfterEach
  void close() {
    bus.close();
    provider.close();
  }

  private void start() {
    bus.register(metrics);
    bus.start();
    advance(Duration.ZERO);
  }

  private void advance(Duration time) {
    clock.advance(time);
    assertThat(bus.flush(PATIENCE)).isTrue();
  }

  private long waitsThatAreOver() {
    return reader.collectAllMetrics().stream()
        .filter(metric -> metric.getName().equals("lmcache_mp.l1_chunk_evict_reuse_gap"))
        .flatMap(metric -> metric.getHistogramData().getPoints().stream())
        .mapToLong(point -> point.getCount())
        .sum();
  }

  private long pairsGivenUp() {
    return metrics.trackerEvictions().getOrDefault("l1_l2_pairs", -1L);
  }

  private void assertIsOverAfterTheCapExactly() {
    advance(CAP.minus(NANO));
    assertThat(waitsThatAreOver()).isZero();
    advance(NANO);
    assertThat(waitsThatAreOver()).isOne();
  }

  private void assertIsGivenUpAfterTheTimeoutExactly() {
    advance(PAIR_TIMEOUT);
    assertThat(pairsGivenUp()).isZero();
    advance(NANO);
    assertThat(pairsGivenUp()).isOne();
  }

  private void publish(Event event, String stamp) {
    long own =
        switch (stamp) {
          case "an hour ahead" -> clock.epochNanos() + HOUR.toNanos();
          case "an hour ago" -> clock.epochNanos() - HOUR.toNanos();
          default -> 1;
        };
    assertThat(bus.publish(event, own)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"an hour ahead", "an hour ago", "1970"})
  void eviction_withATimeOfItsOwn_isOverAfter300Seconds(String stamp) {
    start();
    publish(WRITE, stamp);
    publish(EVICTION, stamp);
    assertIsOverAfterTheCapExactly();
  }

  @ParameterizedTest
  @ValueSource(strings = {"an hour ahead", "an hour ago", "1970"})
  void submission_withATimeOfItsOwn_isGivenUpAfterTheTimeout(String stamp) {
    start();
    publish(START, stamp);
    assertIsGivenUpAfterTheTimeoutExactly();
  }

  @Test
  void eviction_betweenTicks_isOverAfter300SecondsAndNotBefore() {
    start();
    for (Duration sinceTick : List.of(Duration.ofNanos(900_000), HOUR)) {
      clock.advance(sinceTick);
      bus.publish(WRITE);
      bus.publish(EVICTION);
      long before = waitsThatAreOver();
      advance(CAP.minus(NANO));
      assertThat(waitsThatAreOver()).isEqualTo(before);
      advance(NANO);
      assertThat(waitsThatAreOver()).isEqualTo(before + 1);
    }
  }

  @Test
  void events_publishedBeforeTheStart_ageFromWhenTheyWerePublished() {
    bus.publish(WRITE);
    bus.publish(EVICTION);
    bus.publish(START);
    clock.advance(HOUR);
    bus.publish(WRITE);
    bus.publish(EVICTION);
    bus.publish(START);
    start();
    assertThat(waitsThatAreOver()).isOne();
    assertThat(pairsGivenUp()).isOne();
    advance(CAP.minus(NANO));
    assertThat(waitsThatAreOver()).isOne();
    advance(NANO);
    assertThat(waitsThatAreOver()).isEqualTo(2);
  }

  @Test
  void clockThatIsPutBack_delaysNothing() {
    start();
    bus.publish(WRITE);
    bus.publish(EVICTION);
    bus.publish(START);
    advance(CAP.minus(NANO));
    advance(HOUR.negated());
    assertThat(waitsThatAreOver()).isZero();
    advance(NANO);
    assertThat(waitsThatAreOver()).isOne();
    advance(PAIR_TIMEOUT.minus(CAP));
    assertThat(pairsGivenUp()).isZero();
    advance(NANO);
    assertThat(pairsGivenUp()).isOne();
  }
}
