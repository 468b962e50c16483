package io.lmcache.observability.internal.metrics.correlation;

import static io.lmcache.observability.internal.metrics.correlation.Histories.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.ObjectKey;
import io.lmcache.observability.internal.metrics.correlation.L1LifecycleModel.Chunk;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

class L1LifecycleModelTest {

  /** Each differs from the first in one fact, the last in where one fact ends. */
  private static final List<ObjectKey> KEYS =
      List.of(
          key("m", "s", "h", 0),
          key("n", "s", "h", 0),
          key("m", "t", "h", 0),
          key("m", "s", "i", 0),
          key("m", "s", "h", 1),
          key("ms", "", "h", 0));

  @Provide
  static Arbitrary<List<Step>> histories() {
    return Histories.of(events());
  }

  /** Large events, a few of which fill what the trackers have at first. */
  @Provide
  static Arbitrary<List<Step>> historiesOfManyChunks() {
    List<ObjectKey> many =
        IntStream.range(0, 50).mapToObj(i -> key("m", "s", "h" + i, i % 2)).toList();
    return Histories.of(events(Histories.runs(many)), 20);
  }

  static Arbitrary<Event> events() {
    return events(Arbitraries.of(KEYS).list().ofMaxSize(3));
  }

  private static Arbitrary<Event> events(Arbitrary<List<ObjectKey>> keys) {
    return Arbitraries.frequencyOf(
        Tuple.of(4, keys.map(L1Event.WriteFinished::new)),
        Tuple.of(2, keys.map(L1Event.WriteFinishedAndReadReserved::new)),
        Tuple.of(4, keys.map(L1Event.ReadFinished::new)),
        Tuple.of(5, keys.map(L1Event.KeysEvicted::new)),
        Tuple.of(1, keys.map(L1Event.WriteReserved::new)),
        Tuple.of(1, keys.map(L1Event.ReadReserved::new)));
  }

  @Property(tries = 2_000)
  void samples_ofAnyHistory_areTheModels(@ForAll("histories") List<Step> history) {
    new TrackerFixture(TrackerFixture.config().build())
        .assertAgreesWith(List.of(new L1LifecycleModel(1_000)), history);
  }

  @Property(tries = 2_000)
  void samples_withRoomForThreeChunks_areTheModels(@ForAll("histories") List<Step> history) {
    new TrackerFixture(TrackerFixture.config().maxTrackedChunks(3).build())
        .assertAgreesWith(List.of(new L1LifecycleModel(3)), history);
  }

  @Property(tries = 1_000)
  void samples_ofManyChunks_areTheModels(@ForAll("historiesOfManyChunks") List<Step> history) {
    new TrackerFixture(TrackerFixture.config().maxTrackedChunks(40).build())
        .assertAgreesWith(List.of(new L1LifecycleModel(40)), history);
  }

  @Property(tries = 1_000)
  void samples_atALowerRate_areThoseOfTheChunksThatAreIn(
      @ForAll("histories") List<Step> history, @ForAll("rates") double rate) {
    ObservabilityConfig config = TrackerFixture.config().sampleRate(rate).build();
    Set<Chunk> in = sampled(config);
    assertThat(sampled(config)).isEqualTo(in);
    new TrackerFixture(config)
        .assertAgreesWith(List.of(new L1LifecycleModel(1_000)), history, in::contains);
  }

  @Provide
  static Arbitrary<Double> rates() {
    return Arbitraries.of(0.2, 0.5, 0.8);
  }

  /** The chunks that a write and an eviction yield a lifetime of. */
  private static Set<Chunk> sampled(ObservabilityConfig config) {
    TrackerFixture fixture = new TrackerFixture(config);
    return KEYS.stream()
        .filter(
            key ->
                !fixture
                    .take(
                        List.of(
                            Step.event(0, new L1Event.WriteFinished(List.of(key))),
                            Step.event(1, new L1Event.KeysEvicted(List.of(key)))))
                    .isEmpty())
        .map(Chunk::of)
        .collect(Collectors.toSet());
  }
}
