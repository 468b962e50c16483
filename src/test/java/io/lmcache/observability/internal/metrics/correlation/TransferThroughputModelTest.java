package io.lmcache.observability.internal.metrics.correlation;

import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.L2Event;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

class TransferThroughputModelTest {

  private static final Duration TIMEOUT = Duration.ofMinutes(10);

  @Provide
  static Arbitrary<List<Step>> histories() {
    return Histories.of(events());
  }

  static Arbitrary<Event> events() {
    Arbitrary<Integer> adapters = Arbitraries.frequency(Tuple.of(3, 0), Tuple.of(1, 1));
    // Also ids of which a half looks like another id or like an adapter.
    Arbitrary<Long> ids =
        Arbitraries.frequency(Tuple.of(4, 0L), Tuple.of(1, 1L), Tuple.of(1, 1L << 32));
    Arbitrary<String> names = Arbitraries.of("fs", "nixl_store");
    Arbitrary<Map<String, Long>> keys = Arbitraries.of(Map.of(), Map.of("", 2L));
    Arbitrary<Long> counts = Arbitraries.of(0L, 2L);
    Arbitrary<Long> bytes = Arbitraries.of(0L, 1L, 250_000_000L, 1L << 53);
    return Arbitraries.oneOf(
        Combinators.combine(adapters, ids, names, keys, bytes).as(L2Event.StoreSubmitted::new),
        Combinators.combine(adapters, ids, names, counts, counts, keys, bytes)
            .as(L2Event.StoreCompleted::new),
        Combinators.combine(ids, adapters, ids, names, counts, bytes)
            .as(L2Event.LoadTaskSubmitted::new),
        Combinators.combine(ids, adapters, ids, names).as(L2Event.LoadTaskCompleted::new));
  }

  @Property(tries = 2_000)
  void samples_ofAnyHistory_areTheModels(@ForAll("histories") List<Step> history) {
    new TrackerFixture(TrackerFixture.config().pairTimeout(TIMEOUT).build())
        .assertAgreesWith(List.of(new TransferThroughputModel(1_000, TIMEOUT.toNanos())), history);
  }

  @Property(tries = 2_000)
  void samples_withRoomForThreeTransfers_areTheModels(@ForAll("histories") List<Step> history) {
    new TrackerFixture(TrackerFixture.config().maxOpenPairs(3).pairTimeout(TIMEOUT).build())
        .assertAgreesWith(List.of(new TransferThroughputModel(3, TIMEOUT.toNanos())), history);
  }

  /** No sampling, unlike that of lives and reuse. */
  @Property(tries = 1_000)
  void samples_withAShortTimeoutAtALowRate_areAllOfTheModels(
      @ForAll("histories") List<Step> history) {
    Duration timeout = Duration.ofSeconds(7);
    ObservabilityConfig config =
        TrackerFixture.config().sampleRate(0.01).maxOpenPairs(3).pairTimeout(timeout).build();
    new TrackerFixture(config)
        .assertAgreesWith(List.of(new TransferThroughputModel(3, timeout.toNanos())), history);
  }
}
