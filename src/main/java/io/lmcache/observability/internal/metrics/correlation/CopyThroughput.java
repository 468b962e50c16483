package io.lmcache.observability.internal.metrics.correlation;

import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.catalog.ServerMetrics;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.ServerEvent;
import java.util.function.Function;

/** The throughput of the copies between GPU and L1, from the start and the end of each. */
final class CopyThroughput extends PairTable<CopyThroughput.Stream> {

  /** Whose copies are matched, first in, first out. */
  record Stream(boolean isStore, String session, String device) {}

  private final Samples store;
  private final Samples load;

  CopyThroughput(
      ObservabilityConfig config,
      Function<Metric, Samples> histograms,
      Trackers.Faults faults,
      Trackers.Ages ages) {
    super("l0_l1_pairs", config, faults, ages);
    this.store = histograms.apply(ServerMetrics.COPY_STORE_THROUGHPUT);
    this.load = histograms.apply(ServerMetrics.COPY_LOAD_THROUGHPUT);
  }

  @Override
  public void register(Trackers.Routes routes) {
    routes.on(
        ServerEvent.StoreStart.class,
        (e, at) -> begin(new Stream(true, e.sessionId(), e.device()), at, 0));
    routes.on(
        ServerEvent.RetrieveStart.class,
        (e, at) -> begin(new Stream(false, e.sessionId(), e.device()), at, 0));
    routes.on(ServerEvent.StoreEnd.class, this::stored);
    routes.on(ServerEvent.RetrieveEnd.class, this::retrieved);
  }

  private void stored(ServerEvent.StoreEnd end, long now) {
    Open<Stream> start = end(new Stream(true, end.sessionId(), end.device()));
    record(store, start, end.totalBytes(), now, end.engineId(), end.device(), end.modelName());
  }

  private void retrieved(ServerEvent.RetrieveEnd end, long now) {
    Open<Stream> start = end(new Stream(false, end.sessionId(), end.device()));
    record(load, start, end.totalBytes(), now, end.engineId(), end.device(), end.modelName());
  }
}
