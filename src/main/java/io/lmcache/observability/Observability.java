package io.lmcache.observability;

import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.bus.EventSink;
import io.lmcache.observability.catalog.Gauges;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.internal.export.Export;
import io.lmcache.observability.internal.logging.LoggingSubscriber;
import io.lmcache.observability.internal.logging.SummarySubscriber;
import io.lmcache.observability.internal.metrics.GaugeRegistry;
import io.lmcache.observability.internal.metrics.MetricsSubscriber;
import io.lmcache.observability.internal.metrics.SelfMetrics;
import io.lmcache.observability.internal.support.Durations;
import io.lmcache.observability.internal.support.SpanLookup;
import io.lmcache.observability.internal.tracing.TracingSubscriber;
import io.lmcache.observability.producer.CacheServer;
import io.lmcache.observability.producer.DefaultSink;
import io.lmcache.observability.producer.L1Manager;
import io.lmcache.observability.producer.LMCacheTimeoutException;
import io.lmcache.observability.producer.StorageManager;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.sdk.metrics.export.MetricReader;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The observability of one cache server: report to the facades, and the numbers are exported.
 *
 * <p>Any thread may call any method. Reporting never blocks and never throws; starting fails at
 * once when something cannot be had. Closing takes at most the configured time, dispatches and
 * exports what is there, and may be repeated. Instances share nothing.
 *
 * @see ObservabilityConfig
 */
public final class Observability implements AutoCloseable {

  private final ObservabilityConfig config;
  private final String instanceId;
  private final EventBus bus;
  private final @Nullable Export export;
  private final @Nullable GaugeRegistry gauges;
  private final @Nullable SelfMetrics selfMetrics;
  private final L1Manager l1;
  private final StorageManager storage;
  private final CacheServer server;

  /** The bytes of a Prometheus page and the content type to serve them with. */
  @SuppressWarnings("ArrayRecordComponent")
  public record Page(byte[] body, String contentType) {

    /** The page as text. */
    public String text() {
      return new String(body, StandardCharsets.UTF_8);
    }
  }

  /** Everything off. */
  private Observability(ObservabilityConfig config) {
    this.config = config;
    String id = config.instanceId();
    this.instanceId = id == null ? UUID.randomUUID().toString() : id;
    this.bus = EventBus.disabled();
    this.export = null;
    this.gauges = null;
    this.selfMetrics = null;
    this.l1 = new L1Manager(bus, Gauges.noop());
    this.storage = new StorageManager(bus, Gauges.noop());
    this.server = new CacheServer(bus, Gauges.noop());
  }

  private Observability(Builder builder, ObservabilityConfig config, Export export) {
    this.config = config;
    this.export = export;
    String id = export.instanceId();
    this.instanceId = id.isEmpty() ? UUID.randomUUID().toString() : id;
    this.bus = builder.bus(config);
    SpanLookup spans = new SpanLookup();
    TracingSubscriber tracing = null;
    if (config.tracing()) {
      tracing = new TracingSubscriber(export.tracerProvider(), config, spans);
      bus.register(tracing); // before the metrics, whose samples look for its spans
    }
    Gauges registry = Gauges.noop();
    if (config.metrics()) {
      Meter meter = export.meter();
      Set<String> dropped = config.dropAttributes();
      MetricsSubscriber subscriber =
          new MetricsSubscriber(
              meter, config, builder.openTelemetry == null, bus.recordingErrors(), spans);
      bus.register(subscriber);
      this.gauges = new GaugeRegistry(meter, dropped, bus.recordingErrors());
      this.selfMetrics = new SelfMetrics(meter, bus, subscriber::trackerEvictions, dropped);
      if (tracing != null) {
        selfMetrics.addTracing(
            tracing::openSpans,
            tracing::incompleteSpans,
            export.droppedSpans(),
            tracing::violations);
      }
      registry = gauges;
    } else {
      this.gauges = null;
      this.selfMetrics = null;
    }
    if (config.logging()) {
      registerLogging();
    }
    this.l1 = new L1Manager(bus, registry);
    this.storage = new StorageManager(bus, registry);
    this.server = new CacheServer(bus, registry);
    bus.start();
    if (builder.defaultSink) {
      DefaultSink.set(bus);
    }
  }

