package io.lmcache.observability.config;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What holds for one {@code Observability}: immutable, valid as a whole, shared by any threads. Of
 * each setting the best source wins: code, command line, system property, environment, default; the
 * values of the others are not looked at. {@link Setting} has the names, ranges and defaults.
 */
public final class ObservabilityConfig {
  private final Resolution resolution;

  private ObservabilityConfig(Resolution resolution) {
    this.resolution = resolution;
  }

  /** What environment, system properties and defaults say; throws as {@link Builder#build()}. */
  public static ObservabilityConfig create() {
    return builder().build();
  }

  /** Starts with nothing set. */
  public static Builder builder() {
    return new Builder();
  }

  /** The master switch; false whenever {@code OTEL_SDK_DISABLED} is true. */
  public boolean enabled() {
    return get(Setting.ENABLED);
  }

  public boolean metrics() {
    return get(Setting.METRICS);
  }

  public boolean logging() {
    return get(Setting.LOGGING);
  }

  /** How often a summary is logged: 0, which is never, to a day. */
  public Duration summaryInterval() {
    return get(Setting.SUMMARY_INTERVAL);
  }

  public boolean tracing() {
    return get(Setting.TRACING);
  }

  /** How many events may wait. */
  public int maxQueueSize() {
    return get(Setting.MAX_QUEUE_SIZE);
  }

  /** The share of identities whose lifecycle is followed; above 0, at most 1. */
  public double sampleRate() {
    return get(Setting.SAMPLE_RATE);
  }

  /** The bound of the chunks of L1 whose lifecycle is followed. */
  public int maxTrackedChunks() {
    return get(Setting.MAX_TRACKED_CHUNKS);
  }

  /** The bound of the chunks whose real reuse is followed. */
  public int maxReuseChunks() {
    return get(Setting.MAX_REUSE_CHUNKS);
  }

  /** The bound of the salts that have an access counter. */
  public int maxReuseSalts() {
    return get(Setting.MAX_REUSE_SALTS);
  }

  /** The bound of the GPU blocks whose lifecycle is followed. */
  public int maxTrackedBlocks() {
    return get(Setting.MAX_TRACKED_BLOCKS);
  }

  /** The bound of the copies, and that of the transfers, whose end is waited for. */
  public int maxOpenPairs() {
    return get(Setting.MAX_OPEN_PAIRS);
  }

  /** How long the end of a copy or a transfer is waited for: 1 ms to a day. */
  public Duration pairTimeout() {
    return get(Setting.PAIR_TIMEOUT);
  }

  /** The bound of the spans that are open at a time. */
  public int maxOpenSpans() {
    return get(Setting.MAX_OPEN_SPANS);
  }

  /** How long a span may be open: 1 ms to a day. */
  public Duration openSpanTimeout() {
    return get(Setting.OPEN_SPAN_TIMEOUT);
  }

  /**
   * The general OTLP endpoint as it was given; null if there is none. What is pushed where is in
   * {@link #metricsPush()} and {@link #tracesPush()}.
   */
  public @Nullable String otlpEndpoint() {
    return value(Setting.OTLP_ENDPOINT);
  }

  /** A host name or address; it need not exist. */
  public String prometheusHost() {
    return get(Setting.PROMETHEUS_HOST);
  }

  /** 0 to 65535; 0 is any free port. */
  public int prometheusPort() {
    return get(Setting.PROMETHEUS_PORT);
  }

  /** The instance id that was given; null if none was. */
  public @Nullable String instanceId() {
    return value(Setting.INSTANCE_ID);
  }

  /** Names of attributes that no metric carries, unchecked against the metrics that there are. */
  public Set<String> dropAttributes() {
    return get(Setting.DROP_ATTRIBUTES);
  }

  /** Series per metric, of which the SDK keeps one for the overflow. */
  public int cardinalityLimit() {
    return get(Setting.CARDINALITY_LIMIT);
  }

  /** Names of resource attributes that become labels, unchecked against the resource. */
  public Set<String> resourceLabels() {
    return get(Setting.RESOURCE_LABELS);
  }

