package io.lmcache.observability.internal.metrics.correlation;

import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.ServerEvent;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

class CopyThroughputModelTest {

  private static final Duration TIMEOUT = Duration.ofMinutes(10);

  @Provide
  static Arbitrary<List<Step>> histories() {
    return Histories.of(events());
  }

  static Arbitrary<Event> events() {
    // Sessions and devices that are the same letters, cut elsewhere.
    Arbitrary<String> sessions = Arbitraries.frequency(Tuple.of(3, "s"), Tuple.of(1, "sd"));
    Arbitrary<String> devices = Arbitraries.frequency(Tuple.of(3, "dd"), Tuple.of(1, "d"));
    Arbitrary<String> engines = Arbitraries.of("e", "f");
    Arbitrary<String> models = Arbitraries.of("m", "n");
    Arbitrary<Long> counts = Arbitraries.of(0L, 4L);
    Arbitrary<Long> bytes = Arbitraries.of(0L, 1L, 250_000_000L, 1L << 53);
    return Arbitraries.oneOf(
        Combinators.combine(sessions, devices, engines, models).as(ServerEvent.StoreStart::new),
        Combinators.combine(sessions, devices, engines, models, counts, bytes)
            .as(ServerEvent.StoreEnd::new),
        Combinators.combine(sessions, devices, engines, models).as(ServerEvent.RetrieveStart::new),
        Combinators.combine(
                sessions, devices, engines, models, Arbitraries.of("", "a"), counts, bytes)
            .as(ServerEvent.RetrieveEnd::new));
  }

  @Property(tries = 2_000)
  void samples_ofAnyHistory_areTheModels(@ForAll("histories") List<Step> history) {
    new TrackerFixture(TrackerFixture.config().pairTimeout(TIMEOUT).build())
        .assertAgreesWith(List.of(new CopyThroughputModel(1_000, TIMEOUT.toNanos())), history);
  }

  @Property(tries = 2_000)
  void samples_withRoomForThreeCopies_areTheModels(@ForAll("histories") List<Step> history) {
    new TrackerFixture(TrackerFixture.config().maxOpenPairs(3).pairTimeout(TIMEOUT).build())
        .assertAgreesWith(List.of(new CopyThroughputModel(3, TIMEOUT.toNanos())), history);
  }

  /** No sampling, unlike that of lives and reuse. */
  @Property(tries = 1_000)
  void samples_withAShortTimeoutAtALowRate_areAllOfTheModels(
      @ForAll("histories") List<Step> history) {
    Duration timeout = Duration.ofSeconds(7);
    ObservabilityConfig config =
        TrackerFixture.config().sampleRate(0.01).maxOpenPairs(3).pairTimeout(timeout).build();
    new TrackerFixture(config)
        .assertAgreesWith(List.of(new CopyThroughputModel(3, timeout.toNanos())), history);
  }
}
