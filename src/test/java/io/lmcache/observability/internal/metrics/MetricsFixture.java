package io.lmcache.observability.internal.metrics;

import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.internal.support.SpanLookup;
import io.lmcache.observability.testing.Totals;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.util.Map;
import java.util.Set;

/** The metrics room over an SDK that is read in memory; events are handed over directly. */
final class MetricsFixture implements AutoCloseable {

  final InMemoryMetricReader reader = InMemoryMetricReader.create();
  final EventBus bus = EventBus.create(10);
  final Set<String> dropped;
  final GaugeRegistry gauges;
  final MetricsSubscriber subscriber;
  private final SdkMeterProvider provider;

  MetricsFixture() {
    this(Set.of(), 2_000);
  }

  MetricsFixture(Set<String> dropped, int limit) {
    this.dropped = dropped;
    this.provider = SdkMeterProvider.builder().registerMetricReader(reader, type -> limit).build();
    Meter meter = provider.get("test");
    this.gauges = new GaugeRegistry(meter, dropped, bus.recordingErrors());
    ObservabilityConfig config =
        config().dropAttributes(dropped.toArray(String[]::new)).cardinalityLimit(limit).build();
    this.subscriber =
        new MetricsSubscriber(meter, config, true, bus.recordingErrors(), new SpanLookup());
    bus.register(subscriber);
    new SelfMetrics(meter, bus, subscriber::trackerEvictions, dropped);
  }

  /** Settings that the machine has no part in. */
  static ObservabilityConfig.Builder config() {
    return ObservabilityConfig.builder().environment(Map.of()).systemProperties(Map.of());
  }

  void event(Event event) {
    subscriber.onEvent(event, 1);
  }

  Map<String, Map<String, Double>> totals() {
    return Totals.of(reader.collectAllMetrics());
  }

  /** The series of one metric. */
  Map<String, Double> series(String name) {
    return totals().getOrDefault(name, Map.of());
  }

  @Override
  public void close() {
    provider.close();
    bus.close();
  }
}