  /** How long close() may take: 0 to a day. */
  public Duration closeTimeout() {
    return get(Setting.CLOSE_TIMEOUT);
  }

  /** Where metrics are pushed to, whether they are enabled or not; null if nowhere. */
  public @Nullable Push metricsPush() {
    return resolution.metricsPush();
  }

  /** Where spans are pushed to, whether tracing is enabled or not; null if nowhere. */
  public @Nullable Push tracesPush() {
    return resolution.tracesPush();
  }

  /**
   * The OpenTelemetry settings as they stand, {@code otel.*} properties over {@code OTEL_*}
   * variables: lower-case dotted keys, trimmed values, blank ones left out. May hold secrets.
   */
  public Map<String, String> otel() {
    return resolution.otel();
  }

  /**
   * What is wrong with {@code OTEL_*} settings that this library reads. Nobody may start exporters
   * while there is an entry; whoever brings an OpenTelemetry of their own need not care.
   */
  public List<String> otelFaults() {
    return resolution.otelFaults();
  }

  /**
   * The settings given by code, flag or {@code lmcache.*} name, and where; never by {@code OTEL_*}.
   */
  public Map<Setting<?>, Origin> explicit() {
    return resolution.explicit();
  }

  /** Whether the setting was given by code, flag or {@code lmcache.*} name. */
  public boolean isSet(Setting<?> setting) {
    return resolution.explicit().containsKey(setting);
  }

  /** Where the value in effect came from, {@code OTEL_*} included. */
  public Origin origin(Setting<?> setting) {
    return Objects.requireNonNull(resolution.origins().get(setting), setting.name());
  }

  /** The value in effect; null if there is none. */
  public <T> @Nullable T value(Setting<T> setting) {
    return resolution.value(setting);
  }

  private <T> T get(Setting<T> setting) {
    return Objects.requireNonNull(value(setting), setting.name());
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ObservabilityConfig that && resolution.equals(that.resolution);
  }

  @Override
  public int hashCode() {
    return resolution.hashCode();
  }

  /** All values and their origins; of the OpenTelemetry settings the keys only. */
  @Override
  public String toString() {
    return resolution.toString();
  }

  /**
   * Collects what is set by code and by flags; not thread-safe. Nothing is checked before {@link
   * #build()}, which tells all faults at once. Setters and {@link #parse} may be called in any
   * order.
   */
  public static final class Builder {
    private final Map<Setting<?>, @Nullable Object> code = new HashMap<>();
    private final Flags flags = new Flags();
    private @Nullable Map<String, String> environment;
    private @Nullable Map<String, String> systemProperties;
    private final Set<String> missing = new LinkedHashSet<>();

    private Builder() {}

    public Builder enabled(boolean enabled) {
      return set(Setting.ENABLED, enabled);
    }

    public Builder metrics(boolean metrics) {
      return set(Setting.METRICS, metrics);
    }

    public Builder logging(boolean logging) {
      return set(Setting.LOGGING, logging);
    }

    public Builder summaryInterval(Duration summaryInterval) {
      return set(Setting.SUMMARY_INTERVAL, summaryInterval);
    }

    public Builder tracing(boolean tracing) {
      return set(Setting.TRACING, tracing);
    }

    public Builder maxQueueSize(int maxQueueSize) {
      return set(Setting.MAX_QUEUE_SIZE, maxQueueSize);
    }

    public Builder sampleRate(double sampleRate) {
      return set(Setting.SAMPLE_RATE, sampleRate);
    }

    public Builder maxTrackedChunks(int maxTrackedChunks) {
      return set(Setting.MAX_TRACKED_CHUNKS, maxTrackedChunks);
    }

    public Builder maxReuseChunks(int maxReuseChunks) {
      return set(Setting.MAX_REUSE_CHUNKS, maxReuseChunks);
    }

    public Builder maxReuseSalts(int maxReuseSalts) {
      return set(Setting.MAX_REUSE_SALTS, maxReuseSalts);
    }

