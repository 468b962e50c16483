package io.lmcache.observability.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What came out of all sources. What was at fault is absent and stands in the {@link Faults}.
 *
 * @param values of each setting that has one
 * @param origins of each setting, {@code OTEL_*} included
 * @param explicit where code, flag or our own name set something
 */
record Resolution(
    Map<Setting<?>, Object> values,
    Map<Setting<?>, Origin> origins,
    Map<Setting<?>, Origin> explicit,
    @Nullable Push metricsPush,
    @Nullable Push tracesPush,
    Map<String, String> otel,
    List<String> otelFaults) {

  static Resolution of(Sources sources, Faults faults) {
    Map<Setting<?>, Object> values = new LinkedHashMap<>();
    Map<Setting<?>, Origin> origins = new LinkedHashMap<>();
    Map<Setting<?>, Origin> explicit = new LinkedHashMap<>();
    for (Setting<?> setting : Setting.all()) {
      Sources.Given given = sources.find(setting);
      origins.put(setting, given == null ? Origin.DEFAULT : given.origin());
      if (given != null) {
        explicit.put(setting, given.origin());
      }
      // The endpoint depends on OTEL_* as well and is settled below.
      Object value = setting == Setting.OTLP_ENDPOINT ? null : read(setting, given, faults);
      if (value != null) {
        values.put(setting, value);
      }
    }
    OtelSettings otel = new OtelSettings(sources.properties(), sources.environment());
    Otlp otlp = new Otlp(sources.find(Setting.OTLP_ENDPOINT), otel, faults);
    Endpoint endpoint = otlp.general();
    if (endpoint != null) {
      values.put(Setting.OTLP_ENDPOINT, endpoint.url());
      origins.put(Setting.OTLP_ENDPOINT, endpoint.origin());
    }
    OtelSettings.Entry disabled = otel.find("otel.sdk.disabled");
    if (disabled != null && disabled.text().equalsIgnoreCase("true")) {
      values.put(Setting.ENABLED, false);
      origins.put(Setting.ENABLED, disabled.origin());
    }
    Push metrics = otlp.push("metrics");
    Push traces = otlp.push("traces");
    if (Boolean.TRUE.equals(values.get(Setting.TRACING)) && traces == null) {
      faults.addOpen(
          Setting.TRACING,
          origins.getOrDefault(Setting.TRACING, Origin.DEFAULT),
          "needs an otlpEndpoint, unless a spanExporter or an OpenTelemetry instance is handed in");
    }
    return new Resolution(
        Collections.unmodifiableMap(values),
        Collections.unmodifiableMap(origins),
        Collections.unmodifiableMap(explicit),
        metrics,
        traces,
        otel.values(),
        faults.otel());
  }

  @SuppressWarnings("unchecked") // read() put it there under a setting of this type
  <T> @Nullable T value(Setting<T> setting) {
    return (T) values.get(setting);
  }

  /** All values and their origins; of the OpenTelemetry settings, which may be secret, the keys. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("ObservabilityConfig{");
    origins.forEach(
        (setting, origin) ->
            text.append(setting.label(origin)).append('=').append(value(setting)).append(", "));
    return text.append("otel=").append(otel.keySet()).append('}').toString();
  }

  private static <T> @Nullable T read(
      Setting<T> setting, Sources.@Nullable Given given, Faults faults) {
    if (given == null) {
      return setting.defaultValue();
    }
    try {
      return given.read(setting.kind());
    } catch (Kind.Refused e) {
      faults.add(setting, given.origin(), e.reason());
      return null;
    }
  }
}
