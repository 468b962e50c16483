package io.lmcache.observability.internal.metrics.correlation;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.ObjectKey;
import io.lmcache.observability.event.StorageEvent;
import io.lmcache.observability.internal.metrics.correlation.RealReuseModel.Chunk;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

class RealReuseModelTest {

  private static final List<String> SALTS = List.of("", "a", "b");

  /** With the salts, two of them are the same letters, cut elsewhere. */
  private static final List<String> HASHES = List.of("x", "ax");

  @Provide
  static Arbitrary<List<Step>> histories() {
    return Histories.of(events());
  }

  @Provide
  static Arbitrary<List<Step>> historiesOfManyChunks() {
    List<ObjectKey> many =
        IntStream.range(0, 100)
            .mapToObj(i -> Histories.key("m", SALTS.get(i / 4 % 3), "h" + i / 2, i % 2))
            .toList();
    return Histories.of(events(Histories.runs(many)), 20);
  }

  static Arbitrary<Event> events() {
    return events(keys().list().ofMaxSize(4));
  }

  private static Arbitrary<Event> events(Arbitrary<List<ObjectKey>> some) {
    Arbitrary<List<ObjectKey>> failed = keys().list().ofMaxSize(1);
    return Arbitraries.frequencyOf(
        Tuple.of(5, Combinators.combine(some, failed).as(StorageEvent.ReadPrefetchedFinished::new)),
        Tuple.of(3, Combinators.combine(some, failed).as(StorageEvent.WriteFinished::new)),
        Tuple.of(1, Combinators.combine(some, failed).as(StorageEvent.ReadPrefetched::new)),
        Tuple.of(1, Combinators.combine(some, failed).as(StorageEvent.WriteReserved::new)));
  }

  private static Arbitrary<ObjectKey> keys() {
    return Combinators.combine(
            Arbitraries.of("m", "n"),
            Arbitraries.of(SALTS),
            Arbitraries.of(HASHES),
            Arbitraries.of(0, 1))
        .as(Histories::key);
  }

  @Property(tries = 2_000)
  void samples_ofAnyHistory_areTheModels(@ForAll("histories") List<Step> history) {
    new TrackerFixture(TrackerFixture.config().build())
        .assertAgreesWith(List.of(new RealReuseModel(1_000, 1_000)), history);
  }

  @Property(tries = 1_000)
  void samples_withRoomForThreeChunks_areTheModels(@ForAll("histories") List<Step> history) {
    new TrackerFixture(TrackerFixture.config().maxReuseChunks(3).build())
        .assertAgreesWith(List.of(new RealReuseModel(3, 1_000)), history);
  }

  @Property(tries = 1_000)
  void samples_withRoomForTwoSalts_lackTheGapsInAccessesThatCannotBeTold(
      @ForAll("histories") List<Step> history) {
    new TrackerFixture(TrackerFixture.config().maxReuseSalts(2).build())
        .assertAgreesWith(List.of(new RealReuseModel(1_000, 2)), history);
  }

  @Property(tries = 1_000)
  void samples_withRoomForThreeChunksAndTwoSalts_areTheModels(
      @ForAll("histories") List<Step> history) {
    new TrackerFixture(TrackerFixture.config().maxReuseChunks(3).maxReuseSalts(2).build())
        .assertAgreesWith(List.of(new RealReuseModel(3, 2)), history);
  }

  @Property(tries = 1_000)
  void samples_ofManyChunks_areTheModels(@ForAll("historiesOfManyChunks") List<Step> history) {
    new TrackerFixture(TrackerFixture.config().maxReuseChunks(40).build())
        .assertAgreesWith(List.of(new RealReuseModel(40, 1_000)), history);
  }

  @Property(tries = 1_000)
  void samples_atALowerRate_areThoseOfTheChunksThatAreInAndCountTheAccessesOfAll(
      @ForAll("histories") List<Step> history, @ForAll("rates") double rate) {
    ObservabilityConfig config = TrackerFixture.config().sampleRate(rate).build();
    Set<Chunk> in = sampled(config);
    assertThat(sampled(config)).isEqualTo(in);
    new TrackerFixture(config)
        .assertAgreesWith(List.of(new RealReuseModel(1_000, 1_000)), history, in::contains);
  }

  @Provide
  static Arbitrary<Double> rates() {
    return Arbitraries.of(0.2, 0.5, 0.8);
  }

  /** The chunks of which two reads yield a gap. */
  private static Set<Chunk> sampled(ObservabilityConfig config) {
    TrackerFixture fixture = new TrackerFixture(config);
    Set<Chunk> sampled = new HashSet<>();
    for (String salt : SALTS) {
      for (String hash : HASHES) {
        ObjectKey key = Histories.key("m", salt, hash, 0);
        Event read = new StorageEvent.ReadPrefetchedFinished(List.of(key), List.of());
        if (!fixture.take(List.of(Step.event(0, read), Step.event(1, read))).isEmpty()) {
          sampled.add(Chunk.of(key));
        }
      }
    }
    return sampled;
  }
}