    public Builder maxTrackedBlocks(int maxTrackedBlocks) {
      return set(Setting.MAX_TRACKED_BLOCKS, maxTrackedBlocks);
    }

    public Builder maxOpenPairs(int maxOpenPairs) {
      return set(Setting.MAX_OPEN_PAIRS, maxOpenPairs);
    }

    public Builder pairTimeout(Duration pairTimeout) {
      return set(Setting.PAIR_TIMEOUT, pairTimeout);
    }

    public Builder maxOpenSpans(int maxOpenSpans) {
      return set(Setting.MAX_OPEN_SPANS, maxOpenSpans);
    }

    public Builder openSpanTimeout(Duration openSpanTimeout) {
      return set(Setting.OPEN_SPAN_TIMEOUT, openSpanTimeout);
    }

    public Builder otlpEndpoint(String otlpEndpoint) {
      return set(Setting.OTLP_ENDPOINT, otlpEndpoint);
    }

    public Builder prometheusHost(String prometheusHost) {
      return set(Setting.PROMETHEUS_HOST, prometheusHost);
    }

    public Builder prometheusPort(int prometheusPort) {
      return set(Setting.PROMETHEUS_PORT, prometheusPort);
    }

    public Builder instanceId(String instanceId) {
      return set(Setting.INSTANCE_ID, instanceId);
    }

    /** Replaces what other sources name; without arguments, nothing is dropped. */
    public Builder dropAttributes(String... dropAttributes) {
      return set(Setting.DROP_ATTRIBUTES, names(dropAttributes));
    }

    public Builder cardinalityLimit(int cardinalityLimit) {
      return set(Setting.CARDINALITY_LIMIT, cardinalityLimit);
    }

    /** Replaces what other sources name; without arguments, there are none. */
    public Builder resourceLabels(String... resourceLabels) {
      return set(Setting.RESOURCE_LABELS, names(resourceLabels));
    }

    public Builder closeTimeout(Duration closeTimeout) {
      return set(Setting.CLOSE_TIMEOUT, closeTimeout);
    }

    /** Read instead of the process's environment; copied. */
    public Builder environment(Map<String, String> environment) {
      this.environment = copy("environment", environment);
      return this;
    }

    /** Read instead of the JVM's system properties; copied. */
    public Builder systemProperties(Map<String, String> systemProperties) {
      this.systemProperties = copy("systemProperties", systemProperties);
      return this;
    }

    /**
     * Takes the flags that it knows, as {@code --flag value} or {@code --flag=value}, and hands the
     * rest back in order; all from a bare {@code --} on is handed back untouched. Of a flag given
     * twice the last holds; lists add up. What is wrong is told by {@link #build()}. A value that
     * begins with {@code --} needs the form with {@code =}.
     */
    public List<String> parse(String... args) {
      return flags.parse(args);
    }

    /**
     * Reads the remaining sources and checks the whole.
     *
     * @throws IllegalArgumentException naming every fault, with its setting, source and value;
     *     faults of {@code OTEL_*} settings alone are left to {@link #otelFaults()}
     */
    public ObservabilityConfig build() {
      Faults faults = new Faults();
      missing.forEach(name -> faults.add(name, "null is not a map"));
      flags.report(faults);
      Map<String, String> properties =
          systemProperties == null ? Sources.systemProperties() : systemProperties;
      Map<String, String> variables = environment == null ? System.getenv() : environment;
      Sources sources = new Sources(code, flags, properties, variables);
      Resolution resolution = Resolution.of(sources, faults);
      faults.throwIfAny();
      return new ObservabilityConfig(resolution);
    }

    private <T> Builder set(Setting<T> setting, @Nullable T value) {
      code.put(setting, value);
      return this;
    }

    private Map<String, String> copy(String name, @Nullable Map<String, String> map) {
      if (map == null) {
        missing.add(name);
        return Map.of();
      }
      missing.remove(name);
      return new HashMap<>(map);
    }

    private static @Nullable Set<String> names(String @Nullable [] names) {
      return names == null ? null : new LinkedHashSet<>(Arrays.asList(names));
    }
  }
}
