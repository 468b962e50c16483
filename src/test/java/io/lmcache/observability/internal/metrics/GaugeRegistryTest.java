package io.lmcache.observability.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.lmcache.observability.bus.RecordingErrors.Reason;
import io.lmcache.observability.catalog.Gauges;
import io.lmcache.observability.catalog.L1Metrics;
import io.lmcache.observability.producer.CacheServer;
import io.lmcache.observability.producer.L1Manager;
import io.lmcache.observability.producer.L2Gauges;
import io.lmcache.observability.producer.StorageManager;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

@SuppressWarnings("NullAway") // hands in null on purpose
class GaugeRegistryTest {

  @ParameterizedTest
  @NullSource
  @ValueSource(
      strings = {
        "1abc",
        "a b",
        "",
        "ä",
        "a\n",
        "lmcache_mp.l1_read",
        "lmcache.mine",
        "LMCACHE-x",
        "a_total",
        "a.bucket",
        "target_info",
        "a{b}",
        "total",
        "count",
        "lmcachex",
        "target"
      })
  void ownGauge_withABadName_isRefusedWithTheRule(String name) {
    try (MetricsFixture fixture = new MetricsFixture()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> fixture.gauges.register(name, "", "", () -> 1))
          .withMessageContaining("starts with a letter");
      fixture.gauges.register("fine", "", "", () -> 1);
      assertThat(fixture.series("fine")).isEqualTo(Map.of("{}", 1.0));
    }
  }

  @Test
  void ownGauge_nameLength_mayBe255AndNotMore() {
    try (MetricsFixture fixture = new MetricsFixture()) {
      fixture.gauges.register("a".repeat(255), "", "", () -> 1);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> fixture.gauges.register("a".repeat(256), "", "", () -> 1))
          .withMessageContaining("255");
    }
  }

  @Test
  void ownGauge_withABadUnitOrNoCallback_isRefused() {
    try (MetricsFixture fixture = new MetricsFixture()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> fixture.gauges.register("a", "a b\n", "", () -> 1))
          .withMessageContaining("unit");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> fixture.gauges.register("a", "", "", null))
          .withMessageContaining("callback");
    }
  }

  @Test
  void ownGauge_whoseNameOnThePageIsInUse_isRefused() {
    try (MetricsFixture fixture = new MetricsFixture()) {
      fixture.gauges.register("pool.wait", "s", "", () -> 1);
      for (String same : List.of("pool.wait", "pool_wait", "Pool-Wait", "pool.wait_seconds")) {
        assertThatIllegalStateException()
            .isThrownBy(() -> fixture.gauges.register(same, "s", "", () -> 1))
            .withMessageContaining(same);
      }
      assertThatIllegalStateException()
          .isThrownBy(() -> fixture.gauges.register("pool.wait", "By", "", () -> 1));
    }
  }

  @Test
  void handle_closed_freesTheName_onceOnly() {
    try (MetricsFixture fixture = new MetricsFixture()) {
      Gauges.Registration first = fixture.gauges.register("a", "", "", () -> 1);
      first.close();
      assertThat(fixture.totals()).doesNotContainKey("a");
      fixture.gauges.register("a", "", "", () -> 2);
      first.close();
      assertThat(fixture.series("a")).isEqualTo(Map.of("{}", 2.0));
    }
  }

  @Test
  void stateGauge_registeredTwice_isRefusedByName_untilClosed() {
    try (MetricsFixture fixture = new MetricsFixture()) {
      L1Manager l1 = new L1Manager(fixture.bus, fixture.gauges);
      Gauges.Registration usage = l1.registerUsageRatio(() -> 1, () -> 4);
      assertThat(fixture.series("lmcache_mp.l1_usage_ratio")).isEqualTo(Map.of("{}", 0.25));
      assertThatIllegalStateException()
          .isThrownBy(() -> l1.registerUsageRatio(() -> 1, () -> 4))
          .withMessageContaining("lmcache_mp.l1_usage_ratio");
      usage.close();
      l1.registerUsageRatio(() -> 7, () -> 0);
      assertThat(fixture.series("lmcache_mp.l1_usage_ratio")).isEqualTo(Map.of("{}", 0.0));
    }
  }

  @Test
  void values_thatAreNotUsable_areLeftOutAndCounted() {
    try (MetricsFixture fixture = new MetricsFixture()) {
      AtomicReference<Double> value = new AtomicReference<>(Double.NaN);
      fixture.gauges.register("own", "", "", value::get);
      fixture.gauges.register(L1Metrics.USAGE_RATIO, out -> out.record(value.get()));
      for (double bad : List.of(Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY)) {
        value.set(bad);
        assertThat(fixture.series("own")).isEmpty();
      }
      assertThat(fixture.bus.recordingErrors().of(Reason.INVALID_VALUE)).isEqualTo(6);
      value.set(-0.5);
      assertThat(fixture.series("own")).isEqualTo(Map.of("{}", -0.5));
      assertThat(fixture.series("lmcache_mp.l1_usage_ratio")).isEmpty();
    }
  }

  @Test
  void callback_thatThrows_losesItsOwnPointOnly() {
    try (MetricsFixture fixture = new MetricsFixture()) {
      fixture.gauges.register(
          "oom",
          "",
          "",
          () -> {
            throw new OutOfMemoryError("in a callback");
          });
      fixture.gauges.register("fine", "", "", () -> 3);
      Map<String, Map<String, Double>> totals = fixture.totals();
      assertThat(totals.getOrDefault("oom", Map.of())).isEmpty();
      assertThat(totals).containsEntry("fine", Map.of("{}", 3.0));
      assertThat(fixture.bus.recordingErrors().of(Reason.INVALID_VALUE)).isEqualTo(1);
    }
  }

  @Test
  void l2Usage_ofOneType_isTheSum_withoutTheProbeThatThrows() {
    try (MetricsFixture fixture = new MetricsFixture()) {
      StorageManager storage = new StorageManager(fixture.bus, fixture.gauges);
      storage
          .gauges()
          .registerUsage(
              () ->
                  List.of(
                      new L2Gauges.Usage("fs", () -> 5),
                      new L2Gauges.Usage("fs", () -> 6),
                      new L2Gauges.Usage(
                          "fs",
                          () -> {
                            throw new IllegalStateException("gone");
                          }),
                      new L2Gauges.Usage(null, () -> 100),
                      new L2Gauges.Usage("mock", () -> 0)));
      assertThat(fixture.series("lmcache_mp.l2_usage_bytes"))
          .isEqualTo(Map.of("{l2_name=fs}", 11.0, "{l2_name=mock}", 0.0));
      assertThat(fixture.bus.recordingErrors().of(Reason.INVALID_VALUE)).isEqualTo(2);
    }
  }

  @Test
  void adapters_withoutWorkInFlight_haveNoPoint() {
    try (MetricsFixture fixture = new MetricsFixture()) {
      L2Gauges gauges = new StorageManager(fixture.bus, fixture.gauges).gauges();
      gauges.registerInflightStores(
          () ->
              List.of(
                  new L2Gauges.InflightStores("fs", 0, 2),
                  new L2Gauges.InflightStores("fs", 1, 0)));
      List<L2Gauges.InflightLoads> loads =
          List.of(
              new L2Gauges.InflightLoads("fs", 0, 0, 0),
              new L2Gauges.InflightLoads("fs", 1, 3, 4_096));
      gauges.registerInflightLoads(() -> loads);
      gauges.registerInflightLoadBytes(() -> loads);
      assertThat(fixture.series("lmcache_mp.num_inflight_l2_stores"))
          .isEqualTo(Map.of("{adapter_index=0, l2_name=fs}", 2.0));
      assertThat(fixture.series("lmcache_mp.num_inflight_l2_loads"))
          .isEqualTo(Map.of("{adapter_index=1, l2_name=fs}", 3.0));
      assertThat(fixture.series("lmcache_mp.inflight_load_memory_usage_bytes"))
          .isEqualTo(Map.of("{adapter_index=1, l2_name=fs}", 4_096.0));
    }
  }

  @Test
  void allSevenStateGauges_areThereFromTheirRegistration() {
    try (MetricsFixture fixture = new MetricsFixture(Set.of(), 2_000)) {
      L1Manager l1 = new L1Manager(fixture.bus, fixture.gauges);
      l1.registerMemoryUsage(() -> 10);
      new CacheServer(fixture.bus, fixture.gauges).registerActivePrefetchJobs(() -> 0);
      assertThat(fixture.series("lmcache_mp.l1_memory_usage_bytes")).isEqualTo(Map.of("{}", 10.0));
      assertThat(fixture.series("lmcache_mp.active_prefetch_jobs")).isEqualTo(Map.of("{}", 0.0));
    }
  }
}
