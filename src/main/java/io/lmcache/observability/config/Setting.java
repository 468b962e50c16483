package io.lmcache.observability.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What can be set: one row a setting, with its names in every source, its range, its default and
 * its meaning. Reading, checking and the table in the docs all follow from the rows. A new setting
 * is a row here, a setter in {@link ObservabilityConfig.Builder} and an accessor in {@link
 * ObservabilityConfig}. Rows are immutable and shared by all threads.
 *
 * <p>As text, values are trimmed; booleans are true or false in any case; lists have commas;
 * durations are 500ms, 5s, 2m, 1h, 1d, a bare number of milliseconds, or ISO-8601 as in PT5S.
 *
 * @param <T> the type of the value
 */
public final class Setting<T> {
  private static final String PREFIX = "lmcache.observability.";
  private static final List<Setting<?>> ROWS = new ArrayList<>();
  private static final int MAX_SLOTS = 4_194_304;
  private static final int MAX_TRACKED = 100_000_000;
  private static final int MAX_OPEN = 10_000_000;
  private static final Duration DAY = Duration.ofDays(1);

  // spotless:off
  // builder, property, flag and its argument, OTEL_* read as well, kind, default, meaning
  public static final Setting<Boolean> ENABLED = row(
      "enabled", "enabled", "--disable-observability", "OTEL_SDK_DISABLED",
      Kind.toggle(), "true",
      "the master switch; OTEL_SDK_DISABLED=true switches off whatever else is set");
  public static final Setting<Boolean> METRICS = row(
      "metrics", "metrics.enabled", "--disable-metrics", null,
      Kind.toggle(), "true",
      "whether metrics are recorded");
  public static final Setting<Boolean> LOGGING = row(
      "logging", "logging.enabled", "--disable-logging", null,
      Kind.toggle(), "true",
      "whether events are logged");
  public static final Setting<Duration> SUMMARY_INTERVAL = row(
      "summaryInterval", "logging.summary.interval", "--summary-interval D", null,
      Kind.duration(Duration.ZERO, DAY), "0s",
      "how often a summary is logged at INFO; 0 never does; needs logging");
  public static final Setting<Boolean> TRACING = row(
      "tracing", "tracing.enabled", "--enable-tracing", null,
      Kind.toggle(), "false",
      "whether spans are built; they need somewhere to go");
  public static final Setting<Integer> MAX_QUEUE_SIZE = row(
      "maxQueueSize", "queue.size", "--event-bus-queue-size N", null,
      Kind.integer(1, MAX_SLOTS), "10000",
      "how many events may wait; what does not fit is dropped and counted");
  public static final Setting<Double> SAMPLE_RATE = row(
      "sampleRate", "metrics.sample.rate", "--metrics-sample-rate R", null,
      Kind.rate(), "0.01",
      "the share of chunks and blocks whose lifecycle is followed; counters count everything");
  public static final Setting<Integer> MAX_TRACKED_CHUNKS = row(
      "maxTrackedChunks", "metrics.tracked.chunks", "--max-tracked-chunks N", null,
      Kind.integer(1, MAX_TRACKED), "1000000",
      "sampled chunks of L1 whose lifecycle is followed at a time; the one not seen for longest goes");
  public static final Setting<Integer> MAX_REUSE_CHUNKS = row(
      "maxReuseChunks", "metrics.reuse.chunks", "--max-reuse-chunks N", null,
      Kind.integer(1, MAX_TRACKED), "1000000",
      "sampled chunks whose real reuse is followed at a time; the one not seen for longest goes");
  public static final Setting<Integer> MAX_REUSE_SALTS = row(
      "maxReuseSalts", "metrics.reuse.salts", "--max-reuse-salts N", null,
      Kind.integer(1, MAX_TRACKED), "100000",
      "salts whose accesses are counted for real reuse; the one not seen for longest goes");
  public static final Setting<Integer> MAX_TRACKED_BLOCKS = row(
      "maxTrackedBlocks", "metrics.tracked.blocks", "--max-tracked-blocks N", null,
      Kind.integer(1, MAX_TRACKED), "1000000",
      "sampled GPU blocks that are followed at a time; the one not seen for longest goes");
  public static final Setting<Integer> MAX_OPEN_PAIRS = row(
      "maxOpenPairs", "metrics.open.pairs", "--max-open-pairs N", null,
      Kind.integer(1, MAX_TRACKED), "100000",
      "copies between GPU and L1 that may be open at a time, and transfers to and from L2 likewise");
  public static final Setting<Duration> PAIR_TIMEOUT = row(
      "pairTimeout", "metrics.pair.timeout", "--pair-timeout D", null,
      Kind.duration(Duration.ofMillis(1), DAY), "10m",
      "how long a copy or transfer may take before its end is no longer waited for");
  public static final Setting<Integer> MAX_OPEN_SPANS = row(
      "maxOpenSpans", "tracing.open.spans", "--max-open-spans N", null,
      Kind.integer(2, MAX_OPEN), "10000",
      "spans that may be open at a time; the oldest request goes, marked as evicted");
  public static final Setting<Duration> OPEN_SPAN_TIMEOUT = row(
      "openSpanTimeout", "tracing.open.span.timeout", "--open-span-timeout D", null,
      Kind.duration(Duration.ofMillis(1), DAY), "1h",
      "how long a span may be open before it is ended, marked as expired");
  public static final Setting<String> OTLP_ENDPOINT = row(
      "otlpEndpoint", "otlp.endpoint", "--otlp-endpoint URL", "OTEL_EXPORTER_OTLP_ENDPOINT",
      Kind.url(), "none",
      "the http:// or https:// URL of the collector that metrics and spans are pushed to");
  public static final Setting<String> PROMETHEUS_HOST = row(
      "prometheusHost", "prometheus.host", "--prometheus-host H", null,
      Kind.text(255), "localhost",
      "the address that the Prometheus endpoint is bound to");
  public static final Setting<Integer> PROMETHEUS_PORT = row(
      "prometheusPort", "prometheus.port", "--prometheus-port P", null,
      Kind.integer(0, 65_535), "9464",
      "the port of the Prometheus endpoint; 0 takes any free one");
  public static final Setting<String> INSTANCE_ID = row(
      "instanceId", "instance.id", "--instance-id ID", null,
      Kind.optionalText(255), "a random UUID, one per Observability",
      "service.instance.id on every metric and span; wins over OTEL_RESOURCE_ATTRIBUTES");
  public static final Setting<Set<String>> DROP_ATTRIBUTES = row(
      "dropAttributes", "metrics.drop.attributes", "--drop-attribute NAME", null,
      Kind.names(255), "none",
      "attributes that no metric carries");
  public static final Setting<Integer> CARDINALITY_LIMIT = row(
      "cardinalityLimit", "metrics.cardinality.limit", "--cardinality-limit N", null,
      Kind.integer(2, Integer.MAX_VALUE), "2000",
      "series per metric, the one that takes the overflow among them");
  public static final Setting<Set<String>> RESOURCE_LABELS = row(
      "resourceLabels", "prometheus.resource.labels", "--resource-label NAME", null,
      Kind.names(255), "none",
      "resource attributes that every Prometheus series carries as labels");
  public static final Setting<Duration> CLOSE_TIMEOUT = row(
      "closeTimeout", "close.timeout", null, null,
      Kind.duration(Duration.ZERO, DAY), "5s",
      "how long close() may take; 0 does not wait");
  // spotless:on

