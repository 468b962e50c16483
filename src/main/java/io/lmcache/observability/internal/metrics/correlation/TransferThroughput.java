package io.lmcache.observability.internal.metrics.correlation;

import io.lmcache.observability.catalog.L2Metrics;
import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.L2Event;
import java.util.function.Function;

/** The throughput of the transfers between L1 and L2, from submission to completion. */
final class TransferThroughput extends PairTable<TransferThroughput.Transfer> {

  /**
   * One transfer.
   *
   * @param id the task of a store, the request of a load
   */
  record Transfer(boolean isStore, int adapterIndex, long id) {}

  private final Samples store;
  private final Samples load;

  TransferThroughput(
      ObservabilityConfig config,
      Function<Metric, Samples> histograms,
      Trackers.Faults faults,
      Trackers.Ages ages) {
    super("l1_l2_pairs", config, faults, ages);
    this.store = histograms.apply(L2Metrics.STORE_THROUGHPUT);
    this.load = histograms.apply(L2Metrics.LOAD_THROUGHPUT);
  }

  @Override
  public void register(Trackers.Routes routes) {
    routes.on(
        L2Event.StoreSubmitted.class,
        (e, at) -> beginAlone(new Transfer(true, e.adapterIndex(), e.taskId()), at, 0));
    routes.on(
        L2Event.LoadTaskSubmitted.class,
        (e, at) ->
            beginAlone(new Transfer(false, e.adapterIndex(), e.requestId()), at, e.totalBytes()));
    routes.on(L2Event.StoreCompleted.class, this::stored);
    routes.on(L2Event.LoadTaskCompleted.class, this::loaded);
  }

  private void stored(L2Event.StoreCompleted end, long now) {
    Open<Transfer> start = end(new Transfer(true, end.adapterIndex(), end.taskId()));
    record(store, start, end.bytesTransferred(), now, end.l2Name());
  }

  private void loaded(L2Event.LoadTaskCompleted end, long now) {
    Open<Transfer> start = end(new Transfer(false, end.adapterIndex(), end.requestId()));
    record(load, start, start == null ? 0 : start.bytes(), now, end.l2Name());
  }
}
