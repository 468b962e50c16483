package io.lmcache.observability.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lmcache.observability.bus.EventSink;
import io.lmcache.observability.catalog.Gauges;
import io.lmcache.observability.catalog.L1Metrics;
import io.lmcache.observability.catalog.L2Metrics;
import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.catalog.ServerMetrics;
import io.lmcache.observability.testing.Samples;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The gauges of the facades, collected by hand. */
class GaugesTest {

  /** Adds up what a callback reports, by its attribute values. */
  private static final class Registry implements Gauges {

    private final IdentityHashMap<Metric, Callback> callbacks = new IdentityHashMap<>();
    private int failed;

    @Override
    public Registration register(Metric gauge, Callback callback) {
      if (callbacks.putIfAbsent(gauge, callback) != null) {
        throw new IllegalStateException("registered already");
      }
      return () -> callbacks.remove(gauge, callback);
    }

    Map<List<String>, Double> collect(Metric gauge) throws Exception {
      Map<List<String>, Double> values =
          new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
      Callback callback = callbacks.get(gauge);
      if (callback != null) {
        callback.observe(
            new Measurement() {
              @Override
              public void record(double value, String... attributes) {
                values.merge(Arrays.asList(attributes), value, Double::sum);
              }

              @Override
              public void failed(Throwable fault) {
                failed++;
              }
            });
      }
      return values;
    }
  }

  private final Registry registry = new Registry();
  private final L1Manager l1 = new L1Manager(EventSink.noop(), registry);
  private final L2Gauges l2 = new StorageManager(EventSink.noop(), registry).gauges();
  private final CacheServer server = new CacheServer(EventSink.noop(), registry);

  @Test
  void usageRatio_usedAndTotal_isTheirQuotient() throws Exception {
    AtomicLong used = new AtomicLong(1);
    AtomicLong total = new AtomicLong(4);
    var registration = l1.registerUsageRatio(used::get, total::get);
    assertThat(registry.collect(L1Metrics.USAGE_RATIO)).isEqualTo(Map.of(List.of(), 0.25));
    total.set(0);
    assertThat(registry.collect(L1Metrics.USAGE_RATIO)).isEqualTo(Map.of(List.of(), 0.0));
    assertThatIllegalStateException()
        .isThrownBy(() -> l1.registerUsageRatio(used::get, total::get));
    registration.close();
    registration.close();
    assertThat(registry.collect(L1Metrics.USAGE_RATIO)).isEmpty();
    l1.registerUsageRatio(used::get, total::get);
  }

  @Test
  void memoryUsageAndJobs_value_isReported() throws Exception {
    l1.registerMemoryUsage(() -> 12_345);
    server.registerActivePrefetchJobs(() -> 3);
    assertThat(registry.collect(L1Metrics.MEMORY_USAGE)).isEqualTo(Map.of(List.of(), 12_345.0));
    assertThat(registry.collect(ServerMetrics.ACTIVE_PREFETCH_JOBS))
        .isEqualTo(Map.of(List.of(), 3.0));
  }

  @Test
  void l2Usage_adaptersOfOneType_areASumWithoutThoseThatFail() throws Exception {
    l2.registerUsage(
        () ->
            Arrays.asList(
                new L2Gauges.Usage("fs", () -> 1),
                new L2Gauges.Usage(
                    "fs",
                    () -> {
                      throw new NoClassDefFoundError("probe");
                    }),
                Samples.<L2Gauges.Usage>nothing(),
                new L2Gauges.Usage("fs", () -> 10),
                new L2Gauges.Usage("s3", () -> 100)));
    assertThat(registry.collect(L2Metrics.USAGE))
        .isEqualTo(Map.of(List.of("fs"), 11.0, List.of("s3"), 100.0));
    assertThat(registry.failed).isEqualTo(2);
  }

  @Test
  void inflight_adaptersWithoutWork_haveNoSeries() throws Exception {
    l2.registerInflightStores(
        () ->
            List.of(
                new L2Gauges.InflightStores("fs", 0, 2), new L2Gauges.InflightStores("fs", 1, 0)));
    List<L2Gauges.InflightLoads> loads =
        List.of(
            new L2Gauges.InflightLoads("fs", 0, 0, 0),
            new L2Gauges.InflightLoads("fs", 1, 3, 4_096),
            new L2Gauges.InflightLoads("s3", 2, 1, 0));
    l2.registerInflightLoads(() -> loads);
    l2.registerInflightLoadBytes(() -> loads);
    assertThat(registry.collect(L2Metrics.INFLIGHT_STORES))
        .isEqualTo(Map.of(List.of("fs", "0"), 2.0));
    assertThat(registry.collect(L2Metrics.INFLIGHT_LOADS))
        .isEqualTo(Map.of(List.of("fs", "1"), 3.0, List.of("s3", "2"), 1.0));
    assertThat(registry.collect(L2Metrics.INFLIGHT_LOAD_BYTES))
        .isEqualTo(Map.of(List.of("fs", "1"), 4_096.0, List.of("s3", "2"), 0.0));
  }

  @Test
  void callback_thatThrows_leavesThatToTheRegistry() {
    l1.registerMemoryUsage(
        () -> {
          throw new IllegalStateException("no answer");
        });
    assertThatThrownBy(() -> registry.collect(L1Metrics.MEMORY_USAGE)).hasMessage("no answer");
  }
}
