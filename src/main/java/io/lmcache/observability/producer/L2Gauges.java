package io.lmcache.observability.producer;

import io.lmcache.observability.catalog.Gauges;
import io.lmcache.observability.catalog.L2Metrics;
import io.lmcache.observability.catalog.Metric;
import java.util.Collection;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * The state of the L2 adapters, asked for at each collection.
 *
 * <p>The callbacks run on the thread of the collection; they must be quick and may see a state that
 * is one change old. Each registration is refused with an {@link IllegalStateException} while the
 * gauge is registered already; closing the handle frees it.
 */
public final class L2Gauges {

  /**
   * An adapter and how to ask it for the bytes that it holds.
   *
   * @param l2Name the type of the adapter, such as {@code fs}
   */
  public record Usage(String l2Name, LongSupplier bytesUsed) {}

  /**
   * The store tasks in flight at an adapter.
   *
   * @param adapterIndex its position in the list of adapters
   */
  public record InflightStores(String l2Name, int adapterIndex, long count) {}

  /**
   * The loads in flight from an adapter, and the bytes of L1 that they have reserved.
   *
   * @param adapterIndex its position in the list of adapters
   */
  public record InflightLoads(String l2Name, int adapterIndex, long count, long bytes) {}

  private final Gauges gauges;

  L2Gauges(Gauges gauges) {
    this.gauges = gauges;
  }

  /**
   * Reports {@code l2_usage_bytes}: the adapters of one type are added up, one whose probe throws
   * is left out.
   */
  public Gauges.Registration registerUsage(Supplier<? extends Collection<Usage>> adapters) {
    Objects.requireNonNull(adapters, "adapters");
    return gauges.register(
        L2Metrics.USAGE,
        measurement -> {
          for (Usage adapter : adapters.get()) {
            try {
              measurement.record((double) adapter.bytesUsed().getAsLong(), adapter.l2Name());
            } catch (Throwable fault) {
              measurement.failed(fault);
            }
          }
        });
  }

  /** Reports {@code num_inflight_l2_stores}; an adapter without any has no series. */
  public Gauges.Registration registerInflightStores(
      Supplier<? extends Collection<InflightStores>> adapters) {
    Objects.requireNonNull(adapters, "adapters");
    return gauges.register(
        L2Metrics.INFLIGHT_STORES,
        measurement -> {
          for (InflightStores stores : adapters.get()) {
            if (stores.count() != 0) {
              measurement.record(
                  (double) stores.count(),
                  stores.l2Name(),
                  Integer.toString(stores.adapterIndex()));
            }
          }
        });
  }

  /** Reports {@code num_inflight_l2_loads}; an adapter without any has no series. */
  public Gauges.Registration registerInflightLoads(
      Supplier<? extends Collection<InflightLoads>> adapters) {
    return loads(L2Metrics.INFLIGHT_LOADS, adapters, InflightLoads::count);
  }

  /** Reports {@code inflight_load_memory_usage_bytes}; an adapter without loads has no series. */
  public Gauges.Registration registerInflightLoadBytes(
      Supplier<? extends Collection<InflightLoads>> adapters) {
    return loads(L2Metrics.INFLIGHT_LOAD_BYTES, adapters, InflightLoads::bytes);
  }

  private Gauges.Registration loads(
      Metric gauge,
      Supplier<? extends Collection<InflightLoads>> adapters,
      ToLongFunction<InflightLoads> value) {
    Objects.requireNonNull(adapters, "adapters");
    return gauges.register(
        gauge,
        measurement -> {
          for (InflightLoads loads : adapters.get()) {
            if (loads.count() != 0) {
              measurement.record(
                  (double) value.applyAsLong(loads),
                  loads.l2Name(),
                  Integer.toString(loads.adapterIndex()));
            }
          }
        });
  }
}
