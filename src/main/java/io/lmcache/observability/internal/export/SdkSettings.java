package io.lmcache.observability.internal.export;

import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.config.Push;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.resources.Resource;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What the configuration says, as the SDK's autoconfiguration reads it: its {@code otel.*} settings
 * as the configuration resolved them, whatever process and environment say now, and over them what
 * is ours to say. Also the resource that stands on every metric and span. Used by one thread.
 */
final class SdkSettings {

  private static final AttributeKey<String> SERVICE_NAME = AttributeKey.stringKey("service.name");
  private static final AttributeKey<String> INSTANCE_ID =
      AttributeKey.stringKey("service.instance.id");

  /** The longest text that a span's attribute may have; the SDK itself knows no limit. */
  private static final String LONGEST_VALUE = "otel.attribute.value.length.limit";

  private static final String DEFAULT_LONGEST_VALUE = "65536";
  private static final String DEFAULT_NAME = "lmcache-mp-server";
  private static final String DISABLED_PROVIDERS = "otel.java.disabled.resource.providers";
  private static final String ID_PROVIDER =
      "io.opentelemetry.sdk.autoconfigure.ServiceInstanceIdResourceProvider";

  private final ObservabilityConfig config;
  private String instanceId = "";

  SdkSettings(ObservabilityConfig config) {
    this.config = config;
  }

  @Nullable Push metricsPush() {
    return config.metrics() ? config.metricsPush() : null;
  }

  @Nullable Push tracesPush() {
    return config.tracing() ? config.tracesPush() : null;
  }

  /** The settings to lay over the process's own; null takes one away. */
  Map<String, @Nullable String> overrides() {
    Map<String, @Nullable String> all = new HashMap<>();
    System.getenv().keySet().forEach(name -> forget(name, '_', all));
    System.getProperties().stringPropertyNames().forEach(name -> forget(name, '-', all));
    all.putAll(config.otel());
    all.put("otel.sdk.disabled", null);
    all.put("otel.logs.exporter", "none");
    all.put("otel.propagators", "none");
    if (all.get(LONGEST_VALUE) == null) {
      all.put(LONGEST_VALUE, DEFAULT_LONGEST_VALUE);
    }
    push("metrics", metricsPush(), all);
    push("traces", tracesPush(), all);
    all.put("otel.java.metrics.cardinality.limit", Integer.toString(config.cardinalityLimit()));
    // The id is decided below; a second one would be warned of.
    String disabled = all.get(DISABLED_PROVIDERS);
    all.put(DISABLED_PROVIDERS, disabled == null ? ID_PROVIDER : disabled + "," + ID_PROVIDER);
    return all;
  }

  private static void forget(String name, char separator, Map<String, @Nullable String> all) {
    String key = name.toLowerCase(Locale.ROOT).replace(separator, '.');
    if (key.startsWith("otel.")) {
      all.put(key, null);
    }
  }

  private static void push(String signal, @Nullable Push push, Map<String, @Nullable String> all) {
    all.put("otel." + signal + ".exporter", push == null ? "none" : "otlp");
    if (push != null) {
      all.put("otel.exporter.otlp." + signal + ".endpoint", push.endpoint());
      all.put("otel.exporter.otlp." + signal + ".protocol", push.protocol().text());
    }
  }

  /** The resource with a name and an instance id; an explicit id wins over the resource's. */
  Resource complete(Resource resource) {
    String name = resource.getAttribute(SERVICE_NAME);
    String given = resource.getAttribute(INSTANCE_ID);
    String explicit = config.instanceId();
    String id = explicit != null ? explicit : given;
    instanceId = id == null || id.isBlank() ? UUID.randomUUID().toString() : id;
    // Resource.getDefault() names every Java program unknown_service:java.
    boolean named = name != null && !name.isBlank() && !name.startsWith("unknown_service");
    return resource.toBuilder()
        .put(SERVICE_NAME, named ? name : DEFAULT_NAME)
        .put(INSTANCE_ID, instanceId)
        .build();
  }

  /** The id in effect, once the resource is complete. */
  String instanceId() {
    return instanceId;
  }
}
