package io.lmcache.observability.internal.metrics.correlation;

import static io.lmcache.observability.internal.metrics.correlation.Step.SECOND;

import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.ObjectKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;

/**
 * Random histories: one step in ten is a tick, one in twenty goes back in time. The steps of the
 * clock add up to the cap of 300 s and to the pair timeout of 10 min, and miss them by a
 * nanosecond.
 */
final class Histories {

  private static final int MAX_STEPS = 50;

  private record Move(long nanos, Event event) {}

  private Histories() {}

  static Arbitrary<List<Step>> of(Arbitrary<? extends Event> events) {
    return of(events, MAX_STEPS);
  }

  static Arbitrary<List<Step>> of(Arbitrary<? extends Event> events, int maxSteps) {
    Arbitrary<Event> happenings =
        Arbitraries.frequencyOf(
            Tuple.of(9, events), Tuple.of(1, Arbitraries.create(Step.Tick::new)));
    return Combinators.combine(nanos(), happenings)
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

  private static List<Step> unfold(List<Move> moves) {
    List<Step> steps = new ArrayList<>();
    long at = Step.BEGIN;
    for (Move move : moves) {
      at += move.nanos;
      steps.add(new Step(at, move.event));
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
