package io.lmcache.observability.internal.metrics.correlation;

/** Takes the samples of one histogram. */
@FunctionalInterface
public interface Samples {

  /**
   * Takes a sample, or counts it as an invalid value if it is negative or not finite.
   *
   * @param labels the values of the row's attributes, in their order
   */
  void record(double value, String... labels);

  /** Takes a time in nanoseconds as a sample in seconds. */
  default void recordNanos(long nanos, String... labels) {
    record(nanos / 1e9, labels);
  }
}
