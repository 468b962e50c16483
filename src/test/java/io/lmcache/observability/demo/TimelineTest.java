package io.lmcache.observability.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.event.ServerEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimelineTest {

  private static final Instant START = Instant.parse("2020-01-01T00:00:00Z");

  @Test
  void advanceTo_withAClock_movesItOnlyWhenEarlierEventsAreHandled() {
    Timeline.Clock clock = new Timeline.Clock();
    List<Duration> behind = Collections.synchronizedList(new ArrayList<>());
    try (EventBus bus = EventBus.create(1000, clock)) {
      bus.subscribe(
          ServerEvent.EndSession.class,
          "lag",
          (event, nanos) ->
              behind.add(Duration.between(Instant.EPOCH.plusNanos(nanos), clock.instant())));
      bus.start();
      Timeline timeline = new Timeline(bus, 1000, clock, 0, () -> false);
      for (int i = 0; i < 500; i++) {
        timeline.advanceBy(Duration.ofSeconds(1));
        bus.publish(new ServerEvent.EndSession("a"));
        bus.publish(new ServerEvent.EndSession("b"));
      }
    }
    assertThat(behind).hasSize(1000).containsOnly(Duration.ZERO);
    assertThat(clock.instant()).isEqualTo(START.plusSeconds(500));
  }

  @Test
  void advanceTo_thePast_staysWhereItIs() {
    Timeline.Clock clock = new Timeline.Clock();
    try (EventBus bus = EventBus.create(10, clock)) {
      bus.start();
      Timeline timeline = new Timeline(bus, 10, clock, 0, () -> false);
      timeline.advanceBy(Duration.ofMillis(5));
      timeline.advanceTo(Timeline.START_NANOS);
      assertThat(timeline.now()).isEqualTo(Timeline.START_NANOS + 5_000_000);
      assertThat(clock.instant()).isEqualTo(START.plusMillis(5));
    }
  }

  @Test
  void advanceTo_atAPace_takesItsShareOfTheTime() {
    try (EventBus bus = EventBus.create(10)) {
      long before = System.nanoTime();
      Timeline timeline = new Timeline(bus, 10, null, 100, () -> false);
      timeline.advanceBy(Duration.ofSeconds(3));
      assertThat(Duration.ofNanos(System.nanoTime() - before))
          .isBetween(Duration.ofMillis(30), Duration.ofSeconds(2));
    }
  }

  @Test
  void skipTo_atAPace_takesNoTimeAndKeepsThePace() {
    try (EventBus bus = EventBus.create(10)) {
      long before = System.nanoTime();
      Timeline timeline = new Timeline(bus, 10, null, 1, () -> false);
      timeline.skipTo(timeline.now() + Duration.ofDays(1).toNanos());
      timeline.advanceBy(Duration.ofMillis(20));
      assertThat(Duration.ofNanos(System.nanoTime() - before))
          .isBetween(Duration.ofMillis(20), Duration.ofSeconds(5));
    }
  }

  @Test
  void advanceTo_whenStopped_holdsNothingUp() {
    try (EventBus bus = EventBus.create(10)) {
      Timeline timeline = new Timeline(bus, 10, null, 1, () -> true);
      timeline.advanceBy(Duration.ofDays(1));
      assertThat(timeline.now()).isGreaterThan(Timeline.START_NANOS);
    }
  }

  @Test
  void beforeEvent_queueMoreThanHalfFull_waitsUntilItIsNot() {
    try (EventBus bus = EventBus.create(10)) {
      Timeline timeline = new Timeline(bus, 10, null, 0, () -> false);
      for (int i = 0; i < 6; i++) {
        timeline.beforeEvent();
        bus.publish(new ServerEvent.EndSession("a"));
      }
      assertThat(bus.queueDepth()).isEqualTo(6);
      bus.start();
      timeline.beforeEvent();
      assertThat(bus.queueDepth()).isLessThanOrEqualTo(5);
    }
  }

  @Test
  void beforeEvent_atTheTracesOwnPace_neverWaits() {
    try (EventBus bus = EventBus.create(2)) {
      Timeline timeline = new Timeline(bus, 2, null, 1, () -> false);
      for (int i = 0; i < 5; i++) {
        timeline.beforeEvent();
        bus.publish(new ServerEvent.EndSession("a"));
      }
      assertThat(bus.dropped()).isEqualTo(3);
    }
  }
}
