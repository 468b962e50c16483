package io.lmcache.observability;

import io.lmcache.observability.catalog.MetricCatalog;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.config.Setting;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.sdk.metrics.export.MetricReader;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What the settings and what the embedder hands over must agree on, checked as a whole. */
final class StartChecks {

  /** Settings that belong to whoever builds the SDK. */
  private static final List<Setting<?>> OF_THE_SDK =
      List.of(
          Setting.CARDINALITY_LIMIT,
          Setting.INSTANCE_ID,
          Setting.RESOURCE_LABELS,
          Setting.OTLP_ENDPOINT,
          Setting.PROMETHEUS_HOST,
          Setting.PROMETHEUS_PORT);

  private StartChecks() {}

  /**
   * @throws IllegalArgumentException with all that is wrong
   */
  static void check(
      ObservabilityConfig config,
      List<MetricReader> readers,
      @Nullable SpanExporter spanExporter,
      @Nullable OpenTelemetry openTelemetry,
      boolean servePrometheus) {
    List<String> faults = new ArrayList<>();
    if (openTelemetry != null) {
      checkInstance(config, readers, spanExporter, faults);
    } else if (config.enabled()) {
      faults.addAll(config.otelFaults());
      checkTracing(config, spanExporter, faults);
    }
    if (!servePrometheus && config.isSet(Setting.PROMETHEUS_PORT)) {
      faults.add(label(config, Setting.PROMETHEUS_PORT) + ": servePrometheus(false) opens no port");
    }
    checkDropped(config, faults);
    if (!faults.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", faults));
    }
  }

  private static void checkInstance(
      ObservabilityConfig config,
      List<MetricReader> readers,
      @Nullable SpanExporter spanExporter,
      List<String> faults) {
    for (Setting<?> setting : OF_THE_SDK) {
      if (config.isSet(setting)) {
        faults.add(label(config, setting) + ": belongs to the OpenTelemetry instance handed in");
      }
    }
    if (!readers.isEmpty()) {
      faults.add("metricReader: belongs to the OpenTelemetry instance handed in");
    }
    if (spanExporter != null) {
      faults.add("spanExporter: belongs to the OpenTelemetry instance handed in");
    }
  }

  private static void checkTracing(
      ObservabilityConfig config, @Nullable SpanExporter spanExporter, List<String> faults) {
    if (config.tracing() && config.tracesPush() == null && spanExporter == null) {
      faults.add(
          label(config, Setting.TRACING)
              + ": needs an otlpEndpoint, a spanExporter or an OpenTelemetry instance"
              + ("none".equals(config.otel().get("otel.traces.exporter"))
                  ? " (OTEL_TRACES_EXPORTER is none)"
                  : ""));
    }
  }

  private static void checkDropped(ObservabilityConfig config, List<String> faults) {
    Set<String> unknown = new TreeSet<>(config.dropAttributes());
    unknown.removeAll(MetricCatalog.attributes());
    if (!unknown.isEmpty()) {
      faults.add(
          label(config, Setting.DROP_ATTRIBUTES)
              + ": no metric has an attribute "
              + String.join(", ", unknown)
              + "; there are "
              + String.join(", ", new TreeSet<>(MetricCatalog.attributes())));
    }
  }

  private static String label(ObservabilityConfig config, Setting<?> setting) {
    return setting.label(config.origin(setting));
  }
}
