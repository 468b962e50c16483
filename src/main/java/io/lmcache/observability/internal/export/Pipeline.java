package io.lmcache.observability.internal.export;

import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.config.Push;
import io.lmcache.observability.internal.support.Warnings;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.MemoryMode;
import io.opentelemetry.sdk.metrics.Aggregation;
import io.opentelemetry.sdk.metrics.InstrumentSelector;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.SdkMeterProviderBuilder;
import io.opentelemetry.sdk.metrics.View;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.export.CollectionRegistration;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.metrics.export.MetricReader;
import io.opentelemetry.sdk.trace.SdkTracerProviderBuilder;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessorBuilder;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An SDK of our own with its readers and exporters, made by the SDK's autoconfiguration so that the
 * standard settings do what they do elsewhere; without a shutdown hook and never global.
 *
 * <p>Made by one thread, used by any. What a failed start has made is closed again.
 */
final class Pipeline {

  static final String METRICS = "metrics";
  static final String SPANS = "spans";

  /** What the SDK's processors and exporters count about themselves, unless that is asked for. */
  private static final List<String> SELF_SCOPES =
      List.of(
          "io.opentelemetry.sdk.trace",
          "io.opentelemetry.exporters.otlp-grpc",
          "io.opentelemetry.exporters.otlp-http");

  private static final String SELF_TELEMETRY = "otel.experimental.sdk.telemetry.version";

  private final ObservabilityConfig config;
  private final SdkSettings settings;
  private final List<MetricReader> readers = new ArrayList<>();
  private final @Nullable SpanExporter spanExporter;
  private final Logger logger = LoggerFactory.getLogger(Warnings.LOGGER);
  private final List<PushReport> reports = new ArrayList<>();
  private final List<SpanQueue> queues = new ArrayList<>();
  private final SpanQueue pushed = spanQueue();
  private final List<Runnable> aborts = new ArrayList<>();
  private final OpenTelemetrySdk sdk;

  /**
   * Builds and starts all.
   *
   * @throws IllegalArgumentException naming the settings that the SDK refuses
   */
  Pipeline(
      ObservabilityConfig config,
      @Nullable PageReader page,
      List<MetricReader> readers,
      @Nullable SpanExporter spanExporter,
      Warnings warnings) {
    this.config = config;
    this.settings = new SdkSettings(config);
    readers.forEach(reader -> this.readers.add(new GuardedReader(reader, warnings)));
    if (page != null) {
      this.readers.add(page);
    }
    this.spanExporter = config.tracing() ? spanExporter : null;
    this.sdk = build();
  }

  @SuppressWarnings("NullAway") // a null in the overrides takes a property away
  private OpenTelemetrySdk build() {
    try {
      return AutoConfiguredOpenTelemetrySdk.builder()
          .disableShutdownHook()
          .addPropertiesCustomizer(properties -> settings.overrides())
          .addResourceCustomizer((resource, properties) -> settings.complete(resource))
          .addMetricExporterCustomizer((exporter, properties) -> watched(exporter))
          .addSpanExporterCustomizer((exporter, properties) -> watched(exporter))
          .addSpanProcessorCustomizer(
              (processor, properties) -> pushed.before(processor, maxQueue(properties)))
          .addMeterProviderCustomizer(this::addReaders)
          .addTracerProviderCustomizer(this::addSpanExporter)
          .build()
          .getOpenTelemetrySdk();
    } catch (ConfigurationException e) {
      throw new IllegalArgumentException(message(e), e);
    }
  }

  private String message(ConfigurationException e) {
    StringBuilder text = new StringBuilder("The OTEL_* settings were refused: ");
    text.append(e.getMessage());
    if (e.getCause() != null) {
      text.append(": ").append(e.getCause().getMessage());
    }
    for (Push push : new Push[] {settings.metricsPush(), settings.tracesPush()}) {
      if (push != null) {
        text.append("; endpoint (").append(push.origin().spelling()).append("): ");
        text.append(push.endpoint());
      }
    }
    // The SDK stops at the first fault and rarely quotes it: show all that it was given.
    config
        .otel()
        .forEach(
            (key, value) ->
                text.append("; ")
                    .append(key.toUpperCase(Locale.ROOT).replace('.', '_'))
                    .append('=')
                    .append(key.contains("header") ? "***" : value));
    return text.toString();
  }

  private MetricExporter watched(MetricExporter exporter) {
    aborts.add(exporter::shutdown);
    return report(METRICS, settings.metricsPush()).watch(exporter);
  }

  private SpanExporter watched(SpanExporter exporter) {
    aborts.add(exporter::shutdown);
    return pushed.watch(report(SPANS, settings.tracesPush()).watch(exporter));
  }

  private PushReport report(String signal, @Nullable Push push) {
    String target = push == null ? "the collector" : push.endpoint();
    PushReport report = new PushReport(signal, target, logger, System::nanoTime);
    reports.add(report);
    return report;
  }

