package io.lmcache.observability.internal.metrics.correlation;

import io.lmcache.observability.catalog.L2Metrics;
import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.event.L2Event.LoadTaskCompleted;
import io.lmcache.observability.event.L2Event.LoadTaskSubmitted;
import io.lmcache.observability.event.L2Event.StoreCompleted;
import io.lmcache.observability.event.L2Event.StoreSubmitted;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The transfers between L1 and L2: one of a name at a time. */
final class TransferThroughputModel implements Model {

  /**
   * What tells transfers of an adapter apart.
   *
   * @param number the task of a store, the request of a load
   */
  private record Name(Metric metric, int adapter, long number) {}

  /**
   * A transfer that was submitted.
   *
   * @param at by its stamp
   * @param passed by the clock of the bus
   */
  private record Submission(Name name, long at, long passed, long bytes) {}

  private final List<Submission> open = new ArrayList<>();
  private final int bound;
  private final long timeout;
  private final Passed passed = new Passed();
  private long now;
  private long evictions;
  private long invalidValues;

  TransferThroughputModel(int bound, long timeoutNanos) {
    this.bound = bound;
    this.timeout = timeoutNanos;
  }

  @Override
  public String tracker() {
    return "l1_l2_pairs";
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
    if (step.event() instanceof StoreSubmitted e) {
      submit(store(e.adapterIndex(), e.taskId()), step.at(), e.totalBytes());
    } else if (step.event() instanceof LoadTaskSubmitted e) {
      submit(load(e.adapterIndex(), e.requestId()), step.at(), e.totalBytes());
    } else if (step.event() instanceof StoreCompleted e) {
      return complete(store(e.adapterIndex(), e.taskId()))
          .flatMap(submission -> sample(submission, step.at(), e.bytesTransferred(), e.l2Name()))
          .stream()
          .toList();
    } else if (step.event() instanceof LoadTaskCompleted e) {
      return complete(load(e.adapterIndex(), e.requestId()))
          .flatMap(submission -> sample(submission, step.at(), submission.bytes, e.l2Name()))
          .stream()
          .toList();
    }
    return List.of();
  }

  private static Name store(int adapter, long task) {
    return new Name(L2Metrics.STORE_THROUGHPUT, adapter, task);
  }

  private static Name load(int adapter, long request) {
    return new Name(L2Metrics.LOAD_THROUGHPUT, adapter, request);
  }

  private void submit(Name name, long at, long bytes) {
    find(name).ifPresent(replaced -> drop(List.of(replaced)));
    if (open.size() == bound) {
      drop(List.of(open.get(0)));
    }
    open.add(new Submission(name, at, now, bytes));
  }

  private Optional<Submission> complete(Name name) {
    Optional<Submission> found = find(name);
    found.ifPresent(open::remove);
    return found;
  }

  private Optional<Owed> sample(Submission submission, long at, long bytes, String l2Name) {
    long nanos = at - submission.at;
    if (bytes > 0 && nanos > 0) {
      double throughput = bytes / (nanos / 1e9) / 1e9;
      return Optional.of(Owed.of(submission.name, submission.name.metric, throughput, l2Name));
    }
    invalidValues += bytes > 0 ? 1 : 0;
    return Optional.empty();
  }

  private Optional<Submission> find(Name name) {
    return open.stream().filter(submission -> submission.name.equals(name)).findFirst();
  }

  private void drop(List<Submission> submissions) {
    submissions.forEach(open::remove);
    evictions += submissions.size();
  }
}