  private final String name;
  private final String property;
  private final @Nullable String flag;
  private final @Nullable String flagArgument;
  private final @Nullable String otelVariable;
  private final Kind<T> kind;
  private final String defaultText;
  private final String meaning;

  private Setting(
      String name,
      String property,
      @Nullable String flag,
      @Nullable String otelVariable,
      Kind<T> kind,
      String defaultText,
      String meaning) {
    int space = flag == null ? -1 : flag.indexOf(' ');
    this.name = name;
    this.property = PREFIX + property;
    this.flag = flag == null || space < 0 ? flag : flag.substring(0, space);
    this.flagArgument = flag == null || space < 0 ? null : flag.substring(space + 1);
    this.otelVariable = otelVariable;
    this.kind = kind;
    this.defaultText = defaultText;
    this.meaning = meaning;
  }

  private static <T> Setting<T> row(
      String name,
      String property,
      @Nullable String flag,
      @Nullable String otelVariable,
      Kind<T> kind,
      String defaultText,
      String meaning) {
    Setting<T> row = new Setting<>(name, property, flag, otelVariable, kind, defaultText, meaning);
    ROWS.add(row);
    return row;
  }

  /** All rows, in the order of the table. */
  public static List<Setting<?>> all() {
    return Collections.unmodifiableList(ROWS);
  }

  /** The name of the builder's method and of the accessor; how messages name the setting. */
  public String name() {
    return name;
  }

  /** The builder's method with its parameter type, as in {@code maxQueueSize(int)}. */
  public String signature() {
    return name + "(" + kind.javaType() + ")";
  }

  /** The command-line flag with its dashes; null if there is none. */
  public @Nullable String flag() {
    return flag;
  }

  /**
   * The placeholder of the flag's value; null if the flag takes none and turns the default over.
   */
  public @Nullable String flagArgument() {
    return flagArgument;
  }

  /** Whether the flag may be given several times, each adding to the others. */
  public boolean repeatable() {
    return kind.absent() instanceof Set;
  }

  /** The system property. */
  public String property() {
    return property;
  }

  /** The environment variable. */
  public String environmentVariable() {
    return property.toUpperCase(Locale.ROOT).replace('.', '_');
  }

  /** The OpenTelemetry variable that is read as well; null if there is none. */
  public @Nullable String otelVariable() {
    return otelVariable;
  }

  /** The default as text. */
  public String defaultText() {
    return defaultText;
  }

  /** The accepted values in words. */
  public String accepted() {
    return kind.accepted();
  }

  /** What the setting does, in one line. */
  public String meaning() {
    return meaning;
  }

  /**
   * The setting and how the user spelled it, as in {@code maxQueueSize (--event-bus-queue-size)}.
   */
  public String label(Origin origin) {
    return name + " (" + origin.spelling() + ")";
  }

  @Override
  public String toString() {
    return name;
  }

  Kind<T> kind() {
    return kind;
  }

  @Nullable T defaultValue() {
    return kind.parseDefault(defaultText);
  }
}
