package io.lmcache.observability.internal.metrics;

import io.lmcache.observability.bus.EventHandler;
import io.lmcache.observability.bus.RecordingErrors;
import io.lmcache.observability.bus.Subscriber;
import io.lmcache.observability.catalog.Instrument;
import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.catalog.MetricCatalog;
import io.lmcache.observability.catalog.Source;
import io.lmcache.observability.catalog.SpanTable;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.EventType;
import io.lmcache.observability.internal.metrics.correlation.Samples;
import io.lmcache.observability.internal.metrics.correlation.Trackers;
import io.lmcache.observability.internal.support.SpanLookup;
import io.lmcache.observability.internal.support.Warnings;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Moves the counters of the catalogue, driven by its rows alone, and feeds its histograms from what
 * correlates events.
 *
 * <p>Works on the drain thread. A row that fails does not keep the others from counting.
 */
public final class MetricsSubscriber implements Subscriber {

  private static final SpanLookup NO_SPANS = new SpanLookup();

  private final Map<Class<?>, List<EventHandler<Event>>> recorders = new HashMap<>();
  private final IdentityHashMap<Metric, Samples> histograms = new IdentityHashMap<>();
  private final List<CounterRow> byModel = new ArrayList<>();
  private final Set<String> models = new HashSet<>();
  private final Trackers trackers;
  private final Set<String> dropped;
  private final int limit;
  private final boolean sdkIsOurs;
  private final RecordingErrors errors;
  private final Warnings warnings = new Warnings();

  /**
   * @param sdkIsOurs whether the SDK keeps to the cardinality limit, so that exceeding it is worth
   *     a warning
   * @param spans where a sample finds the span that its event closed
   */
  public MetricsSubscriber(
      Meter meter,
      ObservabilityConfig config,
      boolean sdkIsOurs,
      RecordingErrors errors,
      SpanLookup spans) {
    this.dropped = config.dropAttributes();
    this.limit = config.cardinalityLimit() - 1;
    this.sdkIsOurs = sdkIsOurs;
    this.errors = errors;
    for (Metric row : MetricCatalog.all()) {
      if (row.instrument() == Instrument.COUNTER) {
        add(row, counter(meter, row));
      } else if (row.instrument() == Instrument.HISTOGRAM) {
        histograms.put(row, histogram(meter, row, leadsToSpan(row) ? spans : NO_SPANS));
      }
    }
    this.trackers = new Trackers(config, this::samples, errors, warnings);
    trackers.register((event, handler) -> recorders(event).add(handler));
  }

  /** Whether an event that gives the row its samples closes a span. */
  private static boolean leadsToSpan(Metric row) {
    return row.sources().stream()
        .anyMatch(
            source ->
                SpanTable.all().stream().anyMatch(span -> source.event().equals(span.closes())));
  }

  private CounterRow counter(Meter meter, Metric row) {
    LongCounter counter =
        meter
            .counterBuilder(row.name())
            .setUnit(row.unit().otel())
            .setDescription(row.description())
            .build();
    return new CounterRow(row, counter, series(row), dropped, errors, warnings);
  }

  private HistogramRow histogram(Meter meter, Metric row, SpanLookup spans) {
    DoubleHistogram histogram =
        meter
            .histogramBuilder(row.name())
            .setUnit(row.unit().otel())
            .setDescription(row.description())
            .setExplicitBucketBoundariesAdvice(row.buckets())
            .build();
    return new HistogramRow(row, histogram, series(row), dropped, errors, warnings, spans);
  }

  private Series series(Metric row) {
    List<String> names = Series.kept(row.attributes(), dropped);
    return new Series(row, names, limit, sdkIsOurs ? warnings : null);
  }

  private Samples samples(Metric row) {
    return Objects.requireNonNull(histograms.get(row), row.name());
  }

  private List<EventHandler<Event>> recorders(Class<?> event) {
    return recorders.computeIfAbsent(event, unused -> new ArrayList<>());
  }

  private void add(Metric row, CounterRow counter) {
    for (Source<?> source : row.sources()) {
      Consumer<Event> recorder = counter.recorder(source);
      recorders(source.event()).add((event, epochNanos) -> recorder.accept(event));
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
    List<EventHandler<Event>> of = recorders.get(event.getClass());
    if (of == null) {
      return;
    }
    Throwable failed = null;
    for (EventHandler<Event> recorder : of) {
      try {
        recorder.handle(event, epochNanos);
      } catch (Throwable fault) {
        failed = fault;
      }
    }
    if (failed != null) {
      throw new IllegalStateException("a metric failed on " + event.type(), failed);
    }
  }

  @Override
  public void onTick(long epochNanos) {
    trackers.onTick(epochNanos);
  }

  /** What the trackers of earlier events dropped, by tracker; any thread may ask. */
  public Map<String, Long> trackerEvictions() {
    return trackers.evictions();
  }

  private void meet(String model) {
    if (!models.contains(model) && models.size() < limit) {
      models.add(model);
      byModel.forEach(row -> row.addZeros(model));
    }
  }
}
