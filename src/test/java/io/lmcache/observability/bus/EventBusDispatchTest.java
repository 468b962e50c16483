package io.lmcache.observability.bus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.lmcache.observability.event.CustomEvent;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.EventType;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.internal.support.Warnings;
import io.lmcache.observability.testing.FakeClock;
import io.lmcache.observability.testing.Law;
import io.lmcache.observability.testing.Logs;
import io.lmcache.observability.testing.RecordingSubscriber;
import io.lmcache.observability.testing.Samples;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EventBusDispatchTest {

  @Test
  void exception_ofASubscriptionThatWasClosedMeanwhile_isCountedAllTheSame() {
    EventBus bus = EventBus.create(10);
    AtomicReference<Subscription> self = new AtomicReference<>(() -> {});
    self.set(
        bus.subscribe(
            Event.class,
            "once",
            (event, epochNanos) -> {
              Objects.requireNonNull(self.get()).close();
              throw new IllegalStateException("last words");
            }));
    bus.start();
    bus.publish(Samples.tick());
    assertThat(bus.flush(Duration.ofSeconds(30))).isTrue();
    assertThat(bus.subscriberExceptions().values().stream().mapToLong(Long::longValue).sum())
        .isEqualTo(1);
    bus.close();
  }

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final EventBus bus = EventBus.create(1_000, FakeClock.create());
  private final RecordingSubscriber recorder = RecordingSubscriber.create();

  @AfterEach
  void stop() {
    bus.stop(PATIENCE);
  }

  /** A subscriber whose name is that of its class. */
  private static final class Thrower implements Subscriber {

    private final Map<Integer, Throwable> faults;
    private int seen;

    Thrower(Map<Integer, Throwable> faults) {
      this.faults = faults;
    }

    @Override
    public void onEvent(Event event, long epochNanos) throws Exception {
      Throwable fault = faults.get(++seen);
      if (fault instanceof Error error) {
        throw error;
      }
      if (fault instanceof Exception exception) {
        throw exception;
      }
    }

    @Override
    public void onStop() {
      throw new AssertionError("at the end");
    }
  }

  private static List<Event> numbered(int count) {
    return IntStream.rangeClosed(1, count).mapToObj(Samples::numbered).toList();
  }

  private void run(List<Event> events) {
    bus.start();
    events.forEach(bus::publish);
    assertThat(bus.flush(PATIENCE)).isTrue();
  }

  @Test
  void dispatch_subscriberThatThrows_harmsNobodyElse() {
    Throwable first = new IllegalStateException("three");
    bus.register(
        new Thrower(
            Map.of(
                3, first,
                4, new StackOverflowError(),
                5, new NoClassDefFoundError("five"),
                6, new InterruptedException(),
                7, new OutOfMemoryError("seven"))));
    RecordingSubscriber b = RecordingSubscriber.named("B");
    RecordingSubscriber c = RecordingSubscriber.named("C");
    bus.register(b);
    bus.register(c);
    try (Logs logs = Logs.of(Warnings.LOGGER)) {
      run(numbered(10));
      assertThat(logs.thrown()).containsExactly(first);
      assertThat(logs.warnings()).singleElement().asString().contains("Thrower", "CUSTOM");
      assertThat(logs.debugs()).hasSize(4);
      assertThat(bus.subscriberExceptions()).isEqualTo(Map.of("Thrower", 5L, "B", 0L, "C", 0L));
      assertThat(bus.stop(PATIENCE)).isTrue();
    }
    assertThat(b.received()).isEqualTo(numbered(10));
    assertThat(c.received()).isEqualTo(numbered(10));
    assertThat(c.stops()).isEqualTo(1);
    assertThat(bus.subscriberExceptions()).containsEntry("Thrower", 6L);
    assertThat(Law.holds(bus, 10).dispatched()).isEqualTo(10);
  }

  @Test
  void dispatch_faultOnAnEventWithoutType_leavesTheThreadAlive() {
    record Typeless() implements CustomEvent {
      @Override
      public EventType type() {
        throw new IllegalStateException("no type");
      }
    }
    bus.subscribe(
        Event.class,
        "failing",
        (event, epochNanos) -> {
          throw new IllegalStateException("always");
        });
    bus.register(recorder);
    try (Logs logs = Logs.failing(Warnings.LOGGER, new StackOverflowError())) {
      run(List.of(new Typeless(), Samples.tick()));
      assertThat(logs.warnings()).hasSize(1);
    }
    assertThat(recorder.received()).hasSize(2);
    assertThat(bus.subscriberExceptions()).containsEntry("failing", 2L);
  }

  @Test
  void dispatch_manySubscribers_isInTheOrderOfRegistration() {
    List<String> calls = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 20; i++) {
      String name = "subscriber " + i;
      bus.subscribe(Event.class, name, (event, epochNanos) -> calls.add(name));
    }
    run(numbered(1));
    assertThat(calls).isEqualTo(IntStream.range(0, 20).mapToObj(i -> "subscriber " + i).toList());
  }

  @Test
  void subscribe_classOrInterface_getsExactlyThose() {
    List<Event> ticks = new CopyOnWriteArrayList<>();
    List<Event> l1 = new CopyOnWriteArrayList<>();
    List<Event> custom = new CopyOnWriteArrayList<>();
    bus.subscribe(L1Event.EvictionLoopTick.class, "ticks", (e, t) -> ticks.add(e));
    bus.subscribe(L1Event.class, "l1", (e, t) -> l1.add(e));
    bus.subscribe(CustomEvent.class, "custom", (e, t) -> custom.add(e));
    Event reserved = new L1Event.ReadReserved(List.of());
    Event session = new ServerEvent.RequestEnd("s");
    run(List.of(Samples.tick(), reserved, session, Samples.numbered(1)));
    assertThat(ticks).containsExactly(Samples.tick());
    assertThat(l1).containsExactly(Samples.tick(), reserved);
    assertThat(custom).containsExactly(Samples.numbered(1));
  }

  @Test
  void register_unnamedOrEmpty_isRefused() {
    Subscriber lambda = (event, epochNanos) -> {};
    Subscriber anonymous =
        new Subscriber() {
          @Override
          public void onEvent(Event event, long epochNanos) {}
        };
    Subscriber greedless =
        new Subscriber() {
          @Override
          public String name() {
            return "greedless";
          }

          @Override
          public List<Class<? extends Event>> events() {
            return List.of();
          }

          @Override
          public void onEvent(Event event, long epochNanos) {}
        };
    for (Subscriber nameless : List.of(lambda, anonymous, RecordingSubscriber.named(" "))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> bus.register(nameless))
          .withMessageContaining("name");
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> bus.register(greedless))
        .withMessageContaining("greedless");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> bus.subscribe(Event.class, "", (event, epochNanos) -> {}));
    assertThatNullPointerException()
        .isThrownBy(() -> bus.subscribe(Event.class, "none", Samples.nothing()))
        .withMessageContaining("handler");
    assertThat(bus.subscriberExceptions()).isEmpty();
  }

  @Test
  void register_twoOfOneName_shareACount() {
    bus.register(new Thrower(Map.of(1, new IllegalStateException())));
    bus.register(new Thrower(Map.of(1, new IllegalStateException())));
    run(numbered(1));
    assertThat(bus.subscriberExceptions()).isEqualTo(Map.of("Thrower", 2L));
  }

  @Test
  void subscription_closedOrOpenedAmidEvents_endsOrBegins() {
    CompletableFuture<Subscription> own = new CompletableFuture<>();
    AtomicInteger once = new AtomicInteger();
    bus.subscribe(
        Event.class,
        "opens",
        (event, epochNanos) -> {
          if (once.getAndIncrement() == 0) {
            own.complete(bus.register(recorder));
          }
        });
    run(numbered(3));
    assertThat(recorder.received()).isEqualTo(numbered(3).subList(1, 3));
    own.join().close();
    own.join().close();
    run(numbered(2));
    assertThat(recorder.received()).hasSize(2);
    bus.stop(PATIENCE);
    assertThat(recorder.stops()).isZero();
  }

  @Test
  void subscription_oneOfTwoOfOneSubscriber_endsAlone() {
    Subscription first = bus.register(recorder);
    bus.register(recorder);
    first.close();
    run(numbered(1));
    assertThat(recorder.received()).hasSize(1);
  }

  @Test
  void subscriber_onTheDrainThread_mayPublishButNotWait() {
    List<Boolean> answers = new CopyOnWriteArrayList<>();
    bus.subscribe(
        Samples.Own.class,
        "reentrant",
        (event, epochNanos) -> {
          answers.add(bus.publish(Samples.tick()));
          answers.add(bus.flush(PATIENCE));
          answers.add(bus.stop(PATIENCE));
          bus.close();
        });
    bus.register(recorder);
    run(numbered(1));
    assertThat(bus.flush(PATIENCE)).isTrue();
    assertThat(answers).containsExactly(true, false, false);
    assertThat(recorder.received()).containsExactly(Samples.numbered(1), Samples.tick());
    assertThat(bus.publish(Samples.tick())).isTrue();
    Law.holds(bus, 3);
  }

  @Test
  void subscriber_thatLeavesAnInterrupt_disturbsNobody() {
    List<Boolean> interrupted = new CopyOnWriteArrayList<>();
    bus.subscribe(
        Event.class,
        "interrupter",
        (event, epochNanos) -> {
          interrupted.add(Thread.currentThread().isInterrupted());
          Thread.currentThread().interrupt();
        });
    run(numbered(3));
    assertThat(interrupted).containsExactly(false, false, false);
  }

  @Test
  void drainThread_strayInterrupts_changeNothing() {
    CompletableFuture<Thread> drain = new CompletableFuture<>();
    bus.register(recorder);
    bus.subscribe(
        Event.class,
        "who",
        (event, epochNanos) -> {
          drain.complete(Thread.currentThread());
        });
    run(numbered(1));
    for (int i = 0; i < 100; i++) {
      drain.join().interrupt();
      run(numbered(1));
    }
    assertThat(drain.join().isDaemon()).isTrue();
    assertThat(drain.join().getName()).isEqualTo("lmcache-event-bus");
    assertThat(recorder.received()).hasSize(101);
    assertThat(bus.stop(PATIENCE)).isTrue();
    assertThat(drain.join().isAlive()).isFalse();
  }
}
