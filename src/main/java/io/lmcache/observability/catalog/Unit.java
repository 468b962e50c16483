package io.lmcache.observability.catalog;

/** A unit of measurement, as OpenTelemetry spells it and as a Prometheus name ends in it. */
public enum Unit {
  /** Plain numbers of what the metric's name says. */
  NONE("", ""),
  /** Chunks of the cache. */
  CHUNKS("chunks", "chunks"),
  /** Requests. */
  REQUESTS("requests", "requests"),
  /** Tokens. */
  TOKENS("tokens", "tokens"),
  /** Seconds. */
  SECONDS("s", "seconds"),
  /** Bytes. */
  BYTES("By", "bytes"),
  /** A share of one. */
  RATIO("1", "ratio"),
  /** 10<sup>9</sup> bytes a second. */
  GIGABYTES_PER_SECOND("GB/s", "GBs");

  private final String otel;
  private final String suffix;

  Unit(String otel, String suffix) {
    this.otel = otel;
    this.suffix = suffix;
  }

  /** The unit over OTLP; empty for {@link #NONE}. */
  public String otel() {
    return otel;
  }

  /** The word that ends a Prometheus name; empty for {@link #NONE}. */
  public String suffix() {
    return suffix;
  }
}
