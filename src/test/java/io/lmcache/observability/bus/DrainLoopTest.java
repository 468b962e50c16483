package io.lmcache.observability.bus;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.event.Event;
import io.lmcache.observability.internal.support.Clock;
import io.lmcache.observability.internal.support.Warnings;
import io.lmcache.observability.testing.FakeClock;
import io.lmcache.observability.testing.RecordingSubscriber;
import io.lmcache.observability.testing.Samples;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The drain loop without its thread. */
class DrainLoopTest {

  private final StampedRing ring = new StampedRing(4);
  private final Dispatcher dispatcher = new Dispatcher(new Warnings());
  private final RecordingSubscriber recorder = RecordingSubscriber.create();
  private final List<BusView> seen = new ArrayList<>();
  private final FakeClock clock = FakeClock.create();
  private final List<Long> ticks = new ArrayList<>();
  private int turns;
  private final DrainLoop loop = new DrainLoop(ring, dispatcher, Clock.of(clock), () -> turns++);

  /** Writes down the ticks. */
  private final class Ticked implements Subscriber {
    @Override
    public void onEvent(Event event, long epochNanos) {}

    @Override
    public void onTick(long epochNanos) {
      ticks.add(epochNanos);
    }
  }

  private record BusView(long depth, long inDispatch, long oldest) {}

  private void offer(Event event, long stamp) {
    assertThat(ring.offer(event, stamp)).isNotNegative();
  }

  @Test
  void turn_emptyRing_didNothing() {
    assertThat(loop.turn()).isFalse();
    assertThat(turns).isEqualTo(1);
  }

  @Test
  void turn_events_areTakenOneAtATime() {
    dispatcher.register(
        new Dispatcher.HandlerSubscriber<>(
            Event.class,
            "view",
            (event, stamp) ->
                seen.add(
                    new BusView(
                        ring.depth(), ring.head() - ring.completed(), ring.oldestStamp()))));
    offer(Samples.numbered(1), 10);
    offer(Samples.numbered(2), 20);
    offer(Samples.numbered(3), 30);
    assertThat(loop.turn()).isTrue();
    assertThat(seen)
        .containsExactly(new BusView(2, 1, 10), new BusView(1, 1, 20), new BusView(0, 1, 30));
    assertThat(ring.completed()).isEqualTo(3);
  }

  @Test
  void turn_envelope_isOpened() {
    dispatcher.register(recorder);
    assertThat(ring.offer(new DrainLoop.Timed(Samples.numbered(1), 77), 10)).isZero();
    loop.turn();
    assertThat(recorder.received()).containsExactly(Samples.numbered(1));
    assertThat(recorder.stamps()).containsExactly(77L);
  }

  @Test
  void turn_eventWithATimeOfItsOwn_isPrecededByTheClocks() {
    dispatcher.register(new Ticked());
    dispatcher.register(
        new Dispatcher.HandlerSubscriber<>(
            Event.class, "own", (event, stamp) -> assertThat(ticks).containsExactly(10L)));
    assertThat(ring.offer(new DrainLoop.Timed(Samples.numbered(1), 77), 10)).isZero();
    loop.turn();
    assertThat(ticks).hasSize(2);
    assertThat(dispatcher.exceptions()).containsEntry("own", 0L);
  }

  @Test
  void turn_producersThatKeepUp_comesToAnEnd() {
    dispatcher.register(
        new Dispatcher.HandlerSubscriber<>(
            Event.class, "echo", (event, stamp) -> ring.offer(event, stamp)));
    offer(Samples.numbered(1), 1);
    assertThat(loop.turn()).isTrue();
    assertThat(ring.depth()).isEqualTo(1);
    assertThat(ring.head()).isLessThanOrEqualTo(1_000);
  }

  @Test
  void turn_nothingQueued_letsTimePassByTheClock() {
    dispatcher.register(new Ticked());
    loop.turn();
    clock.advance(Duration.ofSeconds(301));
    offer(Samples.numbered(1), clock.epochNanos());
    loop.turn();
    assertThat(ticks)
        .startsWith(clock.epochNanos() - Duration.ofSeconds(301).toNanos())
        .endsWith(clock.epochNanos());
  }