  private SdkMeterProviderBuilder addReaders(
      SdkMeterProviderBuilder builder, ConfigProperties properties) {
    if (config.metrics()) {
      int limit = config.cardinalityLimit();
      readers.forEach(reader -> builder.registerMetricReader(reader, type -> limit));
    }
    if (properties.getString(SELF_TELEMETRY) == null) {
      for (String scope : SELF_SCOPES) {
        builder.registerView(
            InstrumentSelector.builder().setMeterName(scope).build(),
            View.builder().setAggregation(Aggregation.drop()).build());
      }
    }
    return builder;
  }

  private SdkTracerProviderBuilder addSpanExporter(
      SdkTracerProviderBuilder builder, ConfigProperties properties) {
    SpanExporter exporter = spanExporter;
    if (exporter == null) {
      return builder;
    }
    PushReport report =
        new PushReport(SPANS, exporter.getClass().getName(), logger, System::nanoTime);
    reports.add(report);
    SpanQueue queue = spanQueue();
    BatchSpanProcessorBuilder batch =
        BatchSpanProcessor.builder(queue.watch(report.watch(exporter)))
            .setMeterProvider(MeterProvider.noop());
    whenSet(properties.getDuration("otel.bsp.schedule.delay"), batch::setScheduleDelay);
    whenSet(properties.getInt("otel.bsp.max.queue.size"), batch::setMaxQueueSize);
    whenSet(properties.getInt("otel.bsp.max.export.batch.size"), batch::setMaxExportBatchSize);
    whenSet(properties.getDuration("otel.bsp.export.timeout"), batch::setExporterTimeout);
    return builder.addSpanProcessor(queue.before(batch.build(), maxQueue(properties)));
  }

  private SpanQueue spanQueue() {
    SpanQueue queue = new SpanQueue(logger, System::nanoTime);
    queues.add(queue);
    return queue;
  }

  private static int maxQueue(ConfigProperties properties) {
    Integer max = properties.getInt("otel.bsp.max.queue.size");
    return max == null ? SpanQueue.DEFAULT_MAX : max;
  }

  private static <T> void whenSet(@Nullable T value, Consumer<T> setter) {
    if (value != null) {
      setter.accept(value);
    }
  }

  OpenTelemetrySdk sdk() {
    return sdk;
  }

  String instanceId() {
    return settings.instanceId();
  }

  /** Starts to collect and export the metrics, behind an export that is under way. */
  CompletableResultCode flushMetrics() {
    return sdk.getSdkMeterProvider().forceFlush();
  }

  /** Starts to export the ended spans; succeeds whether they arrive or not. */
  CompletableResultCode flushSpans() {
    return sdk.getSdkTracerProvider().forceFlush();
  }

  /** How many exports of spans have failed since the start. */
  long failedSpanExports() {
    return reports.stream()
        .filter(r -> r.signal().equals(SPANS))
        .mapToLong(PushReport::failures)
        .sum();
  }

  /** Gives up the spans that are not exported by now; how many these are. */
  long abandonSpans() {
    return queues.stream().mapToLong(SpanQueue::abandon).sum();
  }

  /** How many spans ended and were not exported, since the start. */
  long droppedSpans() {
    return queues.stream().mapToLong(SpanQueue::dropped).sum();
  }

  /** What is pushed where, of one signal. */
  String subject(String signal) {
    return reports.stream()
        .filter(report -> report.signal().equals(signal))
        .map(PushReport::subject)
        .collect(Collectors.joining(", "));
  }

  /** Ends the SDK; blocks for as long as a last export takes. */
  CompletableResultCode shutdown() {
    return sdk.shutdown();
  }

  /** Gives up the exports that are under way, so that nothing waits for them. */
  void abort() {
    aborts.forEach(Runnable::run);
  }

  /** A metric reader of the embedder's: when it throws, the others go on. */
  private static final class GuardedReader implements MetricReader {

    private final MetricReader reader;
    private final Warnings warnings;

    GuardedReader(MetricReader reader, Warnings warnings) {
      this.reader = reader;
      this.warnings = warnings;
    }

    private CompletableResultCode guarded(String what, Supplier<CompletableResultCode> call) {
      try {
        return call.get();
      } catch (RuntimeException e) {
        String name = reader.getClass().getName();
        warnings.once(
            "reader:" + name + what, "Metric reader " + name + " failed at its " + what, e);
        return CompletableResultCode.ofExceptionalFailure(e);
      }
    }

    @Override
    public CompletableResultCode forceFlush() {
      return guarded("flush", reader::forceFlush);
    }

    @Override
    public CompletableResultCode shutdown() {
      return guarded("shutdown", reader::shutdown);
    }

    @Override
    public void register(CollectionRegistration registration) {
      reader.register(registration);
    }

    @Override
    public AggregationTemporality getAggregationTemporality(InstrumentType type) {
      return reader.getAggregationTemporality(type);
    }

    @Override
    public Aggregation getDefaultAggregation(InstrumentType type) {
      return reader.getDefaultAggregation(type);
    }

    @Override
    public MemoryMode getMemoryMode() {
      return reader.getMemoryMode();
    }

    @Override
    public String toString() {
      return reader.toString();
    }
  }
}