  private void registerLogging() {
    LoggingSubscriber.all().forEach(bus::register);
    if (!config.summaryInterval().isZero()) {
      bus.register(new SummarySubscriber(config.summaryInterval(), bus::dropped));
    }
  }

  /**
   * Starts with the defaults, system properties and environment.
   *
   * @throws IllegalArgumentException if a setting is invalid
   * @throws IllegalStateException if the Prometheus endpoint cannot be served
   */
  public static Observability create() {
    return builder().start();
  }

  /** Off: every call returns at once, no thread runs, nothing is exported. */
  public static Observability noop() {
    return new Observability(
        ObservabilityConfig.builder()
            .enabled(false)
            .environment(Map.of())
            .systemProperties(Map.of())
            .build());
  }

  /** Starts step by step. */
  public static Builder builder() {
    return new Builder();
  }

  /** What happens in L1. */
  public L1Manager l1() {
    return l1;
  }

  /** What happens in the storage manager and in L2. */
  public StorageManager storage() {
    return storage;
  }

  /** What the cache server does for its clients. */
  public CacheServer server() {
    return server;
  }

  /** The bus, for subscribers and health. */
  public EventBus bus() {
    return bus;
  }

  /** Where to publish events of one's own. */
  public EventSink sink() {
    return bus;
  }

  /**
   * The id in {@code service.instance.id}; good for other uses, such as cluster membership. With an
   * OpenTelemetry that was handed in it is a random one that the exports do not carry.
   */
  public String instanceId() {
    return instanceId;
  }

  /** Where the embedded Prometheus endpoint serves, with the real port; empty if it does not. */
  public Optional<URI> prometheusUri() {
    return export == null ? Optional.empty() : Optional.ofNullable(export.prometheusUri());
  }

  /**
   * The Prometheus page, to be served by the embedder's own HTTP server.
   *
   * @param accept the request's {@code Accept} header, null when it has none
   * @throws IllegalStateException if metrics are off or go to an OpenTelemetry instance
   */
  public Page prometheusPage(@Nullable String accept) {
    if (export == null || !config.metrics()) {
      throw new IllegalStateException("metrics are off: there is no Prometheus page");
    }
    Export.Page page = export.page(accept, Set.of());
    return new Page(page.body(), page.contentType());
  }

  /**
   * Registers a gauge of the embedder's own. Names should be few: of each that was ever in use the
   * SDK keeps something.
   *
   * @param name letters, digits, {@code _ . - /}, a letter first, at most 255 characters
   * @param unit such as {@code By}, {@code s} or {@code {jobs}}; may be empty
   * @param callback read on the exporting thread at each collection; a value that is not finite is
   *     left out and counted
   * @return closing it removes the gauge
   * @throws IllegalArgumentException with the rule that is broken
   * @throws IllegalStateException if the name is in use, with whatever unit
   */
  public Gauges.Registration gauge(
      String name, String unit, String description, DoubleSupplier callback) {
    if (gauges == null) {
      GaugeRegistry.check(name, unit, description, callback);
      return () -> {};
    }
    return gauges.register(name, unit, description, callback);
  }

  /**
   * Dispatches what was published before and exports it now.
   *
   * @return whether all of it arrived in time
   */
  public boolean flush(Duration timeout) {
    long deadline = deadline(timeout);
    boolean dispatched = bus.flush(timeout);
    return (export == null || export.flush(left(deadline))) && dispatched;
  }

