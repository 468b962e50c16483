package io.lmcache.observability.internal.metrics;

import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.catalog.ServerMetrics;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleGaugeBuilder;
import io.opentelemetry.api.metrics.LongCounterBuilder;
import io.opentelemetry.api.metrics.Meter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the bus, the trackers and tracing tell about themselves, read at each collection. */
public final class SelfMetrics {

  private static final double NANOS_PER_SECOND = 1e9;

  private final Meter meter;
  private final Set<String> dropped;
  private final List<Runnable> removals = new ArrayList<>();

  /**
   * Registers the instruments.
   *
   * @param trackerEvictions what the trackers of earlier events dropped, by tracker
   * @param dropped attributes that no series has
   */
  public SelfMetrics(
      Meter meter,
      EventBus bus,
      Supplier<Map<String, Long>> trackerEvictions,
      Set<String> dropped) {
    this.meter = meter;
    this.dropped = dropped;
    removals.add(
        gauge(ServerMetrics.QUEUE_DEPTH)
                .ofLongs()
                .buildWithCallback(out -> out.record(bus.queueDepth()))
            ::close);
    removals.add(
        gauge(ServerMetrics.DRAIN_LAG)
                .buildWithCallback(
                    out -> out.record(bus.oldestEventAge().toNanos() / NANOS_PER_SECOND))
            ::close);
    counter(ServerMetrics.DROPPED_EVENTS, bus::dropped);
    counter(ServerMetrics.SUBSCRIBER_EXCEPTIONS, bus::subscriberExceptions);
    counter(ServerMetrics.DROPS_BY_TYPE, bus::droppedByType);
    counter(ServerMetrics.TRACKER_EVICTIONS, trackerEvictions);
    counter(ServerMetrics.RECORDING_ERRORS, () -> bus.recordingErrors().byReason());
  }

  /**
   * Registers what tracing tells about itself.
   *
   * @param incompleteSpans by reason
   * @param droppedSpans null if nobody can tell
   * @param violations by rule
   */
  public void addTracing(
      LongSupplier openSpans,
      Supplier<Map<String, Long>> incompleteSpans,
      @Nullable LongSupplier droppedSpans,
      Supplier<Map<String, Long>> violations) {
    removals.add(
        gauge(ServerMetrics.OPEN_SPANS)
                .ofLongs()
                .buildWithCallback(out -> out.record(openSpans.getAsLong()))
            ::close);
    counter(ServerMetrics.INCOMPLETE_SPANS, incompleteSpans);
    if (droppedSpans != null) {
      counter(ServerMetrics.DROPPED_SPANS, droppedSpans);
    }
    counter(ServerMetrics.CONTRACT_VIOLATIONS, violations);
  }

  private DoubleGaugeBuilder gauge(Metric row) {
    return meter
        .gaugeBuilder(row.name())
        .setUnit(row.unit().otel())
        .setDescription(row.description());
  }

  private LongCounterBuilder counter(Metric row) {
    return meter
        .counterBuilder(row.name())
        .setUnit(row.unit().otel())
        .setDescription(row.description());
  }

  private void counter(Metric row, LongSupplier value) {
    removals.add(counter(row).buildWithCallback(out -> out.record(value.getAsLong()))::close);
  }

  /** A counter with one attribute; without it, of the sum. */
  private void counter(Metric row, Supplier<Map<String, Long>> values) {
    String attribute = row.attributes().get(0);
    if (dropped.contains(attribute)) {
      counter(row, () -> values.get().values().stream().mapToLong(Long::longValue).sum());
      return;
    }
    AttributeKey<String> key = AttributeKey.stringKey(attribute);
    removals.add(
        counter(row)
                .buildWithCallback(
                    out ->
                        values.get().forEach((name, n) -> out.record(n, Attributes.of(key, name))))
            ::close);
  }

  /** Removes the callbacks. */
  public synchronized void close() {
    removals.forEach(Runnable::run);
    removals.clear();
  }
}
