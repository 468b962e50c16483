package io.lmcache.observability.bus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.lmcache.observability.event.Event;
import io.lmcache.observability.internal.support.Warnings;
import io.lmcache.observability.testing.BlockingSubscriber;
import io.lmcache.observability.testing.FakeClock;
import io.lmcache.observability.testing.Law;
import io.lmcache.observability.testing.Logs;
import io.lmcache.observability.testing.RecordingSubscriber;
import io.lmcache.observability.testing.Samples;
import io.lmcache.observability.testing.Threads;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EventBusStopTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration SHORT = Duration.ofMillis(30);
  private static final Duration ENDLESS = Duration.ofSeconds(Long.MAX_VALUE);
  private static final Duration NEGATIVE = Duration.ofSeconds(Long.MIN_VALUE);

  private final EventBus bus = EventBus.create(100);
  private final RecordingSubscriber recorder = RecordingSubscriber.create();
  private final BlockingSubscriber blocked = new BlockingSubscriber();

  @AfterEach
  void release() {
    blocked.release();
    bus.stop(PATIENCE);
  }

  private void publish(int count) {
    for (int i = 0; i < count; i++) {
      bus.publish(Samples.numbered(i));
    }
  }

  private void block() {
    bus.register(blocked);
    bus.start();
    publish(1);
    blocked.awaitBlocked();
  }

  @Test
  void stop_queuedEvents_dispatchesAllThenEndsTheThread() {
    bus.register(recorder);
    publish(50);
    bus.start();
    assertThat(bus.stop(ENDLESS)).isTrue();
    assertThat(recorder.received()).hasSize(50);
    assertThat(recorder.stops()).isEqualTo(1);
    assertThat(Threads.named("lmcache-event-bus")).isEmpty();
    assertThat(bus.stop(NEGATIVE)).isTrue();
    bus.close();
    assertThat(recorder.stops()).isEqualTo(1);
    Law.holds(bus, 50);
  }

  @Test
  void stop_subscriberBlocked_dropsTheRestAtOnceAndSaysSo() {
    block();
    bus.register(recorder);
    publish(7);
    bus.publish(Samples.tick(), 5);
    try (Logs logs = Logs.of(Warnings.LOGGER)) {
      assertThat(bus.stop(SHORT)).isFalse();
      assertThat(logs.warnings()).singleElement().asString().contains("8");
      assertThat(Law.holds(bus, 9)).isEqualTo(new BusStatistics(9, 0, 1, 0, 8));
      assertThat(bus.queueDepth()).isZero();
      assertThat(bus.droppedByType()).isEqualTo(Map.of("custom", 7L, "l1.eviction.loop_tick", 1L));
      assertThat(bus.flush(Duration.ZERO)).isFalse();
      assertThat(bus.stop(Duration.ZERO)).isFalse();
      assertThat(logs.warnings()).hasSize(1);
    }
    blocked.release();
    await().until(() -> recorder.stops() == 1);
    assertThat(bus.stop(PATIENCE)).isFalse();
    assertThat(Law.holds(bus, 9)).isEqualTo(new BusStatistics(9, 1, 0, 0, 8));
    assertThat(blocked.count()).isEqualTo(1);
    assertThat(recorder.received()).isEmpty();
  }

  @Test
  void stop_timedOutWithNothingLost_isTrueOnceTheThreadHasEnded() {
    block();
    assertThat(bus.stop(SHORT)).isFalse();
    blocked.release();
    assertThat(bus.stop(PATIENCE)).isTrue();
    assertThat(Law.holds(bus, 1)).isEqualTo(new BusStatistics(1, 1, 0, 0, 0));
  }

  @Test
  void stop_lastCallbackBlocked_isBounded() {
    CountDownLatch gate = new CountDownLatch(1);
    bus.register(
        new Subscriber() {
          @Override
          public String name() {
            return "slow end";
          }

          @Override
          public void onEvent(Event event, long epochNanos) {}

          @Override
          public void onStop() {
            Threads.await(gate);
          }
        });
    bus.start();
    publish(3);
    assertThat(bus.stop(SHORT)).isFalse();
    gate.countDown();
    assertThat(bus.stop(PATIENCE)).isTrue();
    assertThat(Law.holds(bus, 3).dispatched()).isEqualTo(3);
  }

  @Test
  void stop_neverStarted_dropsWhatWasQueued() {
    publish(3);
    try (Logs logs = Logs.of(Warnings.LOGGER)) {
      assertThat(bus.stop(PATIENCE)).isFalse();
      assertThat(bus.stop(PATIENCE)).isFalse();
      assertThat(logs.warnings()).singleElement().asString().contains("3");
    }
    assertThat(Law.holds(bus, 3)).isEqualTo(new BusStatistics(3, 0, 0, 0, 3));
    assertThat(bus.flush(PATIENCE)).isFalse();
    assertThat(bus.oldestEventAge()).isZero();
  }

  @Test
  void stop_neverStartedAndEmpty_isTrue() {
    try (Logs logs = Logs.of(Warnings.LOGGER)) {
      assertThat(bus.stop(PATIENCE)).isTrue();
      assertThat(logs.warnings()).isEmpty();
    }
    assertThat(bus.flush(PATIENCE)).isTrue();
  }

  @Test
  void register_afterStop_tellsTheSubscriberOfIt_once() {
    bus.start();
    bus.stop(PATIENCE);
    AtomicInteger told = new AtomicInteger();
    bus.register(
        new Subscriber() {
          @Override
          public String name() {
            return "late";
          }

          @Override
          public List<Class<? extends Event>> events() {
            return List.of(Event.class);
          }

          @Override
          public void onEvent(Event event, long epochNanos) {}

          @Override
          public void onStop() {
            told.incrementAndGet();
          }
        });
    assertThat(told).hasValue(1);
    bus.stop(PATIENCE);
    assertThat(told).hasValue(1);
  }

  @Test
  void start_afterStop_isRefused() {
    bus.stop(PATIENCE);
    assertThatIllegalStateException().isThrownBy(bus::start).withMessageContaining("stopped");
  }

  @Test
  void start_twice_makesOneThread() {
    bus.start();
    bus.start();
    assertThat(Threads.named("lmcache-event-bus")).hasSize(1);
  }

  @Test
  void stop_twoAtOnce_agreeAndWarnOnce() {
    block();
    publish(4);
    List<Boolean> answers = new CopyOnWriteArrayList<>();
    try (Logs logs = Logs.of(Warnings.LOGGER)) {
      Threads.together(4, i -> answers.add(bus.stop(SHORT)));
      assertThat(logs.warnings()).hasSize(1);
    }
    assertThat(answers).containsExactly(false, false, false, false);
    Law.holds(bus, 5);
    blocked.release();
    assertThat(bus.stop(PATIENCE)).isFalse();
  }

  @Test
  void stop_twoAtOnceOfAFreeBus_bothSucceed() {
    bus.register(recorder);
    bus.start();
    publish(90);
    List<Boolean> answers = new CopyOnWriteArrayList<>();
    Threads.together(4, i -> answers.add(bus.stop(PATIENCE)));
    assertThat(answers).containsExactly(true, true, true, true);
    assertThat(recorder.received()).hasSize(90);
    assertThat(recorder.stops()).isEqualTo(1);
  }

  @Test
  void stop_loggingBackendThatThrows_isQuiet() {
    block();
    publish(1);
    try (Logs logs = Logs.failing(Warnings.LOGGER, new NoClassDefFoundError())) {
      assertThat(bus.stop(SHORT)).isFalse();
      assertThat(logs.warnings()).hasSize(1);
    }
  }

  @Test
  void stopAndFlush_interruptedCaller_workAndKeepTheFlag() {
    bus.register(recorder);
    bus.start();
    publish(10);
    Thread.currentThread().interrupt();
    assertThat(bus.flush(PATIENCE)).isTrue();
    assertThat(Thread.interrupted()).isTrue();
    publish(10);
    Thread.currentThread().interrupt();
    assertThat(bus.stop(PATIENCE)).isTrue();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(recorder.received()).hasSize(20);
  }

  @Test
  void flush_afterTheClockWasMoved_letsThatTimePass() {
    FakeClock clock = FakeClock.create();
    AtomicLong time = new AtomicLong();
    try (EventBus timed = EventBus.create(1_000, clock)) {
      timed.register(
          new Subscriber() {
            @Override
            public String name() {
              return "time";
            }

            @Override
            public void onEvent(Event event, long epochNanos) {}

            @Override
            public void onTick(long epochNanos) {
              LockSupport.parkNanos(100_000); // so that a flush that does not wait is seen
              time.set(epochNanos);
            }
          });
      timed.start();
      for (int i = 0; i < 100; i++) {
        for (int event = 0; event < 10 * i; event++) {
          timed.publish(Samples.tick());
        }
        clock.advance(Duration.ofSeconds(301));
        assertThat(timed.flush(PATIENCE)).isTrue();
        assertThat(time).hasValue(clock.epochNanos());
      }
    }
  }

  @Test
  void flush_notStarted_waitsInVainUnlessEmpty() {
    assertThat(bus.flush(Duration.ZERO)).isTrue();
    publish(1);
    assertThat(bus.flush(NEGATIVE)).isFalse();
    assertThat(bus.flush(SHORT)).isFalse();
    Law.holds(bus, 1);
  }

  @Test
  void flush_eventInDispatch_waitsForItsEnd() {
    block();
    assertThat(bus.flush(SHORT)).isFalse();
    blocked.release();
    assertThat(bus.flush(ENDLESS)).isTrue();
    assertThat(blocked.count()).isEqualTo(1);
  }

  @Test
  void flush_endlessTraffic_returnsAllTheSame() {
    AtomicBoolean over = new AtomicBoolean();
    bus.subscribe(
        Event.class,
        "echo",
        (event, epochNanos) -> {
          if (!over.get()) {
            bus.publish(event);
          }
        });
    bus.start();
    publish(1);
    assertThat(bus.flush(PATIENCE)).isTrue();
    over.set(true);
    assertThat(bus.stop(PATIENCE)).isTrue();
  }

  @Test
  void flush_whenAbandoned_endsAtOnce() {
    block();
    publish(2);
    AtomicBoolean answer = new AtomicBoolean(true);
    Thread waiting = new Thread(() -> answer.set(bus.flush(ENDLESS)));
    waiting.start();
    assertThat(bus.stop(SHORT)).isFalse();
    Threads.join(waiting);
    assertThat(answer).isFalse();
  }

  @Test
  void drops_whileDraining_areReportedOnceAMinute_andAtTheEnd() {
    block();
    try (Logs logs = Logs.of(Warnings.LOGGER)) {
      publish(105);
      blocked.release();
      assertThat(bus.flush(PATIENCE)).isTrue();
      await().until(() -> !logs.warnings().isEmpty());
      bus.publish(Samples.nothing());
      publish(1);
      assertThat(bus.flush(PATIENCE)).isTrue();
      assertThat(reports(logs)).hasSize(1);
      assertThat(reports(logs).get(0)).contains("dropped 5 events");
      assertThat(bus.stop(PATIENCE)).isTrue();
      assertThat(reports(logs)).hasSize(2);
      assertThat(reports(logs).get(1)).contains("dropped 1 events").contains("6 in all");
    }
  }

  private static List<String> reports(Logs logs) {
    return logs.warnings().stream().filter(line -> line.contains("of late")).toList();
  }
}
