package io.lmcache.observability.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.bus.BusStatistics;
import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.bus.Subscription;
import io.lmcache.observability.event.CustomEvent;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.testing.Law;
import io.lmcache.observability.testing.RecordingSubscriber;
import io.lmcache.observability.testing.Samples;
import io.lmcache.observability.testing.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Producers that start at once; afterwards nothing may be lost, doubled or out of order. */
class StressTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int PRODUCERS = 8;
  private static final int EACH = 100_000;

  /** An event that knows its producer and its place. */
  private record Numbered(int producer, int number) implements CustomEvent {}

  /** What a subscriber does to the drain thread. */
  private enum Manner {
    NONE,
    QUICK,
    SLOW,
    THROWING
  }

  static Stream<Arguments> producersAndManners() {
    return Stream.of(1, 2, PRODUCERS)
        .flatMap(count -> Stream.of(Manner.values()).map(manner -> Arguments.of(count, manner)));
  }

  @RepeatedTest(50)
  void close_rightAfterTheLastPublish_losesNothing() {
    EventBus bus = EventBus.create(10_000);
    AtomicLong delivered = new AtomicLong();
    bus.subscribe(Event.class, "counter", (event, epochNanos) -> delivered.incrementAndGet());
    bus.start();
    Event event = Samples.tick();
    Threads.together(
        PRODUCERS,
        index -> {
          for (int i = 0; i < EACH; i++) {
            bus.publish(event);
          }
        });
    assertThat(bus.stop(PATIENCE)).isTrue();
    assertThat(delivered.get() + bus.dropped()).isEqualTo((long) PRODUCERS * EACH);
    Law.holds(bus, (long) PRODUCERS * EACH);
  }

  @RepeatedTest(30)
  void close_amidPublishes_losesNothing() {
    EventBus bus = EventBus.create(1_000);
    AtomicLong delivered = new AtomicLong();
    AtomicLong accepted = new AtomicLong();
    bus.subscribe(Event.class, "counter", (event, epochNanos) -> delivered.incrementAndGet());
    bus.start();
    Event event = Samples.tick();
    Threads.together(
        PRODUCERS + 1,
        index -> {
          if (index == PRODUCERS) {
            assertThat(bus.stop(PATIENCE)).isTrue();
            return;
          }
          long mine = 0;
          for (int i = 0; i < 2_000; i++) {
            mine += bus.publish(event) ? 1 : 0;
          }
          accepted.addAndGet(mine);
        });
    assertThat(bus.stop(PATIENCE)).isTrue();
    assertThat(delivered).hasValue(accepted.get());
    assertThat(Law.holds(bus, PRODUCERS * 2_000L).dispatched()).isEqualTo(accepted.get());
  }

  @RepeatedTest(30)
  void close_neverStartedAmidPublishes_dropsEveryAcceptedEvent() {
    EventBus bus = EventBus.create(100_000);
    Threads.together(
        3,
        index -> {
          for (int i = 0; i < 500; i++) {
            bus.publish(Samples.numbered(i));
            if (index == 2 && i == 100) {
              bus.stop(PATIENCE);
            }
          }
        });
    assertThat(Law.holds(bus, 1_500)).isEqualTo(new BusStatistics(1_500, 0, 0, 0, 1_500));
  }

  @ParameterizedTest
  @MethodSource("producersAndManners")
  void publish_anySubscriber_keepsTheLaw(int producers, Manner manner) {
    int each = manner == Manner.NONE || manner == Manner.QUICK ? 100_000 : 20_000;
    EventBus bus = EventBus.create(500);
    AtomicLong seen = new AtomicLong();
    if (manner != Manner.NONE) {
      bus.subscribe(Event.class, "manner", (event, epochNanos) -> handle(manner, seen));
    }
    bus.start();
    long published = 0;
    for (int round = 0; round < 3; round++) {
      Threads.together(
          producers,
          index -> {
            for (int i = 0; i < each; i++) {
              bus.publish(new Numbered(index, i));
            }
          });
      published += (long) producers * each;
      Law.holds(bus, published); // the drain thread is still busy
      assertThat(bus.flush(PATIENCE)).isTrue();
      assertThat(Law.holds(bus, published).queued()).isZero();
    }
    assertThat(bus.stop(PATIENCE)).isTrue();
    BusStatistics end = Law.holds(bus, published);
    if (manner != Manner.NONE) {
      assertThat(seen).hasValue(end.dispatched());
    }
    if (manner == Manner.THROWING) {
      assertThat(bus.subscriberExceptions()).containsEntry("manner", end.dispatched());
    }
  }

  private static void handle(Manner manner, AtomicLong seen) {
    long count = seen.incrementAndGet();
    if (manner == Manner.SLOW && count % 100 == 0) {
      LockSupport.parkNanos(100_000);
    }
    if (manner == Manner.THROWING) {
      throw new IllegalStateException("each time");
    }
  }

  @Test
  void publish_manyProducers_keepsTheOrderOfEach() {
    EventBus bus = EventBus.create(1 << 20);
    AtomicLong disorder = new AtomicLong();
    int[] next = new int[PRODUCERS];
    bus.subscribe(
        Numbered.class,
        "order",
        (event, epochNanos) -> {
          if (event.number() != next[event.producer()]++) {
            disorder.incrementAndGet();
          }
        });
    bus.start();
    Threads.together(
        PRODUCERS,
        index -> {
          for (int i = 0; i < EACH; i++) {
            bus.publish(new Numbered(index, i));
          }
        });
    assertThat(bus.stop(PATIENCE)).isTrue();
    assertThat(bus.dropped()).isZero();
    assertThat(disorder).hasValue(0);
    assertThat(next).containsOnly(EACH);
  }

  @Test
  void statistics_whileAllRuns_areQuickAndAddUp() {
    EventBus bus = EventBus.create(1_000);
    bus.start();
    AtomicBoolean over = new AtomicBoolean();
    AtomicLong looks = new AtomicLong();
    Thread reader =
        new Thread(
            () -> {
              long last = 0;
              while (!over.get()) {
                BusStatistics now = bus.statistics();
                assertThat(now.published())
                    .isEqualTo(now.dispatched() + now.inDispatch() + now.queued() + now.dropped())
                    .isGreaterThanOrEqualTo(last);
                assertThat(now.inDispatch()).isBetween(0L, 1L);
                assertThat(now.queued()).isBetween(0L, 1_000L);
                assertThat(bus.queueDepth()).isBetween(0, 1_000);
                assertThat(bus.oldestEventAge()).isLessThan(PATIENCE);
                last = now.published();
                looks.incrementAndGet();
              }
            });
    List<Throwable> faults = new ArrayList<>();
    reader.setUncaughtExceptionHandler((thread, fault) -> faults.add(fault));
    reader.start();
    Threads.together(
        4,
        index -> {
          for (int i = 0; i < 3 * EACH; i++) {
            bus.publish(Samples.tick());
          }
        });
    over.set(true);
    Threads.join(reader);
    assertThat(faults).isEmpty();
    assertThat(looks.get()).isGreaterThan(10);
    assertThat(bus.stop(PATIENCE)).isTrue();
  }

  @RepeatedTest(20)
  void register_amidTraffic_seesAllThatIsPublishedAfterIt() {
    EventBus bus = EventBus.create(100_000);
    bus.start();
    AtomicBoolean over = new AtomicBoolean();
    Thread traffic =
        new Thread(
            () -> {
              while (!over.get()) {
                bus.publish(Samples.tick());
                LockSupport.parkNanos(1_000);
              }
            });
    traffic.start();
    for (int i = 0; i < 20; i++) {
      RecordingSubscriber late = RecordingSubscriber.create();
      Subscription subscription = bus.register(late);
      assertThat(bus.publish(Samples.numbered(i))).isTrue();
      assertThat(bus.flush(PATIENCE)).isTrue();
      subscription.close();
      assertThat(late.received()).contains(Samples.numbered(i));
    }
    over.set(true);
    Threads.join(traffic);
    assertThat(bus.stop(PATIENCE)).isTrue();
  }

  @Test
  void publish_producersOutOfStack_leaveTheQueueWhole() {
    EventBus bus = EventBus.create(1 << 20);
    AtomicLong delivered = new AtomicLong();
    bus.subscribe(Event.class, "counter", (event, epochNanos) -> delivered.incrementAndGet());
    bus.start();
    for (int i = 0; i < 50; i++) {
      Thread deep = new Thread(null, () -> sink(bus, 1_000_000), "deep", 256 * 1024 + i * 64);
      deep.start();
      Threads.join(deep);
    }
    assertThat(bus.stop(PATIENCE)).isTrue();
    assertThat(delivered).hasValue(bus.statistics().dispatched());
  }

  private static void sink(EventBus bus, int levels) {
    try {
      if (levels > 0) {
        sink(bus, levels - 1);
      }
    } catch (StackOverflowError bottom) {
      // Each frame on the way up tries, with a little more stack than the one below.
    }
    try {
      bus.publish(Samples.tick());
    } catch (StackOverflowError still) {
      // as said
    }
  }
}
