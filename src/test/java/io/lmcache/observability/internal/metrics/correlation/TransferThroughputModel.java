package io.lmcache.observability.internal.metrics.correlation;

import io.lmcache.observability.catalog.L2Metrics;
import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.event.L2Event.LoadTaskCompleted;
import io.lmcache.observability.event.L2Event.LoadTaskSubmitted;
import io.lmcache.observability.event.L2Event.StoreCompleted;
import io.lmcache.observability.event.L2Event.StoreSubmitted;
import java.util.ArrayList;
import java.util.Comparator;
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
   * @param clock when, by the bus, which the event may bring an older time than
   */
  private record Submission(Name name, long at, long clock, long bytes) {}

  private final List<Submission> open = new ArrayList<>();
  private final int bound;
  private final long timeout;
  private long lastTick;
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
    if (step.event() instanceof StoreSubmitted e) {
      submit(store(e.adapterIndex(), e.taskId()), step.at(), e.totalBytes());
    } else if (step.event() instanceof LoadTaskSubmitted e) {
      submit(load(e.adapterIndex(), e.requestId()), step.at(), e.totalBytes());
    } else if (step.event() instanceof StoreCompleted e) {
      return complete(store(e.adapterIndex(), e.taskId()), step.at())
          .flatMap(submission -> sample(submission, step.at(), e.bytesTransferred(), e.l2Name()))
          .stream()
          .toList();
    } else if (step.event() instanceof LoadTaskCompleted e) {
      return complete(load(e.adapterIndex(), e.requestId()), step.at())
          .flatMap(submission -> sample(submission, step.at(), submission.bytes, e.l2Name()))
          .stream()
          .toList();
    } else if (step.isTick()) {
      lastTick = step.at();
      drop(open.stream().filter(submission -> step.at() - submission.clock > timeout).toList());
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
      drop(List.of(open.stream().min(Comparator.comparing(Submission::clock)).orElseThrow()));
    }
    open.add(new Submission(name, at, Math.max(at, lastTick), bytes));
  }

  /** Takes the submission out, if it is there and in time. */
  private Optional<Submission> complete(Name name, long at) {
    Optional<Submission> found = find(name);
    found.ifPresent(open::remove);
    Optional<Submission> inTime =
        found.filter(submission -> Math.max(at, lastTick) - submission.clock <= timeout);
    evictions += found.isPresent() && inTime.isEmpty() ? 1 : 0;
    return inTime;
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
