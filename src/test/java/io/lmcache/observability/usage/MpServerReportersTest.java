package io.lmcache.observability.usage;

import static io.lmcache.observability.usage.UsageFixture.CHUNK;
import static io.lmcache.observability.usage.UsageFixture.l2Loading;
import static io.lmcache.observability.usage.UsageFixture.l2Stored;
import static io.lmcache.observability.usage.UsageFixture.retrieved;
import static io.lmcache.observability.usage.UsageFixture.stored;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.internal.support.Clock;
import io.lmcache.observability.testing.FakeClock;
import io.lmcache.observability.usage.MpServerUsage.L1Usage;
import io.lmcache.observability.usage.MpServerUsage.L2Usage;
import io.lmcache.observability.usage.MpServerUsage.MetricSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The three reporters without their thread. */
class MpServerReportersTest {

  private static final Duration STEP = Duration.ofMillis(1_500);

  @TempDir private Path home;
  private final FakeClock clock = FakeClock.create();
  private final Reports reports = new Reports();
  private final AtomicLong skipped = new AtomicLong();

  private Outbox outbox() {
    return new Outbox(UsageFixture.on(home, reports, clock), "mp_server");
  }

  private Worker worker(Outbox outbox) {
    return new Worker(outbox, () -> {}, due -> {}, Worker.NEVER, time());
  }

  private Clock time() {
    return Clock.of(clock);
  }

  private ContinuousUsageReporter continuous(List<MetricSpec<?>> specs, int bound) {
    Outbox outbox = outbox();
    return new ContinuousUsageReporter(outbox, worker(outbox), time(), skipped, specs, bound);
  }

  private Reporters.L2ConnectorUsageReporter l2(
      @Nullable Supplier<? extends Collection<L2Usage>> probe) {
    Outbox outbox = outbox();
    return new Reporters.L2ConnectorUsageReporter(outbox, worker(outbox), time(), skipped, probe);
  }

  private Reporters.L1UsageReporter l1(@Nullable Supplier<@Nullable L1Usage> probe) {
    Outbox outbox = outbox();
    return new Reporters.L1UsageReporter(outbox, worker(outbox), time(), probe);
  }

