package io.lmcache.observability.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.bus.RecordingErrors.Reason;
import io.lmcache.observability.catalog.Instrument;
import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.catalog.MetricCatalog;
import io.lmcache.observability.catalog.Source;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.L1Event.AllocationPurpose;
import io.lmcache.observability.event.L2Event;
import io.lmcache.observability.event.ObjectKey;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.internal.metrics.correlation.Trackers;
import io.lmcache.observability.internal.support.Warnings;
import io.lmcache.observability.testing.Logs;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class MetricsSubscriberTest {

  private static ObjectKey key(String model, String salt) {
    return ObjectKey.of(model, salt, new byte[32], 0);
  }

  private static ServerEvent.LookupPrefetchEnd lookup(String model, String salt, long requested) {
    return new ServerEvent.LookupPrefetchEnd("s", 0, requested, requested / 2, model, salt);
  }

  @Test
  void page_beforeAnyEvent_hasEveryCounterWithoutAttributesAndTheBus() {
    try (MetricsFixture fixture = new MetricsFixture()) {
      Map<String, Map<String, Double>> totals = fixture.totals();
      for (Metric row : MetricCatalog.all()) {
        if (row.instrument() == Instrument.COUNTER && row.attributes().isEmpty()) {
          assertThat(totals).containsEntry(row.name(), Map.of("{}", 0.0));
        }
      }
      assertThat(totals)
          .containsEntry("lmcache_mp.event_bus.queue_depth", Map.of("{}", 0.0))
          .containsEntry("lmcache_mp.event_bus.drain_lag_seconds", Map.of("{}", 0.0))
          .containsEntry("lmcache_mp.event_bus.dropped_events_total", Map.of("{}", 0.0))
          .containsEntry(
              "lmcache_mp.event_bus.subscriber_exceptions",
              Map.of("{subscriber_name=MetricsSubscriber}", 0.0))
          .containsEntry(
              "lmcache_mp.tracker_evictions",
              Map.of(
                  "{tracker=l1_lifecycle}", 0.0,
                  "{tracker=real_reuse}", 0.0,
                  "{tracker=l0_lifecycle}", 0.0,
                  "{tracker=l0_l1_pairs}", 0.0,
                  "{tracker=l1_l2_pairs}", 0.0))
          .doesNotContainKey("lmcache_mp.l1_usage_ratio");
    }
  }

  @Test
  void failureCounters_onceAnEventNamesTheModel_areThereWithZero() {
    try (MetricsFixture fixture = new MetricsFixture()) {
      assertThat(fixture.series("lmcache_mp.l1_allocation_failure")).isEmpty();
      fixture.event(lookup("m", "", 0));
      assertThat(fixture.series("lmcache_mp.l1_allocation_failure"))
          .isEqualTo(
              Map.of(
                  "{during=l1_store, model_name=m}", 0.0,
                  "{during=l2_prefetch, model_name=m}", 0.0));
      assertThat(fixture.series("lmcache_mp.l1_read_failure")).hasSize(4).containsValue(0.0);
      assertThat(fixture.series("lmcache_mp.l2_prefetch_failure")).isEmpty();
      fixture.event(new L2Event.PrefetchFailed("serde_failure", List.of(key("m", ""))));
      assertThat(fixture.series("lmcache_mp.l2_prefetch_failure"))
          .isEqualTo(Map.of("{model_name=m, reason=serde_failure}", 1.0));
    }
  }

  @Test
  void failureCounters_ofAModelThatOnlyKeysName_haveTheirOwnCombinationOnly() {
    try (MetricsFixture fixture = new MetricsFixture()) {
      fixture.event(
          new L1Event.AllocationFailed(AllocationPurpose.L1_STORE, List.of(key("m", ""))));
      assertThat(fixture.series("lmcache_mp.l1_allocation_failure"))
          .isEqualTo(Map.of("{during=l1_store, model_name=m}", 1.0));
    }
  }

  @Test
  void lookups_asInTheContract_countRequestedAndHitTogether() {
    try (MetricsFixture fixture = new MetricsFixture()) {
      fixture.event(new ServerEvent.LookupPrefetchStart("a"));
      fixture.event(new ServerEvent.LookupPrefetchEnd("a", 1, 1_000, 300, "m", ""));
      fixture.event(new ServerEvent.LookupPrefetchEnd("b", 0, 500, 0, "m", ""));
      fixture.event(new ServerEvent.LookupPrefetchStart("abandoned"));
      fixture.event(new ServerEvent.LookupPrefetchEnd("early", 0, 0, 0, "m", ""));
      String series = "{cache_salt=, model_name=m}";
      assertThat(fixture.series("lmcache_mp.lookup_requested")).isEqualTo(Map.of(series, 1500.0));
      assertThat(fixture.series("lmcache_mp.lookup_hit")).isEqualTo(Map.of(series, 300.0));
    }
  }

  @Test
  void keys_ofMixedSalts_countUnderTheirOwn() {
    try (MetricsFixture fixture = new MetricsFixture()) {
      fixture.event(
          new L1Event.ReadFinished(
              List.of(key("m", ""), key("m", "a"), key("m", ""), key("m", ""), key("m", "a"))));
      assertThat(fixture.series("lmcache_mp.l1_read"))
          .isEqualTo(Map.of("{cache_salt=}", 3.0, "{cache_salt=a}", 2.0));
    }
  }

  @Test
  void keys_thatAreBroken_areLeftOutAndCounted_theOthersStand() {
    ObjectKey throwing =
        new ObjectKey() {
          @Override
          public String modelName() {
            throw new IllegalStateException("broken");
          }

          @Override
          public String cacheSalt() {
            throw new StackOverflowError();
          }

          @Override
          public byte[] chunkHash() {
            return new byte[0];
          }

          @Override
          public int kvRank() {
            return 0;
          }
        };
    try (MetricsFixture fixture = new MetricsFixture()) {
      fixture.event(new L1Event.ReadFinished(List.of(key("m", "a"), throwing, key("m", "a"))));
      assertThat(fixture.series("lmcache_mp.l1_read")).isEqualTo(Map.of("{cache_salt=a}", 2.0));
      assertThat(fixture.bus.recordingErrors().of(Reason.INVALID_VALUE)).isEqualTo(1);
      assertThat(fixture.series("lmcache_mp.recording_errors"))
          .containsEntry("{reason=invalid_value}", 1.0)
          .containsEntry("{reason=invalid_field}", 0.0)
          .containsEntry("{reason=stream_failed}", 0.0);
    }
  }

  @Test
  void salts_aHundredThousandOverTwentyIntervals_endInTheOverflow_theTotalStands_oneWarning() {
    int salts = 100_000;
    try (MetricsFixture fixture = new MetricsFixture();
        Logs logs = Logs.of(Warnings.LOGGER)) {
      for (int i = 0; i < salts; i++) {
        fixture.event(new L1Event.ReadFinished(List.of(key("m", "salt-" + i))));
        if (i % (salts / 20) == 0) {
          fixture.totals();
        }
      }
      Map<String, Double> series = fixture.series("lmcache_mp.l1_read");
      assertThat(series).hasSize(2_000).containsKey("{otel.metric.overflow=true}");
      assertThat(series.values().stream().mapToDouble(Double::doubleValue).sum()).isEqualTo(salts);
      assertThat(logs.warnings()).hasSize(1);
      assertThat(logs.warnings().get(0)).contains("lmcache_mp.l1_read").contains("cache_salt");
    }
  }

  @Test
  void attributes_thatAreDropped_leaveOneSeries() {
    try (MetricsFixture fixture =
        new MetricsFixture(Set.of("cache_salt", "subscriber_name", "during"), 2_000)) {
      fixture.event(new L1Event.ReadFinished(List.of(key("m", "a"), key("m", "b"))));
      fixture.event(new L2Event.StoreSubmitted(0, 1, "fs", Map.of("a", 3L, "b", 4L), 1));
      fixture.event(lookup("m", "a", 10));
      fixture.event(lookup("m", "b", 10));
      assertThat(fixture.series("lmcache_mp.l1_read")).isEqualTo(Map.of("{}", 2.0));
      assertThat(fixture.series("lmcache_mp.l2_store_submitted_objects"))
          .isEqualTo(Map.of("{}", 7.0));
      assertThat(fixture.series("lmcache_mp.lookup_requested"))
          .isEqualTo(Map.of("{model_name=m}", 20.0));
      assertThat(fixture.series("lmcache_mp.event_bus.subscriber_exceptions"))
          .isEqualTo(Map.of("{}", 0.0));
      assertThat(fixture.series("lmcache_mp.l1_read_failure"))
          .containsKey("{model_name=m, reason=not_found}")
          .hasSize(2);
    }
  }

  @Test
  void failureCounters_withTheModelDropped_areThereFromTheStart() {
    try (MetricsFixture fixture = new MetricsFixture(Set.of("model_name"), 2_000)) {
      assertThat(fixture.series("lmcache_mp.l1_allocation_failure"))
          .isEqualTo(Map.of("{during=l1_store}", 0.0, "{during=l2_prefetch}", 0.0));
    }
  }

  @Test
  void salt_ofFourKilobytes_isKept_andALongerOneCut() {
    try (MetricsFixture fixture = new MetricsFixture()) {
      fixture.event(new L1Event.ReadFinished(List.of(key("m", "x".repeat(4_096)))));
      fixture.event(new L1Event.ReadFinished(List.of(key("m", "x".repeat(1_000_000)))));
      assertThat(fixture.series("lmcache_mp.l1_read"))
          .isEqualTo(Map.of("{cache_salt=" + "x".repeat(4_096) + "}", 2.0));
    }
  }

  @Test
  void histogram_labelsThatAreDropped_leaveTheOthers() {
    try (MetricsFixture fixture = new MetricsFixture(Set.of("engine_id", "model_name"), 2_000)) {
      fixture.event(new ServerEvent.StoreStart("s", "cuda:0", "e", "m"));
      fixture.subscriber.onEvent(
          new ServerEvent.StoreEnd("s", "cuda:0", "e", "m", 1, 1_000), 1_001);
      fixture.event(new ServerEvent.StoreStart("s", "cuda:1", "f", "n"));
      fixture.subscriber.onEvent(
          new ServerEvent.StoreEnd("s", "cuda:1", "f", "n", 1, 1_000), 1_001);
      AttributeKey<String> device = AttributeKey.stringKey("device");
      assertThat(fixture.reader.collectAllMetrics())
          .filteredOn(metric -> metric.getName().equals("lmcache_mp.l0_l1_store_throughput"))
          .flatMap(metric -> metric.getHistogramData().getPoints())
          .extracting(HistogramPointData::getAttributes)
          .containsExactlyInAnyOrder(
              Attributes.of(device, "cuda:0"), Attributes.of(device, "cuda:1"));
    }
  }

  @Test
  void trackers_ofAllHistograms_handleTheEventsOfTheRows() {
    Map<Class<?>, Integer> handlers = new HashMap<>();
    new Trackers(
            MetricsFixture.config().build(),
            row -> (value, labels) -> {},
            EventBus.create(1).recordingErrors(),
            new Warnings())
        .register((event, handler) -> handlers.merge(event, 1, Integer::sum));
    Set<Class<?>> wanted =
        MetricCatalog.all().stream()
            .filter(row -> row.instrument() == Instrument.HISTOGRAM)
            .flatMap(row -> row.sources().stream())
            .map(Source::event)
            .collect(Collectors.toSet());
    wanted.add(ServerEvent.EndSession.class);
    assertThat(handlers.keySet()).isEqualTo(wanted);
  }
}
