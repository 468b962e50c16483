package io.lmcache.observability.internal.metrics.correlation;

import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.catalog.ServerMetrics;
import io.lmcache.observability.event.ServerEvent.RetrieveEnd;
import io.lmcache.observability.event.ServerEvent.RetrieveStart;
import io.lmcache.observability.event.ServerEvent.StoreEnd;
import io.lmcache.observability.event.ServerEvent.StoreStart;
import java.util.ArrayList;
import java.util.List;

/** The copies between GPU and L1: the first of a kind to start is the first to end. */
final class CopyThroughputModel implements Model {

  /** Which copies cannot be told apart. */
  private record Queue(Metric metric, String session, String device) {}

  /**
   * A copy that has started.
   *
   * @param at by its stamp
   * @param passed by the clock of the bus
   */
  private record Start(Queue queue, long at, long passed) {}

  private final List<Start> open = new ArrayList<>();
  private final int bound;
  private final long timeout;
  private final Passed passed = new Passed();
  private long now;
  private long evictions;
  private long invalidValues;

  CopyThroughputModel(int bound, long timeoutNanos) {
    this.bound = bound;
    this.timeout = timeoutNanos;
  }

  @Override
  public String tracker() {
    return "l0_l1_pairs";
  }

  @Override
  public long evictions() {
    return evictions;
  }

  @Override
  public long invalidValues() {
    return invalidValues;
  }

  @Override
  public List<Owed> on(Step step) {
    now = passed.by(step);
    drop(open.stream().filter(begun -> now - begun.passed > timeout).toList());
    if (step.event() instanceof StoreStart e) {
      start(new Queue(ServerMetrics.COPY_STORE_THROUGHPUT, e.sessionId(), e.device()), step.at());
    } else if (step.event() instanceof RetrieveStart e) {
      start(new Queue(ServerMetrics.COPY_LOAD_THROUGHPUT, e.sessionId(), e.device()), step.at());
    } else if (step.event() instanceof StoreEnd e) {
      Queue queue = new Queue(ServerMetrics.COPY_STORE_THROUGHPUT, e.sessionId(), e.device());
      return end(queue, step.at(), e.totalBytes(), e.engineId(), e.modelName());
    } else if (step.event() instanceof RetrieveEnd e) {
      Queue queue = new Queue(ServerMetrics.COPY_LOAD_THROUGHPUT, e.sessionId(), e.device());
      return end(queue, step.at(), e.totalBytes(), e.engineId(), e.modelName());
    }
    return List.of();
  }

  private void start(Queue queue, long at) {
    if (open.size() == bound) {
      drop(List.of(open.get(0)));
    }
    open.add(new Start(queue, at, now));
  }

  private List<Owed> end(Queue queue, long at, long bytes, String engine, String model) {
    for (Start start : List.copyOf(open)) {
      if (!start.queue.equals(queue)) {
        continue;
      }
      long nanos = at - start.at;
      open.remove(start);
      if (bytes > 0 && nanos > 0) {
        double throughput = bytes / (nanos / 1e9) / 1e9;
        return List.of(Owed.of(queue, queue.metric, throughput, engine, queue.device, model));
      }
      invalidValues += bytes > 0 ? 1 : 0;
      return List.of();
    }
    return List.of();
  }

  private void drop(List<Start> starts) {
    starts.forEach(open::remove);
    evictions += starts.size();
  }
}
