package io.lmcache.observability.config;

/**
 * Where a value came from: the level of its source and the name that it has there.
 *
 * @param level which kind of source
 * @param spelling what the user wrote: {@code code}, {@code --cardinality-limit}, {@code
 *     lmcache.observability.queue.size}, {@code OTEL_EXPORTER_OTLP_ENDPOINT}, or {@code default}
 */
public record Origin(Level level, String spelling) {

  /** The kinds of source; an earlier one wins over a later one. */
  public enum Level {
    CODE,
    FLAG,
    PROPERTY,
    ENVIRONMENT,
    DEFAULT
  }

  static final Origin CODE = new Origin(Level.CODE, "code");
  static final Origin DEFAULT = new Origin(Level.DEFAULT, "default");

  /** Whether this source is of the same level as the other, or of one that wins over it. */
  boolean ranksWith(Origin other) {
    return level.compareTo(other.level) <= 0;
  }
}
