package io.lmcache.observability.internal.metrics;

import io.lmcache.observability.bus.RecordingErrors;
import io.lmcache.observability.bus.Subscriber;
import io.lmcache.observability.catalog.Instrument;
import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.catalog.MetricCatalog;
import io.lmcache.observability.catalog.Source;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.EventType;
import io.lmcache.observability.internal.support.Warnings;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Moves the counters of the catalogue, driven by its rows alone.
 *
 * <p>Works on the drain thread. A row that fails does not keep the others from counting.
 */
public final class MetricsSubscriber implements Subscriber {

  private final Map<Class<?>, List<Consumer<Event>>> recorders = new HashMap<>();
  private final List<CounterRow> byModel = new ArrayList<>();
  private final Set<String> models = new HashSet<>();
  private final int limit;

  /**
   * @param dropped attributes that no series has
   * @param cardinalityLimit series per metric, one of which is the overflow
   * @param sdkIsOurs whether the SDK keeps to this limit, so that exceeding it is worth a warning
   */
  public MetricsSubscriber(
      Meter meter,
      Set<String> dropped,
      int cardinalityLimit,
      boolean sdkIsOurs,
      RecordingErrors errors) {
    this.limit = cardinalityLimit - 1;
    Warnings warnings = new Warnings();
    for (Metric row : MetricCatalog.all()) {
      if (row.instrument() == Instrument.COUNTER) {
        LongCounter counter =
            meter
                .counterBuilder(row.name())
                .setUnit(row.unit().otel())
                .setDescription(row.description())
                .build();
        Series series =
            new Series(
                row, Series.kept(row.attributes(), dropped), limit, sdkIsOurs ? warnings : null);
        add(row, new CounterRow(row, counter, series, dropped, errors, warnings));
      }
    }
  }

  private void add(Metric row, CounterRow counter) {
    for (Source<?> source : row.sources()) {
      recorders
          .computeIfAbsent(source.event(), unused -> new ArrayList<>())
          .add(counter.recorder(source));
    }
    counter.addZeros();
    if (counter.isKnownByModel()) {
      byModel.add(counter);
    }
  }

  @Override
  public List<Class<? extends Event>> events() {
    Set<Class<? extends Event>> events = new LinkedHashSet<>();
    for (EventType type : EventType.all()) {
      Class<? extends Event> eventClass = type.eventClass();
      if (recorders.containsKey(eventClass) || Event.OfModel.class.isAssignableFrom(eventClass)) {
        events.add(eventClass);
      }
    }
    return List.copyOf(events);
  }

  @Override
  public void onEvent(Event event, long epochNanos) {
    if (event instanceof Event.OfModel ofModel) {
      meet(ofModel.modelName());
    }
    List<Consumer<Event>> of = recorders.get(event.getClass());
    if (of == null) {
      return;
    }
    Throwable failed = null;
    for (Consumer<Event> recorder : of) {
      try {
        recorder.accept(event);
      } catch (Throwable fault) {
        failed = fault;
      }
    }
    if (failed != null) {
      throw new IllegalStateException("a metric failed on " + event.type(), failed);
    }
  }

  private void meet(String model) {
    if (!models.contains(model) && models.size() < limit) {
      models.add(model);
      byModel.forEach(row -> row.addZeros(model));
    }
  }
}
