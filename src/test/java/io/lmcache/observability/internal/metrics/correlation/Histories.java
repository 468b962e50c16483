package io.lmcache.observability.internal.metrics.correlation;

import static io.lmcache.observability.internal.metrics.correlation.Step.SECOND;

import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.ObjectKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;

/**
 * Random histories: one step in ten is a tick, one in twenty puts the clock back. The steps of the
 * clock add up to the cap of 300 s and to the pair timeout of 10 min, and miss them by a
 * nanosecond. Every third event is stamped otherwise: a little or a lot too early, far ahead, in
 * another epoch.
 */
final class Histories {

  private static final int MAX_STEPS = 50;

  private record Move(long nanos, Event event, LongUnaryOperator stamp) {}

  private Histories() {}

  static Arbitrary<List<Step>> of(Arbitrary<? extends Event> events) {
    return of(events, MAX_STEPS);
  }

  static Arbitrary<List<Step>> of(Arbitrary<? extends Event> events, int maxSteps) {
    Arbitrary<Event> happenings =
        Arbitraries.frequencyOf(
            Tuple.of(9, events), Tuple.of(1, Arbitraries.create(Step.Tick::new)));
    return Combinators.combine(nanos(), happenings, stamps())
        .as(Move::new)
        .list()
        .ofMaxSize(maxSteps)
        .withSizeDistribution(RandomDistribution.uniform())
        .map(Histories::unfold)
        .withoutEdgeCases(); // they would crowd out the histories in which things meet
  }

  private static Arbitrary<Long> nanos() {
    return Arbitraries.frequencyOf(
        Tuple.of(65, Arbitraries.of(SECOND, 2 * SECOND, 7 * SECOND)),
        Tuple.of(20, Arbitraries.of(0L, 1L, 1_500_000L)),
        Tuple.of(6, Arbitraries.of(30 * SECOND, 150 * SECOND, 300 * SECOND)),
        Tuple.of(4, Arbitraries.of(300 * SECOND - 1, 600 * SECOND, 600 * SECOND + 1)),
        Tuple.of(5, Arbitraries.of(-1L, -3 * SECOND, -200 * SECOND)));
  }

  private static Arbitrary<LongUnaryOperator> stamps() {
    return Arbitraries.frequencyOf(
        Tuple.of(130, Arbitraries.just(LongUnaryOperator.identity())),
        Tuple.of(30, offsets(-1L, -2_000L, -2 * SECOND, -7 * SECOND)),
        Tuple.of(20, offsets(-9 * SECOND, -10 * SECOND, -10 * SECOND - 1)),
        Tuple.of(10, offsets(-150 * SECOND, -3_600 * SECOND)),
        Tuple.of(10, offsets(5 * SECOND, 300 * SECOND, 3_600 * SECOND)),
        Tuple.of(5, Arbitraries.of(clock -> clock - Step.BEGIN + 3_600 * SECOND, clock -> 1)));
  }

  private static Arbitrary<LongUnaryOperator> offsets(Long... nanos) {
    return Arbitraries.of(nanos).map(offset -> clock -> clock + offset);
  }

  private static List<Step> unfold(List<Move> moves) {
    List<Step> steps = new ArrayList<>();
    long clock = Step.BEGIN;
    for (Move move : moves) {
      clock += move.nanos;
      boolean isTick = move.event instanceof Step.Tick;
      steps.add(new Step(clock, isTick ? clock : move.stamp.applyAsLong(clock), move.event));
    }
    return steps;
  }

  /** Some neighbours of a list, in its order: what a large event is about. */
  static <T> Arbitrary<List<T>> runs(List<T> all) {
    Arbitrary<Integer> bounds =
        Arbitraries.integers()
            .between(0, all.size())
            .withDistribution(RandomDistribution.uniform());
    return Combinators.combine(bounds, bounds)
        .as((one, other) -> List.copyOf(all.subList(Math.min(one, other), Math.max(one, other))));
  }

  static ObjectKey key(String model, String salt, String hash, int rank) {
    return ObjectKey.of(model, salt, hash.getBytes(StandardCharsets.UTF_8), rank);
  }
}
