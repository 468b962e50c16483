package io.lmcache.observability.internal.logging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.testing.FakeClock;
import io.lmcache.observability.testing.Logs;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SummarySubscriberTest {

  private static final String NOTHING =
      "summary interval_s=60.0 requests=0 hit_rate=- l1_usage=- store_gb_per_s=-"
          + " retrieve_gb_per_s=- dropped_events=0";

  private final FakeClock clock = FakeClock.create();
  private final AtomicLong dropped = new AtomicLong();
  private final SummarySubscriber summary =
      new SummarySubscriber(Duration.ofMinutes(1), dropped::get);
  private final Logs logs = Logs.of("lmcache.observability");

  @AfterEach
  void close() {
    logs.close();
  }

  private void tickAfter(Duration step) {
    clock.advance(step);
    summary.onTick(clock.epochNanos());
  }

  private void on(Event... events) {
    for (Event event : events) {
      summary.onEvent(event, clock.epochNanos());
    }
  }

  private static Event lookup(long requested, long hit) {
    return new ServerEvent.LookupPrefetchEnd("s", 1, requested, hit, "m", "");
  }

  private static Event stored(String device, long bytes) {
    return new ServerEvent.StoreEnd("s", device, "e", "m", 1, bytes);
  }

  private static Event retrieved(String device, long bytes) {
    return new ServerEvent.RetrieveEnd("s", device, "e", "m", "", 1, bytes);
  }

  @Test
  void interval_withTraffic_isOneInfoLine_andTheNextBeginsAnew() {
    summary.onTick(clock.epochNanos());
    on(
        new ServerEvent.RequestStart("s"),
        new ServerEvent.RequestStart("t"),
        lookup(1_000, 300),
        lookup(500, 0),
        lookup(0, 0),
        stored("cuda:1", 30_000_000_000L),
        stored("cuda:0", 30_000_000_000L),
        stored("cuda:1", 30_000_000_000L),
        retrieved("cuda:0", 6_000_000_000L),
        new L1Event.EvictionLoopTick(false, 0.9, 0.8),
        new L1Event.EvictionLoopTick(false, 0.41236, 0.8));
    dropped.set(7);
    tickAfter(Duration.ofSeconds(59));
    assertThat(logs.messages()).isEmpty();
    tickAfter(Duration.ofSeconds(1));
    assertThat(logs.lines()).singleElement().returns(Level.INFO, line -> line.getLevel());
    assertThat(logs.messages())
        .containsExactly(
            "summary interval_s=60.0 requests=2 hit_rate=0.2 l1_usage=0.412"
                + " store_gb_per_s=[cuda:0:0.500,cuda:1:1.000] retrieve_gb_per_s=[cuda:0:0.100]"
                + " dropped_events=7");
    assertThat(Path.of("README.md")).content().contains(logs.messages().get(0));
    assertThat(Backend.pairs(logs.lines().get(0)))
        .containsEntry("event", "summary")
        .containsEntry("hit_rate", 0.2)
        .containsEntry("requests", 2L);
    dropped.set(9);
    tickAfter(Duration.ofMinutes(1));
    assertThat(logs.messages())
        .last()
        .isEqualTo(NOTHING.replace("l1_usage=-", "l1_usage=0.412").replace("events=0", "events=2"));
  }

  @Test
  void nothing_thatHappened_isSaidAsAbsent_neverAsNaN() {
    summary.onTick(clock.epochNanos());
    on(lookup(0, 0));
    tickAfter(Duration.ofMinutes(1));
    assertThat(logs.messages()).containsExactly(NOTHING);
  }

  @Test
  void longGap_isOneLine_ofItsRealLength() {
    summary.onTick(clock.epochNanos());
    on(stored("d", 3_600_000_000_000L));
    tickAfter(Duration.ofHours(1));
    summary.onTick(clock.epochNanos());
    tickAfter(Duration.ofSeconds(59));
    assertThat(logs.messages())
        .singleElement()
        .asString()
        .contains("interval_s=3600.0", "store_gb_per_s=[d:1.000]");
  }

  @Test
  void clockSetBack_endsTheInterval_withoutRates_andAJitterDoesNot() {
    summary.onTick(clock.epochNanos());
    on(stored("d", 1_000_000_000), lookup(4, 3));
    tickAfter(Duration.ofSeconds(10));
    tickAfter(Duration.ofMillis(-20));
    assertThat(logs.messages()).isEmpty();
    tickAfter(Duration.ofHours(-1));
    assertThat(logs.messages())
        .singleElement()
        .asString()
        .contains("interval_s=- ", "hit_rate=0.75", "store_gb_per_s=- ");
    tickAfter(Duration.ofMinutes(1));
    assertThat(logs.messages()).hasSize(2).last().isEqualTo(NOTHING);
  }

  @Test
  void devices_beyondTheBound_areSummedUp() {
    summary.onTick(clock.epochNanos());
    for (int i = 0; i < 100; i++) {
      on(stored(String.format(Locale.ROOT, "d%02d", i), 60_000_000_000L));
    }
    on(stored("d00", 60_000_000_000L));
    tickAfter(Duration.ofMinutes(1));
    assertThat(logs.messages())
        .singleElement()
        .asString()
        .contains("[d00:2.000,d01:1.000,", "d63:1.000,other:36.000] ")
        .doesNotContain("d64");
  }

  @Test
  void devices_thatForge_areEscaped() {
    summary.onTick(clock.epochNanos());
    on(stored("d] dropped_events=0\nx", 60_000_000_000L));
    tickAfter(Duration.ofMinutes(1));
    assertThat(logs.messages())
        .singleElement()
        .asString()
        .contains("[d\\u005d\\u0020dropped_events\\u003d0\\nx:1.000] ")
        .doesNotContain("\n");
  }

  @Test
  void eventsBeforeTheFirstTick_areNotLost() {
    on(new ServerEvent.RequestStart("s"));
    summary.onTick(clock.epochNanos());
    tickAfter(Duration.ofMinutes(1));
    assertThat(logs.messages()).singleElement().asString().contains("requests=1 ");
  }

  @Test
  void backendThatFails_costsOneLine_andTheNextIsRight() {
    summary.onTick(clock.epochNanos());
    on(new ServerEvent.RequestStart("s"));
    clock.advance(Duration.ofMinutes(1));
    try (Logs failing = Logs.failing("lmcache.observability", new AssertionError("full"))) {
      assertThatThrownBy(() -> summary.onTick(clock.epochNanos()))
          .isInstanceOf(AssertionError.class);
      assertThat(failing.lines()).hasSize(1);
    }
    tickAfter(Duration.ofMinutes(1));
    assertThat(logs.messages()).last().isEqualTo(NOTHING);
  }
}
