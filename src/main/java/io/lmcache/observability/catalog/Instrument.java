package io.lmcache.observability.catalog;

/** What kind of instrument a metric is, as the contract names it. */
public enum Instrument {
  /** Counts up with events. */
  COUNTER("Counter"),
  /** Counts up; read by a callback at collection. */
  OBSERVABLE_COUNTER("ObservableCounter"),
  /** A state, read by a callback at collection. */
  OBSERVABLE_GAUGE("ObservableGauge"),
  /** A distribution of samples. */
  HISTOGRAM("Histogram");

  private final String label;

  Instrument(String label) {
    this.label = label;
  }

  /** The contract's name. */
  public String label() {
    return label;
  }

  /** Whether its Prometheus name ends in {@code _total}. */
  public boolean isCounter() {
    return this == COUNTER || this == OBSERVABLE_COUNTER;
  }
}