  private static void publish(Reporters.Reporter to, Event... events) {
    for (Event event : events) {
      try {
        to.onEvent(event, 1);
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
  }

  private Map<String, Object> last() {
    List<Reports.Report> all = reports.all();
    return all.get(all.size() - 1).fields();
  }

  private static MetricSpec<?> spec(String field, ToLongFunction<long[]> reduce) {
    return new MetricSpec<>(
        ServerEvent.StoreEnd.class, field, ServerEvent.StoreEnd::storedCount, reduce);
  }

  @Test
  void defaults_countTokensAndBytes() {
    var reporter = continuous(MetricSpec.defaults(CHUNK), 100);
    publish(reporter, stored(3, 1_000), retrieved(5), stored(4, 500));
    clock.advance(STEP);
    reporter.flush();
    assertThat(last())
        .containsEntry("interval_num_stored_tokens", 7L * CHUNK)
        .containsEntry("interval_num_hit_tokens", 5L * CHUNK)
        .containsEntry("interval_stored_kv_size", 1_500L)
        .containsEntry("sequence_number", 1L)
        .containsEntry("uptime_seconds", 1.5);
  }

  @Test
  void emptyInterval_isSentAsAHeartbeat() {
    var reporter = continuous(MetricSpec.defaults(CHUNK), 100);
    publish(reporter, stored(3, 1_000));
    reporter.flush();
    clock.advance(STEP);
    reporter.flush();
    assertThat(last())
        .containsEntry("interval_num_stored_tokens", 0L)
        .containsEntry("interval_num_hit_tokens", 0L)
        .containsEntry("interval_stored_kv_size", 0L)
        .containsEntry("sequence_number", 2L);
  }

  @Test
  void customReduce_getsTheSamplesInOrder_andNoneWhenThereAreNone() {
    List<long[]> seen = new ArrayList<>();
    var reporter =
        continuous(
            List.of(
                spec("interval_num_stored_tokens", s -> LongStream.of(s).max().orElse(0)),
                spec("interval_num_hit_tokens", MetricSpec::sum),
                spec(
                    "interval_stored_kv_size",
                    samples -> {
                      seen.add(samples);
                      return samples.length;
                    })),
            100);
    publish(reporter, stored(3, 0), stored(9, 0), stored(4, 0));
    reporter.flush();
    assertThat(last())
        .containsEntry("interval_num_stored_tokens", 9L)
        .containsEntry("interval_num_hit_tokens", 16L)
        .containsEntry("interval_stored_kv_size", 3L);
    reporter.flush();
    assertThat(last()).containsEntry("interval_num_stored_tokens", 0L);
    assertThat(seen).hasSize(2);
    assertThat(seen.get(0)).containsExactly(3, 9, 4);
    assertThat(seen.get(1)).isEmpty();
  }

  @Test
  void specifications_thatDoNotFillEachFieldOnce_areRefused() {
    MetricSpec<?> hits = spec("interval_num_hit_tokens", MetricSpec::sum);
    MetricSpec<?> tokens = spec("interval_num_stored_tokens", MetricSpec::sum);
    MetricSpec<?> bytes = spec("interval_stored_kv_size", MetricSpec::sum);
    for (List<MetricSpec<?>> bad :
        List.<List<MetricSpec<?>>>of(
            List.of(),
            List.of(hits, tokens),
            List.of(hits, tokens, bytes, bytes),
            List.of(hits, tokens, spec("sequence_number", MetricSpec::sum)),
            List.of(hits, tokens, bytes, spec("uptime_seconds", MetricSpec::sum)))) {
      assertThatThrownBy(() -> continuous(bad, 10))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("interval_stored_kv_size");
      assertThatThrownBy(() -> MpServerUsage.setup().metrics(bad))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void badValues_areSkippedAndCounted_withoutWrappingAround() {
    var reporter =
        continuous(
            List.of(
                new MetricSpec<>(
                    ServerEvent.RetrieveEnd.class,
                    "interval_num_hit_tokens",
                    end -> Math.multiplyExact(end.retrievedCount(), Long.MAX_VALUE),
                    MetricSpec::sum),
                spec("interval_num_stored_tokens", samples -> -5),
                new MetricSpec<>(
                    ServerEvent.StoreEnd.class,
                    "interval_stored_kv_size",
                    end -> end.totalBytes() == 7 ? -1 : Long.MAX_VALUE,
                    MetricSpec::sum)),
            100);
    publish(reporter, retrieved(2), stored(1, 7), stored(1, 8), stored(1, 9), retrieved(1));
    reporter.flush();
    assertThat(last())
        .containsEntry("interval_num_hit_tokens", Long.MAX_VALUE)
        .containsEntry("interval_num_stored_tokens", 0L)
        .containsEntry("interval_stored_kv_size", Long.MAX_VALUE);
    assertThat(skipped).hasValue(3);
  }

  @Test
  void reduceThatThrows_costsItsFieldOnly() {
    var reporter =
        continuous(
            List.of(
                spec(
                    "interval_num_hit_tokens",
                    samples -> {
                      throw new AssertionError();
                    }),
                spec("interval_num_stored_tokens", MetricSpec::sum),
                spec("interval_stored_kv_size", MetricSpec::sum)),
            10);
    publish(reporter, stored(3, 1));
    reporter.flush();
    assertThat(last())
        .containsEntry("interval_num_hit_tokens", 0L)
        .containsEntry("interval_num_stored_tokens", 3L);
    assertThat(skipped).hasValue(1);
  }

  @Test
  void ring_full_dropsAndCounts_andIsFilledOncePerFill() {
    for (int bound : new int[] {1, 2, 3, 64, 100}) {
      var ring = new ContinuousUsageReporter.SampleRing(bound);
      for (int round = 1; round <= 3; round++) {
        int fills = 0;
        for (int i = 0; i < bound + 10; i++) {
          fills += ring.add(i % 2, i) ? 1 : 0;
        }
        assertThat(fills).as("bound %s", bound).isEqualTo(1);
        assertThat(ring.dropped()).isEqualTo(10L * round);
        long[][] taken = ring.take(2);
        assertThat(taken[0].length + taken[1].length).isEqualTo(bound);
        assertThat(LongStream.concat(Arrays.stream(taken[0]), Arrays.stream(taken[1])).sorted())
            .containsExactlyElementsOf(LongStream.range(0, bound).boxed().toList());
      }
    }
  }

  @Test
  void l2_trafficAndProbe_oneMessagePerType_sortedUnderOneNumber() {
    var reporter = l2(() -> List.of(new L2Usage("s3", 10, 0, 1), new L2Usage("fs", 5, 100, 0)));
    publish(
        reporter,
        l2Stored("redis", 4, 1, 400),
        l2Stored("fs", 2, 0, 20),
        l2Loading("redis", 3, 30),
        l2Stored("redis", 1, 1, 100));
    clock.advance(STEP);
    reporter.flush();
    assertThat(reports.of("L2ConnectorUsageMessage"))
        .extracting(fields -> fields.get("l2_name"))
        .containsExactly("fs", "redis", "s3");
    assertThat(reports.of("L2ConnectorUsageMessage"))
        .allSatisfy(fields -> assertThat(fields).containsEntry("sequence_number", 1L))
        .allSatisfy(fields -> assertThat(fields).containsEntry("active_seconds", 1.5));
    assertThat(reports.of("L2ConnectorUsageMessage").get(0))
        .containsEntry("interval_stored_bytes", 20L)
        .containsEntry("bytes_used", 5L)
        .containsEntry("capacity_bytes", 100L)
        .containsEntry("unbounded_adapters", 0L);
    assertThat(reports.of("L2ConnectorUsageMessage").get(1))
        .containsEntry("interval_stored_bytes", 500L)
        .containsEntry("interval_store_succeeded_keys", 5L)
        .containsEntry("interval_store_failed_keys", 2L)
        .containsEntry("interval_load_submitted_keys", 3L)
        .containsEntry("interval_load_submitted_bytes", 30L)
        .containsEntry("bytes_used", -1L)
        .containsEntry("capacity_bytes", 0L);
    assertThat(reports.of("L2ConnectorUsageMessage").get(2))
        .containsEntry("bytes_used", 10L)
        .containsEntry("unbounded_adapters", 1L);
    clock.advance(STEP.multipliedBy(2));
    reporter.flush();
    assertThat(reports.of("L2ConnectorUsageMessage").subList(3, 5))
        .extracting(fields -> fields.get("l2_name"))
        .containsExactly("fs", "s3");
    assertThat(last())
        .containsEntry("interval_stored_bytes", 0L)
        .containsEntry("active_seconds", 3.0)
        .containsEntry("uptime_seconds", 4.5)
        .containsEntry("sequence_number", 2L);
  }

  @Test
  void l2_withNeitherTrafficNorAdapters_sendsNothing_andCountsNoFlush() {
    var reporter = l2(List::of);
    reporter.flush();
    reporter.flush();
    assertThat(reports.all()).isEmpty();
    publish(reporter, l2Loading("fs", 1, 1));
    reporter.flush();
    assertThat(last()).containsEntry("sequence_number", 1L);
  }

  @Test
  void l2_probeThatFails_leavesTheTrafficWithSentinels() {
    var reporter =
        l2(
            () -> {
              throw new NoClassDefFoundError("probe");
            });
    publish(reporter, l2Stored("fs", 2, 0, 20));
    reporter.flush();
    assertThat(reports.all()).hasSize(1);
    assertThat(last())
        .containsEntry("interval_stored_bytes", 20L)
        .containsEntry("bytes_used", -1L)
        .containsEntry("capacity_bytes", 0L)
        .containsEntry("unbounded_adapters", 0L);
  }

  @Test
  void l2_adaptersOfOneType_areAddedUp_badOnesLeftOut() {
    var reporter =
        l2(
            () ->
                Arrays.asList(
                    new L2Usage("fs", 5, 100, 0),
                    null,
                    new L2Usage("fs", -1, 50, 0),
                    new L2Usage("fs://mnt", Long.MAX_VALUE, 7, 1),
                    new L2Usage("s3", -1, 50, 0)));
    reporter.flush();
    assertThat(reports.of("L2ConnectorUsageMessage").get(0))
        .containsEntry("l2_name", "fs")
        .containsEntry("bytes_used", Long.MAX_VALUE)
        .containsEntry("capacity_bytes", 107L)
        .containsEntry("unbounded_adapters", 1L);
    assertThat(last()).containsEntry("l2_name", "s3").containsEntry("bytes_used", -1L);
  }

  @Test
  void l2_sumsOfAnInterval_doNotWrapAround() {
    var reporter = l2(List::of);
    for (int i = 0; i < 3_000; i++) {
      publish(reporter, l2Stored("fs", 1, 0, 1L << 53));
    }
    reporter.flush();
    assertThat(last())
        .containsEntry("interval_store_succeeded_keys", 3_000L)
        .extractingByKey("interval_stored_bytes")
        .satisfies(sum -> assertThat((long) sum).isGreaterThan(Long.MAX_VALUE - (1L << 53)));
    assertThat(skipped.get()).isEqualTo(3_000 - 1_023);
    publish(reporter, l2Stored("fs", 1, 0, 1L << 53));
    reporter.flush();
    assertThat(last()).containsEntry("interval_stored_bytes", 1L << 53);
  }

  @Test
  void l2_namesBeyondTheBound_areSkippedAndCounted() {
    var reporter = l2(List::of);
    for (int i = 0; i < 100; i++) {
      publish(reporter, l2Loading("type" + i, 1, 1));
    }
    reporter.flush();
    assertThat(reports.all()).hasSize(64);
    assertThat(skipped).hasValue(2 * 36);
  }

  @Test
  void l1_everyFlush_sendsWhatTheProbeSays_orSentinels() {
    List<@Nullable L1Usage> answers =
        new ArrayList<>(Arrays.asList(new L1Usage(7, 100), null, new L1Usage(-3, 100)));
    var reporter = l1(() -> answers.remove(0));
    clock.advance(STEP);
    reporter.flush();
    assertThat(last())
        .containsEntry("active_seconds", 1.5)
        .containsEntry("bytes_used", 7L)
        .containsEntry("capacity_bytes", 100L)
        .containsEntry("sequence_number", 1L);
    for (int sequence = 2; sequence <= 4; sequence++) { // the last finds no answer and throws
      reporter.flush();
      assertThat(last())
          .containsEntry("bytes_used", -1L)
          .containsEntry("capacity_bytes", 0L)
          .containsEntry("sequence_number", (long) sequence);
    }
    l1(null).flush();
    assertThat(last()).containsEntry("bytes_used", -1L);
  }

  @Test
  void reporters_areNamedByTheirClass() {
    assertThat(l1(null).name()).isEqualTo("L1UsageReporter");
    assertThat(l2(null).name()).isEqualTo("L2ConnectorUsageReporter");
    assertThat(continuous(MetricSpec.defaults(1), 1).name()).isEqualTo("ContinuousUsageReporter");
  }
}
