package io.lmcache.observability.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The replay against the second implementation, and against the known numbers of a real trace. */
class ReplayTest {

  @ParameterizedTest
  @CsvSource({
    "1, 0, 1",
    "1, 1, 1",
    "1, 7, 1",
    "1, 100, 3",
    "1, 800, 1",
    "1, 800, 3",
    "1, 100000, 3",
    "2, 0, 3",
    "2, 40, 1",
    "2, 400, 3",
    "3, 3, 3",
    "3, 250, 1",
    "3, 1500, 1",
  })
  void play_generatedTrace_movesEveryMetricAsTheNaiveReplayDoes(
      long seed, int l1Chunks, int tenants) {
    List<TraceRequest> requests = TraceGenerator.generate(seed, 120);
    EventTotals counted = new EventTotals();
    new ReplayRun(10_000, l1Chunks, tenants).run(requests, counted);
    assertThat(counted.totals.asMap())
        .isEqualTo(NaiveReplay.totals(requests, l1Chunks, tenants).asMap());
  }

  @Property(tries = 300)
  void play_anyRequests_movesEveryMetricAsTheNaiveReplayDoes(
      @ForAll("traces") List<TraceRequest> requests,
      @ForAll @IntRange(min = 0, max = 12) int l1Chunks,
      @ForAll @IntRange(min = 1, max = 3) int tenants) {
    EventTotals counted = new EventTotals();
    new ReplayRun(16, l1Chunks, tenants).run(requests, counted);
    assertThat(counted.totals.asMap())
        .isEqualTo(NaiveReplay.totals(requests, l1Chunks, tenants).asMap());
  }

  /** Few different chunks in any order, so that every way through the cache is taken. */
  @Provide
  static Arbitrary<List<TraceRequest>> traces() {
    Arbitrary<List<Long>> hashIds =
        Arbitraries.longs().between(0, 9).list().ofMaxSize(8).uniqueElements();
    return hashIds.map(ids -> new TraceRequest(0, 0, 0, ids)).list().ofMaxSize(30);
  }

  @ParameterizedTest
  @CsvSource({"0", "1", "300"})
  void play_secondRound_startsWithAnEmptyCache(int l1Chunks) {
    List<TraceRequest> requests = TraceGenerator.generate(5, 100);
    EventTotals counted = new EventTotals();
    List<Replay.Result> results =
        new ReplayRun(10_000, l1Chunks, 2).rounds(2).run(requests, counted);
    assertThat(results.get(1)).isEqualTo(results.get(0));
    Totals once = NaiveReplay.totals(requests, l1Chunks, 2);
    once.asMap()
        .forEach(
            (metric, perSalt) ->
                perSalt.forEach(
                    (salt, count) ->
                        assertThat(counted.totals.asMap().get(metric))
                            .as(metric)
                            .containsEntry(salt, 2 * count)));
  }

  @Test
  void play_queueOfOne_losesNothing() {
    List<TraceRequest> requests = TraceGenerator.generate(6, 40);
    EventTotals counted = new EventTotals();
    new ReplayRun(1, 50, 1).run(requests, counted);
    assertThat(counted.totals.asMap()).isEqualTo(NaiveReplay.totals(requests, 50, 1).asMap());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 8000})
  void play_publicTrace_givesItsKnownNumbers(int l1Chunks) throws IOException {
    List<TraceRequest> requests = KnownTrace.read();
    EventTotals counted = new EventTotals();
    new ReplayRun(10_000, l1Chunks, 1).run(requests, counted);
    KnownTrace.numbers(l1Chunks)
        .forEach(
            (metric, value) ->
                assertThat(counted.totals.total(metric)).as(metric).isEqualTo(value));
  }
}
