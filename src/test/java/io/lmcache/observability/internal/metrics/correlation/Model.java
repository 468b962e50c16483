package io.lmcache.observability.internal.metrics.correlation;

import io.lmcache.observability.catalog.Metric;
import java.util.List;

/**
 * What a tracker ought to do, told as plainly as the contract tells it: a list of all that has
 * happened, searched from the start whenever something is asked. It follows every identity.
 */
interface Model {

  /** What a histogram is given. */
  record Sample(String metric, List<String> labels, double value) {

    /** Equal, but for what the order of two divisions may do to the last digits. */
    boolean isLike(Sample other) {
      return metric.equals(other.metric)
          && labels.equals(other.labels)
          && Math.abs(value - other.value) <= 1e-12 * Math.abs(value);
    }
  }

  /** A sample and the identity that decides whether it is in a sampled run. */
  record Owed(Object identity, Sample sample) {

    /** A time as a sample in seconds. */
    static Owed nanos(Object identity, Metric metric, long nanos, String... labels) {
      return of(identity, metric, nanos / 1e9, labels);
    }

    static Owed of(Object identity, Metric metric, double value, String... labels) {
      return new Owed(identity, new Sample(metric.name(), List.of(labels), value));
    }
  }

  /**
   * When an access counts as made: one that is stamped up to 10 s before the one that it follows
   * comes at the same time as that.
   */
  static long inOrder(long before, long at) {
    return at >= before - 10 * Step.SECOND ? Math.max(before, at) : at;
  }

  /** How much time has passed by the clock of the bus, which does not when it is put back. */
  final class Passed {
    private long clock;
    private long nanos;

    long by(Step step) {
      nanos += Math.max(0, step.clock() - clock);
      clock = step.clock();
      return nanos;
    }
  }

  /** The name that the tracker counts its evictions under. */
  String tracker();

  /** What a step makes the histograms be given, in order. */
  List<Owed> on(Step step);

  /** How many entries went because of a bound or their age, so far. */
  long evictions();

  /** How many values could not be used, so far. */
  default long invalidValues() {
    return 0;
  }
}
