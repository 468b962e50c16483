package io.lmcache.observability.internal.metrics.correlation;

import static io.lmcache.observability.internal.metrics.correlation.Histories.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.ObjectKey;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.event.ServerEvent.AllocationRecord;
import io.lmcache.observability.event.StorageEvent;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** How many are in the sample; which, is held to the models. */
class SamplingTest {

  private static final int IDENTITIES = 4_000;
  private static final double RATE = 0.25;

  /** How many of the histories, each about an identity of its own, yield samples. */
  private static long inSample(IntFunction<List<Event>> histories) {
    ObservabilityConfig config = TrackerFixture.config().sampleRate(RATE).build();
    return IntStream.range(0, IDENTITIES)
        .filter(
            i -> {
              TrackerFixture fixture = new TrackerFixture(config);
              return histories.apply(i).stream()
                  .anyMatch(event -> !fixture.take(Step.event(i, event)).isEmpty());
            })
        .count();
  }

  private static void assertShareIsTheRate(long count) {
    assertThat(count / (double) IDENTITIES).isBetween(RATE - 0.03, RATE + 0.03);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void l1_keysThatDifferInOneFact_areInAtTheRate(String fact, IntFunction<ObjectKey> keys) {
    assertShareIsTheRate(
        inSample(
            i -> {
              List<ObjectKey> key = List.of(keys.apply(i));
              return List.of(new L1Event.WriteFinished(key), new L1Event.KeysEvicted(key));
            }));
  }

  static Stream<Arguments> l1_keysThatDifferInOneFact_areInAtTheRate() {
    return Stream.of(
        keys("model", i -> key("m" + i, "s", "h", 0)),
        keys("salt", i -> key("m", "s" + i, "h", 0)),
        keys("hash", i -> key("m", "s", "h" + i, 0)),
        keys("rank", i -> key("m", "s", "h", i)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void realReuse_keysThatDifferInOneFact_areInAtTheRate(String fact, IntFunction<ObjectKey> keys) {
    assertShareIsTheRate(inSample(i -> twoReads(keys.apply(i))));
  }

  static Stream<Arguments> realReuse_keysThatDifferInOneFact_areInAtTheRate() {
    return Stream.of(
        keys("salt", i -> key("m", "s" + i, "h", 0)), keys("hash", i -> key("m", "s", "h" + i, 0)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void realReuse_keysOfOneChunk_areAllInOrAllOut(String fact, IntFunction<ObjectKey> keys) {
    assertThat(inSample(i -> twoReads(keys.apply(i)))).isIn(0L, (long) IDENTITIES);
  }

  static Stream<Arguments> realReuse_keysOfOneChunk_areAllInOrAllOut() {
    return Stream.of(
        keys("model", i -> key("m" + i, "s", "h", 0)), keys("rank", i -> key("m", "s", "h", i)));
  }

  private static Arguments keys(String fact, IntFunction<ObjectKey> keys) {
    return Arguments.of(fact, keys);
  }

  private static List<Event> twoReads(ObjectKey key) {
    Event read = new StorageEvent.ReadPrefetchedFinished(List.of(key), List.of());
    return List.of(read, read);
  }

  @Test
  void l0_blocksOfOneInstance_areInAtTheRate() {
    assertShareIsTheRate(inSample(i -> twoAllocations("i", i)));
  }

  @Test
  void l0_instancesOfOneBlock_areInAtTheRate() {
    assertShareIsTheRate(inSample(i -> twoAllocations("i" + i, 0)));
  }

  private static List<Event> twoAllocations(String instance, int block) {
    return IntStream.of(1, 2)
        .mapToObj(token -> new AllocationRecord("r", new int[] {block}, new int[] {token}))
        .<Event>map(record -> new ServerEvent.BlockAllocation(instance, "m", List.of(record)))
        .toList();
  }
}
