package io.lmcache.observability.internal.tracing;

import io.lmcache.observability.bus.Subscriber;
import io.lmcache.observability.catalog.SpanTable;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.EventType;
import io.lmcache.observability.internal.support.SpanLookup;
import io.opentelemetry.api.trace.TracerProvider;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Builds spans from pairs of events, driven by the span table alone, with the events' own times.
 *
 * <p>Works on the drain thread; any thread may ask for the counts. Open spans are bounded in number
 * and in age; what is cut short is ended, marked and counted, at the latest when the bus stops.
 * What does not go with the events before it is counted and otherwise ignored.
 */
public final class TracingSubscriber implements Subscriber {

  /** What an event does to the span of its row. */
  private enum Action {
    ROOT_START,
    ROOT_END,
    LOOKUP_START,
    LOOKUP_END,
    SUBMITTED,
    START,
    END,
    INSTANT,
    EXCEPTION
  }

  private record Step(Action action, SpanRow row) {}

  private final IdentityHashMap<Class<?>, Step> steps = new IdentityHashMap<>();
  private final TracingCounts counts = new TracingCounts();
  private final Sessions sessions;
  private final Transitions transitions;
  private long now = 1;

  /**
   * @param current told of the span of each operation that an event ends
   */
  public TracingSubscriber(TracerProvider tracers, ObservabilityConfig config, SpanLookup current) {
    this.sessions = new Sessions(config.maxOpenSpans(), config.openSpanTimeout().toNanos(), counts);
    this.transitions = new Transitions(sessions, current, counts);
    List<SpanRow> rows = new ArrayList<>();
    int roots = 0;
    for (SpanTable.Row row : SpanTable.all()) {
      SpanRow parent =
          rows.stream().filter(other -> other.row.equals(row.parent())).findFirst().orElse(null);
      int group = row.kind() == SpanTable.Kind.ROOT ? roots++ : parent == null ? 0 : parent.group;
      SpanRow made = new SpanRow(row, group, parent, tracers.get(row.scope()));
      rows.add(made);
      register(made);
    }
  }

  private void register(SpanRow row) {
    switch (row.row.kind()) {
      case ROOT -> register(row, null, Action.ROOT_START, Action.ROOT_END);
      case LOOKUP -> register(row, null, Action.LOOKUP_START, Action.LOOKUP_END);
      case OPERATION -> register(row, Action.SUBMITTED, Action.START, Action.END);
      case INSTANT -> register(row, null, Action.INSTANT, null);
      case EXCEPTION -> register(row, null, Action.EXCEPTION, null);
    }
  }

  private void register(
      SpanRow row, @Nullable Action submitted, Action opens, @Nullable Action closes) {
    register(row, row.row.submitted(), submitted);
    register(row, row.row.opens(), opens);
    register(row, row.row.closes(), closes);
  }

  private void register(
      SpanRow row, @Nullable Class<? extends Event> event, @Nullable Action action) {
    if (event != null && action != null) {
      steps.put(event, new Step(action, row));
    }
  }

  @Override
  public List<Class<? extends Event>> events() {
    List<Class<? extends Event>> events = new ArrayList<>();
    for (EventType type : EventType.all()) {
      if (steps.containsKey(type.eventClass())) {
        events.add(type.eventClass());
      }
    }
    return events;
  }

  @Override
  public void onEvent(Event event, long epochNanos) throws Exception {
    now = epochNanos;
    Step step = steps.get(event.getClass());
    if (step == null) {
      return;
    }
    SpanRow row = step.row;
    switch (step.action) {
      case ROOT_START -> transitions.rootStarted(row, event, epochNanos);
      case ROOT_END -> transitions.rootEnded(row, event, epochNanos);
      case LOOKUP_START -> transitions.lookupStarted(row, event, epochNanos);
      case LOOKUP_END -> transitions.lookupEnded(row, event, epochNanos);
      case SUBMITTED -> transitions.submitted(row, event, epochNanos);
      case START -> transitions.started(row, event, epochNanos);
      case END -> transitions.ended(row, event, epochNanos);
      case INSTANT -> transitions.instant(row, event, epochNanos);
      case EXCEPTION -> transitions.raised(row, event, epochNanos);
    }
    sessions.throwFailure();
  }

  @Override
  public void onTick(long epochNanos) throws Exception {
    now = epochNanos;
    sessions.expire(epochNanos);
    sessions.throwFailure();
  }

  @Override
  public void onStop() throws Exception {
    sessions.shutdown(now);
    sessions.throwFailure();
  }

  /** How many spans are open. */
  public long openSpans() {
    return sessions.openSpans();
  }

  /** How many spans were cut short, by reason, zeros included. */
  public Map<String, Long> incompleteSpans() {
    return counts.incomplete();
  }

  /** How many events did not go with those before them, by rule, zeros included. */
  public Map<String, Long> violations() {
    return counts.violations();
  }

  /** How much is remembered of sessions beside their open spans. */
  int remembered() {
    return sessions.remembered();
  }
}
