package io.lmcache.observability.internal.metrics.correlation;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.catalog.Instrument;
import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.catalog.MetricCatalog;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.internal.metrics.correlation.Model.Sample;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;

/** Events of all kinds at once, with the pair timeout that holds when none is set. */
class AllTrackersModelTest {

  private static final long TIMEOUT = Duration.ofMinutes(10).toNanos();

  private static final Map<String, Long> COUNTS = new TreeMap<>();

  @Provide
  static Arbitrary<List<Step>> histories() {
    Arbitrary<Event> events =
        Arbitraries.frequencyOf(
            Tuple.of(2, L1LifecycleModelTest.events()),
            Tuple.of(1, RealReuseModelTest.events()),
            Tuple.of(3, BlockLifecycleModelTest.events("r", "s")),
            Tuple.of(3, CopyThroughputModelTest.events()),
            Tuple.of(3, TransferThroughputModelTest.events()));
    return Histories.of(events, 120);
  }

  @Property(tries = 1_000)
  void samples_ofAnyHistory_areTheModels(@ForAll("histories") List<Step> history) {
    List<Sample> samples =
        new TrackerFixture(TrackerFixture.config().build())
            .assertAgreesWith(
                List.of(
                    new L1LifecycleModel(1_000),
                    new RealReuseModel(1_000, 1_000),
                    new BlockLifecycleModel(1_000),
                    new CopyThroughputModel(1_000, TIMEOUT),
                    new TransferThroughputModel(1_000, TIMEOUT)),
                history);
    samples.forEach(sample -> COUNTS.merge(sample.metric(), 1L, Long::sum));
  }

  /** Agreement about nothing would be worth nothing. */
  @AfterContainer
  static void everyHistogram_hasHadManySamples() {
    List<String> histograms =
        MetricCatalog.all().stream()
            .filter(row -> row.instrument() == Instrument.HISTOGRAM)
            .map(Metric::name)
            .toList();
    assertThat(histograms).hasSize(13);
    assertThat(COUNTS).containsOnlyKeys(histograms);
    assertThat(COUNTS).allSatisfy((name, count) -> assertThat(count).isGreaterThan(100));
  }
}