  @Test
  void turn_eventAMillisecondAfterTheLastTick_isPrecededByATick() {
    List<Long> ticksBefore = new ArrayList<>();
    dispatcher.register(new Ticked());
    dispatcher.register(
        new Dispatcher.HandlerSubscriber<>(
            Event.class, "seen", (event, stamp) -> ticksBefore.add(ticks.get(ticks.size() - 1))));
    loop.turn();
    long first = clock.epochNanos();
    offer(Samples.numbered(1), first + 999_999);
    offer(Samples.numbered(2), first + 1_000_000);
    offer(Samples.numbered(3), first + 3_600_000_000_000L);
    offer(Samples.numbered(4), first);
    loop.turn();
    assertThat(ticksBefore)
        .containsExactly(
            first, first + 1_000_000, first + 3_600_000_000_000L, first + 3_600_000_000_000L);
  }

  /** Its stamp is later than the beginning of the turn; that is no clock that was put back. */
  @Test
  void turn_eventPublishedMeanwhile_leavesTimeWhereItIs() {
    dispatcher.register(new Ticked());
    long later = clock.epochNanos() + 5_000_000;
    offer(Samples.numbered(1), later);
    loop.turn();
    assertThat(ticks).isNotEmpty().containsOnly(later);
  }

  @Test
  void turn_clockThatWasPutBack_takesTimeAlong() {
    dispatcher.register(new Ticked());
    loop.turn();
    long before = clock.epochNanos();
    clock.advance(Duration.ofHours(-1));
    loop.turn();
    assertThat(ticks).containsExactly(before, before - Duration.ofHours(1).toNanos());
  }

  @Test
  void turn_eventStillWaits_letsTimePassNoFurtherThanThat() {
    dispatcher.register(new Ticked());
    dispatcher.register(
        new Dispatcher.HandlerSubscriber<>(
            Event.class, "echo", (event, stamp) -> ring.offer(event, stamp)));
    offer(Samples.numbered(1), 77);
    loop.turn();
    assertThat(ring.depth()).isEqualTo(1);
    assertThat(ticks).containsExactly(77L);
  }

  @Test
  void turn_tickThatThrows_isCountedAndHarmsNoOther() {
    dispatcher.register(
        new Subscriber() {
          @Override
          public String name() {
            return "late";
          }

          @Override
          public void onEvent(Event event, long epochNanos) {}

          @Override
          public void onTick(long epochNanos) {
            throw new StackOverflowError("for a test");
          }
        });
    dispatcher.register(new Ticked());
    loop.turn();
    assertThat(dispatcher.exceptions()).containsEntry("late", 1L);
    assertThat(ticks).hasSize(1);
  }

  @Test
  void turn_abandonedAmid_stopsAfterTheEventInDispatch() {
    dispatcher.register(recorder);
    dispatcher.register(
        new Dispatcher.HandlerSubscriber<>(
            Event.class, "abandons", (event, stamp) -> assertThat(loop.abandon()).isTrue()));
    offer(Samples.numbered(1), 1);
    offer(Samples.numbered(2), 2);
    loop.turn();
    assertThat(recorder.received()).containsExactly(Samples.numbered(1));
    assertThat(ring.depth()).isEqualTo(1);
    assertThat(loop.abandon()).isFalse();
    loop.run();
    assertThat(ring.depth()).isEqualTo(1);
  }

  @Test
  void run_somethingOfOurOwnThrows_goesOnToTheEnd() {
    dispatcher.register(recorder);
    int[] faults = {2};
    DrainLoop failing =
        new DrainLoop(
            ring,
            dispatcher,
            Clock.of(FakeClock.create()),
            () -> {
              if (faults[0]-- > 0) {
                throw new OutOfMemoryError("for a test");
              }
            });
    offer(Samples.numbered(1), 1);
    ring.close();
    failing.stop();
    failing.run();
    assertThat(recorder.received()).hasSize(1);
    assertThat(ring.completed()).isEqualTo(1);
  }

  @Test
  void run_stoppedAndEmpty_endsWithoutSleep() {
    ring.close();
    loop.stop();
    loop.run();
    assertThat(turns).isEqualTo(1);
  }
}
