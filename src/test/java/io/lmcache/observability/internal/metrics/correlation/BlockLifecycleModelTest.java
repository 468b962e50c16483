package io.lmcache.observability.internal.metrics.correlation;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.event.ServerEvent.AllocationRecord;
import io.lmcache.observability.internal.metrics.correlation.BlockLifecycleModel.Block;
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

class BlockLifecycleModelTest {

  private static final List<String> INSTANCES = List.of("i", "j");
  private static final List<Integer> BLOCKS = List.of(0, 1, 70_000);

  @Provide
  static Arbitrary<List<Step>> histories() {
    return Histories.of(events("r", "s", "t"));
  }

  @Provide
  static Arbitrary<List<Step>> historiesOfManyRequests() {
    return Histories.of(events("r", "s", "t", "u"));
  }

  @Provide
  static Arbitrary<List<Step>> historiesOfTwoRequests() {
    return Histories.of(events("r", "s"));
  }

  @Provide
  static Arbitrary<List<Step>> historiesOfManyBlocks() {
    List<Integer> many = IntStream.range(0, 40).boxed().toList();
    Arbitrary<int[]> runs =
        Histories.runs(many).map(run -> run.stream().mapToInt(id -> id).toArray());
    Arbitrary<int[]> tokens =
        Arbitraries.of(many)
            .map(odd -> IntStream.range(0, 40).map(i -> i == odd ? 2 : 1).toArray());
    return Histories.of(events(runs, tokens, "r", "s", "t", "u"), 12);
  }

  static Arbitrary<Event> events(String... requests) {
    return events(
        Arbitraries.of(BLOCKS).array(int[].class).ofMaxSize(3),
        Arbitraries.of(1, 2).array(int[].class).ofMaxSize(4),
        requests);
  }

  private static Arbitrary<Event> events(
      Arbitrary<int[]> blocks, Arbitrary<int[]> tokens, String... requests) {
    Arbitrary<AllocationRecord> records =
        Combinators.combine(Arbitraries.of(requests), blocks, tokens).as(AllocationRecord::new);
    return Arbitraries.frequencyOf(
        Tuple.of(
            5,
            Combinators.combine(
                    Arbitraries.of(INSTANCES),
                    Arbitraries.of("m", "n"),
                    records.list().ofMinSize(1).ofMaxSize(2))
                .as(ServerEvent.BlockAllocation::new)),
        Tuple.of(3, Arbitraries.of(requests).map(ServerEvent.EndSession::new)));
  }

  @Property(tries = 2_000)
  void samples_ofAnyHistory_areTheModels(@ForAll("histories") List<Step> history) {
    new TrackerFixture(TrackerFixture.config().build())
        .assertAgreesWith(List.of(new BlockLifecycleModel(1_000)), history);
  }

  @Property(tries = 2_000)
  void samples_withRoomForThreeBlocks_areTheModels(
      @ForAll("historiesOfTwoRequests") List<Step> history) {
    new TrackerFixture(TrackerFixture.config().maxTrackedBlocks(3).build())
        .assertAgreesWith(List.of(new BlockLifecycleModel(3)), history);
  }

  @Property(tries = 1_000)
  void samples_withRoomForThreeBlocksAndSixOwners_areTheModels(
      @ForAll("historiesOfManyRequests") List<Step> history) {
    new TrackerFixture(TrackerFixture.config().maxTrackedBlocks(3).build())
        .assertAgreesWith(List.of(new BlockLifecycleModel(3)), history);
  }

  @Property(tries = 1_000)
  void samples_withRoomForOneBlockAndTwoOwners_areTheModels(
      @ForAll("historiesOfManyRequests") List<Step> history) {
    new TrackerFixture(TrackerFixture.config().maxTrackedBlocks(1).build())
        .assertAgreesWith(List.of(new BlockLifecycleModel(1)), history);
  }

  @Property(tries = 1_000)
  void samples_ofManyBlocks_areTheModels(@ForAll("historiesOfManyBlocks") List<Step> history) {
    new TrackerFixture(TrackerFixture.config().maxTrackedBlocks(30).build())
        .assertAgreesWith(List.of(new BlockLifecycleModel(30)), history);
  }

  @Property(tries = 1_000)
  void samples_atALowerRate_areThoseOfTheBlocksThatAreIn(
      @ForAll("histories") List<Step> history, @ForAll("rates") double rate) {
    ObservabilityConfig config = TrackerFixture.config().sampleRate(rate).build();
    Set<Block> in = sampled(config);
    assertThat(sampled(config)).isEqualTo(in);
    new TrackerFixture(config)
        .assertAgreesWith(List.of(new BlockLifecycleModel(1_000)), history, in::contains);
  }

  @Provide
  static Arbitrary<Double> rates() {
    return Arbitraries.of(0.2, 0.5, 0.8);
  }

  /** The blocks that two allocations with different tokens yield a lifetime of. */
  private static Set<Block> sampled(ObservabilityConfig config) {
    TrackerFixture fixture = new TrackerFixture(config);
    Set<Block> sampled = new HashSet<>();
    for (String instance : INSTANCES) {
      for (int block : BLOCKS) {
        Step first = Step.event(0, allocation(instance, record("r", block, 1)));
        Step second = Step.event(1, allocation(instance, record("r", block, 2)));
        if (!fixture.take(List.of(first, second)).isEmpty()) {
          sampled.add(new Block(instance, block));
        }
      }
    }
    return sampled;
  }

  private static Event allocation(String instance, AllocationRecord record) {
    return new ServerEvent.BlockAllocation(instance, "m", List.of(record));
  }

  private static AllocationRecord record(String request, int block, int token) {
    return new AllocationRecord(request, new int[] {block}, new int[] {token});
  }
}