  /**
   * Closes within a time: no new events, the queue is dispatched, the last values are exported. A
   * quarter of the time is kept for the export, however long the queue takes.
   *
   * @return whether nothing was abandoned; false at once, without closing, for a subscriber at work
   */
  public boolean close(Duration timeout) {
    if (bus.isDrainThread()) {
      return false;
    }
    long deadline = deadline(timeout);
    if (export == null) {
      return bus.stop(timeout);
    }
    boolean dispatched = bus.stop(left(deadline).multipliedBy(3).dividedBy(4));
    DefaultSink.clear(bus);
    boolean exported = export.close(left(deadline));
    if (gauges != null) {
      gauges.close();
    }
    if (selfMetrics != null) {
      selfMetrics.close();
    }
    return dispatched && exported;
  }

  /**
   * Closes within the configured {@code closeTimeout}, as {@link #close(Duration)} does; called by
   * a subscriber at work it does nothing.
   */
  @Override
  public void close() {
    close(config.closeTimeout());
  }

  private static long deadline(Duration timeout) {
    return System.nanoTime() + Math.min(Durations.toNanos(timeout), Long.MAX_VALUE / 2);
  }

  private static Duration left(long deadline) {
    return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
  }

  /** What an instance is made of; not for use by several threads. */
  public static final class Builder {

    private final List<MetricReader> readers = new ArrayList<>();
    private @Nullable ObservabilityConfig config;
    private @Nullable SpanExporter spanExporter;
    private @Nullable OpenTelemetry openTelemetry;
    private @Nullable InstantSource clock;
    private boolean servePrometheus = true;
    private boolean defaultSink;

    private Builder() {}

    /** The settings; by default those of system properties and environment. */
    public Builder config(ObservabilityConfig config) {
      this.config = Objects.requireNonNull(config, "config");
      return this;
    }

    /** Adds a reader of the embedder's, such as an in-memory one in tests. */
    public Builder metricReader(MetricReader reader) {
      readers.add(Objects.requireNonNull(reader, "reader"));
      return this;
    }

    /** Where spans go besides any OTLP endpoint. */
    public Builder spanExporter(SpanExporter exporter) {
      this.spanExporter = Objects.requireNonNull(exporter, "exporter");
      return this;
    }

    /** Uses an OpenTelemetry that the embedder has configured and will close. */
    public Builder openTelemetry(OpenTelemetry instance) {
      this.openTelemetry = Objects.requireNonNull(instance, "instance");
      return this;
    }

    /** Stamps events by a clock of the embedder's, which any thread may read at any time. */
    public Builder clock(InstantSource source) {
      this.clock = Objects.requireNonNull(source, "source");
      return this;
    }

    /** Whether the Prometheus page may be served by a port of ours; it can always be asked for. */
    public Builder servePrometheus(boolean serve) {
      this.servePrometheus = serve;
      return this;
    }

    /**
     * Whether timeout exceptions that are given no sink publish here, from the start to the close.
     * Of several such instances in one process the last one started holds.
     *
     * @see LMCacheTimeoutException
     */
    public Builder defaultSink(boolean isDefault) {
      this.defaultSink = isDefault;
      return this;
    }

    /**
     * Checks everything, then starts.
     *
     * @throws IllegalArgumentException naming every setting that is invalid
     * @throws IllegalStateException if the Prometheus endpoint cannot be served
     */
    public Observability start() {
      ObservabilityConfig settings = config == null ? ObservabilityConfig.create() : config;
      StartChecks.check(settings, readers, spanExporter, openTelemetry, servePrometheus);
      if (!settings.enabled()) {
        return new Observability(settings);
      }
      Export export =
          openTelemetry != null
              ? Export.of(openTelemetry)
              : Export.start(settings, readers, spanExporter, servePrometheus);
      try {
        return new Observability(this, settings, export);
      } catch (RuntimeException | Error e) {
        export.close(settings.closeTimeout());
        throw e;
      }
    }

    private EventBus bus(ObservabilityConfig settings) {
      return clock == null
          ? EventBus.create(settings.maxQueueSize())
          : EventBus.create(settings.maxQueueSize(), clock);
    }
  }
}
