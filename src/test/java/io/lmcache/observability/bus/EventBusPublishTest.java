package io.lmcache.observability.bus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lmcache.observability.event.CustomEvent;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.EventType;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.internal.support.Warnings;
import io.lmcache.observability.testing.BlockingSubscriber;
import io.lmcache.observability.testing.FakeClock;
import io.lmcache.observability.testing.Law;
import io.lmcache.observability.testing.Logs;
import io.lmcache.observability.testing.RecordingSubscriber;
import io.lmcache.observability.testing.Samples;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventBusPublishTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Lies about its kind. */
  private record Liar(boolean silent) implements CustomEvent {
    @Override
    public EventType type() {
      if (silent) {
        return Samples.nothing();
      }
      throw new IllegalStateException("no type");
    }
  }

  private final FakeClock clock = FakeClock.create();
  private final RecordingSubscriber recorder = RecordingSubscriber.create();
  private EventBus bus = EventBus.create(5, clock);

  @AfterEach
  void stop() {
    bus.stop(PATIENCE);
  }

  @Test
  void publish_nothingDraining_acceptsExactlyTheBound() {
    int accepted = 0;
    for (int i = 0; i < 10; i++) {
      accepted += bus.publish(Samples.tick()) ? 1 : 0;
    }
    assertThat(accepted).isEqualTo(5);
    assertThat(bus.queueDepth()).isEqualTo(5);
    assertThat(bus.dropped()).isEqualTo(5);
    assertThat(bus.droppedByType()).isEqualTo(Map.of("l1.eviction.loop_tick", 5L));
    assertThat(Law.holds(bus, 10)).isEqualTo(new BusStatistics(10, 0, 0, 5, 5));
  }

  @Test
  void publish_subscriberBlocked_acceptsTheBoundAndOneInDispatch() {
    bus = EventBus.create(4, clock);
    BlockingSubscriber blocked = new BlockingSubscriber();
    bus.register(blocked);
    bus.start();
    assertThat(bus.publish(Samples.tick())).isTrue();
    blocked.awaitBlocked();
    int accepted = 1;
    for (int i = 1; i < 10; i++) {
      accepted += bus.publish(Samples.tick()) ? 1 : 0;
    }
    assertThat(accepted).isEqualTo(5);
    assertThat(Law.holds(bus, 10)).isEqualTo(new BusStatistics(10, 0, 1, 4, 5));
    assertThat(bus.queueDepth()).isEqualTo(4);
    clock.advance(Duration.ofMillis(1_500));
    assertThat(bus.oldestEventAge()).isEqualTo(Duration.ofMillis(1_500));
    assertThat(bus.subscriberExceptions()).isEqualTo(Map.of("BlockingSubscriber", 0L));
    blocked.release();
    assertThat(bus.flush(PATIENCE)).isTrue();
    assertThat(blocked.count()).isEqualTo(5);
    assertThat(bus.oldestEventAge()).isZero();
    assertThat(Law.holds(bus, 10)).isEqualTo(new BusStatistics(10, 5, 0, 0, 5));
  }

  @Test
  void publish_null_countsLikeAFullQueueAndWarnsOnce() {
    try (Logs logs = Logs.of(Warnings.LOGGER)) {
      for (int i = 0; i < 3; i++) {
        assertThat(bus.publish(Samples.nothing())).isFalse();
      }
      assertThat(bus.publish(Samples.nothing(), 1)).isFalse();
      assertThat(logs.warnings()).singleElement().asString().contains("null");
      assertThat(logs.debugs()).hasSize(3);
    }
    assertThat(bus.droppedByType()).isEqualTo(Map.of("null", 4L));
    assertThat(Law.holds(bus, 4).dropped()).isEqualTo(4);
  }

  @Test
  void publish_afterStop_isRefusedAndCounted() {
    bus.start();
    assertThat(bus.stop(PATIENCE)).isTrue();
    assertThat(bus.publish(Samples.tick())).isFalse();
    assertThat(bus.publish(Samples.numbered(1), 7)).isFalse();
    assertThat(bus.droppedByType()).isEqualTo(Map.of("l1.eviction.loop_tick", 1L, "custom", 1L));
    Law.holds(bus, 2);
  }

  @Test
  void publish_customEventWithoutType_countsAsCustom() {
    bus = EventBus.create(1, clock);
    bus.publish(Samples.tick());
    assertThat(bus.publish(new Liar(true))).isFalse();
    assertThat(bus.publish(new Liar(false))).isFalse();
    assertThat(bus.droppedByType()).isEqualTo(Map.of("custom", 2L));
  }

  @Test
  void publish_stamps_areTheClockAtThePublish() {
    bus.register(recorder);
    long first = clock.epochNanos();
    bus.publish(Samples.numbered(1));
    clock.advance(Duration.ofNanos(7));
    bus.publish(Samples.numbered(2));
    clock.advance(Duration.ofDays(1));
    bus.start();
    assertThat(bus.flush(PATIENCE)).isTrue();
    assertThat(recorder.stamps()).containsExactly(first, first + 7);
  }

  @Test
  void publish_withATimeOfItsOwn_isHandedOverWithIt() {
    bus.register(recorder);
    bus.publish(Samples.numbered(1), 42);
    bus.publish(Samples.numbered(2), Long.MAX_VALUE);
    bus.start();
    assertThat(bus.flush(PATIENCE)).isTrue();
    assertThat(recorder.stamps()).containsExactly(42L, Long.MAX_VALUE);
    assertThat(recorder.received()).containsExactly(Samples.numbered(1), Samples.numbered(2));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE})
  void publish_withAStampOfZeroOrLess_isABadFieldAndNoPublish(long stamp) {
    try (Logs logs = Logs.of(Warnings.LOGGER)) {
      assertThat(bus.publish(Samples.tick(), stamp)).isFalse();
      assertThat(bus.publish(Samples.tick(), stamp)).isFalse();
      assertThat(logs.warnings()).hasSize(1);
      assertThat(logs.thrown()).singleElement().isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(bus.recordingErrors().of(RecordingErrors.Reason.INVALID_FIELD)).isEqualTo(2);
    Law.holds(bus, 0);
  }

  @Test
  void oldestEventAge_anyState_isSincePublishAndNeverNegative() {
    assertThat(bus.oldestEventAge()).isZero();
    bus.publish(Samples.tick(), 1);
    clock.advance(Duration.ofSeconds(2));
    bus.publish(Samples.tick());
    assertThat(bus.oldestEventAge()).isEqualTo(Duration.ofSeconds(2));
    clock.advance(Duration.ofSeconds(-10));
    assertThat(bus.oldestEventAge()).isZero();
  }

  @Test
  void publish_clockThatThrows_isStampedByTheMachine() {
    for (InstantSource foreign :
        new InstantSource[] {
          () -> {
            throw new IllegalStateException("no time");
          },
          () -> {
            throw new NoClassDefFoundError("no time");
          },
          Samples::nothing,
          () -> Instant.MAX
        }) {
      bus.stop(PATIENCE);
      bus = EventBus.create(5, foreign);
      RecordingSubscriber own = RecordingSubscriber.create();
      bus.register(own);
      assertThat(bus.publish(Samples.tick())).isTrue();
      assertThat(bus.oldestEventAge()).isLessThan(Duration.ofMinutes(1));
      bus.start();
      assertThat(bus.flush(PATIENCE)).isTrue();
      long now = Instant.now().toEpochMilli();
      assertThat(own.stamps())
          .singleElement()
          .satisfies(stamp -> assertThat(stamp / 1_000_000).isBetween(now - 60_000, now));
    }
  }

  @Test
  void publishOnStream_deferred_isStampedWhenItRuns() {
    Queue<Runnable> stream = new ArrayDeque<>();
    bus.register(recorder);
    assertThat(bus.publishOnStream(stream::add, Samples.numbered(1))).isTrue();
    Law.holds(bus, 0);
    clock.advance(Duration.ofSeconds(3));
    stream.remove().run();
    Law.holds(bus, 1);
    bus.start();
    assertThat(bus.flush(PATIENCE)).isTrue();
    assertThat(recorder.stamps()).containsExactly(clock.epochNanos());
  }

  @Test
  void publishOnStream_streamThatThrows_costsTheEventAndIsCounted() {
    try (Logs logs = Logs.of(Warnings.LOGGER)) {
      assertThat(
              bus.publishOnStream(
                  task -> {
                    throw new StackOverflowError();
                  },
                  Samples.tick()))
          .isFalse();
      assertThat(bus.publishOnStream(Samples.nothing(), Samples.tick())).isFalse();
      assertThat(logs.warnings()).hasSize(1);
      assertThat(logs.thrown()).singleElement().isInstanceOf(StackOverflowError.class);
    }
    assertThat(bus.recordingErrors().of(RecordingErrors.Reason.STREAM_FAILED)).isEqualTo(2);
    Law.holds(bus, 0);
  }

  @Test
  void publishOnStream_null_countsWhenItRuns() {
    assertThat(bus.publishOnStream(Runnable::run, Samples.nothing())).isTrue();
    assertThat(bus.droppedByType()).isEqualTo(Map.of("null", 1L));
  }

  @Test
  void refused_anything_isCountedAndWarnedOncePerKind() {
    Throwable fault = new IllegalArgumentException("keys is null");
    try (Logs logs = Logs.of(Warnings.LOGGER)) {
      bus.refused(L1Event.ReadFinished.class, fault);
      bus.refused(L1Event.ReadFinished.class, fault);
      bus.refused(L1Event.ReadReserved.class, fault);
      bus.refused(Samples.nothing(), Samples.nothing());
      assertThat(logs.warnings()).hasSize(3);
      assertThat(logs.thrown()).containsExactly(fault, fault);
    }
    assertThat(bus.recordingErrors().byReason())
        .isEqualTo(Map.of("invalid_field", 4L, "invalid_value", 0L, "stream_failed", 0L));
  }

  @Test
  void publish_loggingBackendThatThrows_doesNotThrow() {
    try (Logs logs = Logs.failing(Warnings.LOGGER, new NoClassDefFoundError("layout"))) {
      assertThat(bus.publish(Samples.nothing())).isFalse();
      bus.refused(Event.class, new IllegalStateException());
      assertThat(logs.warnings()).hasSize(2);
    }
  }

  @Test
  void publish_interruptedCaller_worksAndKeepsTheFlag() {
    Thread.currentThread().interrupt();
    assertThat(bus.publish(Samples.tick())).isTrue();
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void disabled_everything_doesNothingAndCountsNothing() {
    EventSink off = EventSink.noop();
    bus = EventBus.disabled();
    for (EventSink sink : new EventSink[] {off, bus}) {
      assertThat(sink.isEnabled()).isFalse();
      assertThat(sink.publish(Samples.tick())).isFalse();
      assertThat(sink.publish(Samples.nothing())).isFalse();
      assertThat(sink.publish(Samples.tick(), -1)).isFalse();
      assertThat(
              sink.publishOnStream(
                  task -> {
                    throw new AssertionError("scheduled");
                  },
                  Samples.tick()))
          .isFalse();
      sink.refused(Event.class, new IllegalStateException());
    }
    bus.start();
    assertThat(bus.flush(PATIENCE)).isTrue();
    assertThat(Law.holds(bus, 0)).isEqualTo(new BusStatistics(0, 0, 0, 0, 0));
    assertThat(bus.recordingErrors().byReason()).allSatisfy((r, n) -> assertThat(n).isZero());
    assertThat(bus.stop(PATIENCE)).isTrue();
    assertThat(bus.flush(PATIENCE)).isTrue();
  }

  @Test
  void create_badBound_isRefusedWithTheSettingsName() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EventBus.create(0))
        .withMessageContaining("maxQueueSize");
    assertThatThrownBy(() -> EventBus.create(4_194_305, clock))
        .hasMessageContaining("maxQueueSize");
  }
}
