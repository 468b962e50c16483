package io.lmcache.observability.internal.metrics;

import io.lmcache.observability.bus.RecordingErrors;
import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.catalog.Source;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.ObjectKey;
import io.lmcache.observability.internal.support.Warnings;
import io.opentelemetry.api.metrics.LongCounter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A counter of the catalogue at work: its instrument and the recorders of its sources. */
final class CounterRow {

  private final Metric row;
  private final LongCounter counter;
  private final Set<String> dropped;
  private final Series series;
  private final List<String> names;
  private final RecordingErrors errors;
  private final Warnings warnings;

  CounterRow(
      Metric row,
      LongCounter counter,
      Series series,
      Set<String> dropped,
      RecordingErrors errors,
      Warnings warnings) {
    this.row = row;
    this.counter = counter;
    this.dropped = dropped;
    this.names = Series.kept(row.attributes(), dropped);
    this.series = series;
    this.errors = errors;
    this.warnings = warnings;
  }

  /** What records the events of one source. */
  <E extends Event> Consumer<Event> recorder(Source<E> source) {
    Labels<E> labels = new Labels<>(source);
    Source.Amount<E> amount = source.amount();
    if (amount instanceof Source.PerKey<E> perKey) {
      return event -> addKeys(labels, source.event().cast(event), perKey);
    }
    if (amount instanceof Source.PerSalt<E> perSalt) {
      return event -> addSalts(labels, source.event().cast(event), perSalt);
    }
    if (amount instanceof Source.PerEvent<E> perEvent) {
      return event -> addEvent(labels, source.event().cast(event), perEvent);
    }
    throw new IllegalArgumentException(row.name() + " has a source that adds nothing");
  }

  private <E extends Event> void addEvent(Labels<E> labels, E event, Source.PerEvent<E> perEvent) {
    add(perEvent.value().applyAsLong(event), labels.read(event));
  }

  private <E extends Event> void addSalts(Labels<E> labels, E event, Source.PerSalt<E> perSalt) {
    String[] values = labels.read(event);
    for (Map.Entry<String, Long> entry : perSalt.counts().apply(event).entrySet()) {
      labels.setLast(entry.getKey());
      add(entry.getValue(), values);
    }
  }

  /** Adds runs of keys with the same value at once: an event's keys mostly share it. */
  private <E extends Event> void addKeys(Labels<E> labels, E event, Source.PerKey<E> perKey) {
    String[] values = labels.read(event);
    List<? extends ObjectKey> keys = perKey.keys().apply(event);
    if (!labels.hasLast) {
      add(keys.size(), values);
      return;
    }
    String current = null;
    long run = 0;
    for (ObjectKey key : keys) {
      String value = valueOf(key, perKey.label());
      if (value == null) {
        continue;
      }
      if (current != null && !value.equals(current)) {
        labels.setLast(current);
        add(run, values);
        run = 0;
      }
      current = value;
      run++;
    }
    if (current != null) {
      labels.setLast(current);
      add(run, values);
    }
  }

  private @Nullable String valueOf(ObjectKey key, Source.KeyLabel label) {
    Throwable fault = null;
    try {
      String value = label.valueOf(key);
      if (value != null) {
        return value;
      }
    } catch (Throwable keyFailed) {
      fault = keyFailed;
    }
    errors.count(RecordingErrors.Reason.INVALID_VALUE);
    String message = "a key has no " + label.attribute() + "; " + row.name() + " leaves it out";
    warnings.once(
        row.name(), message, fault == null ? new IllegalArgumentException(message) : fault);
    return null;
  }

  private void add(long amount, String[] values) {
    counter.add(amount, series.get(values));
  }

  /** Puts the series on the page with 0 whose values are known before any event, if any. */
  void addZeros() {
    addZeros(null);
  }

  /** Puts the series on the page with 0 that are known once a model is. */
  void addZeros(@Nullable String model) {
    List<String[]> known = new ArrayList<>();
    known.add(new String[0]);
    for (String name : names) {
      List<String> closed =
          name.equals(Source.MODEL_NAME) && model != null ? List.of(model) : closedValues(name);
      List<String[]> longer = new ArrayList<>();
      for (String[] start : known) {
        for (String value : closed) {
          String[] next = Arrays.copyOf(start, start.length + 1);
          next[start.length] = value;
          longer.add(next);
        }
      }
      known = longer;
    }
    known.forEach(values -> add(0, values));
  }

  /** Whether a model's name is all that is missing to know its series. */
  boolean isKnownByModel() {
    return names.contains(Source.MODEL_NAME)
        && row.attributes().size() > 1
        && names.stream()
            .allMatch(name -> name.equals(Source.MODEL_NAME) || !closedValues(name).isEmpty());
  }

  private List<String> closedValues(String name) {
    return row.sources().stream()
        .flatMap(source -> source.labels().stream())
        .filter(label -> label.name().equals(name))
        .findFirst()
        .map(Source.Label::values)
        .orElse(List.of());
  }

  /** Reads the attribute values of an event into an array that it uses again and again. */
  private final class Labels<E extends Event> {

    private final List<Source.Label<E>> kept;
    private final String[] values;
    final boolean hasLast;

    Labels(Source<E> source) {
      this.kept =
          source.labels().stream().filter(label -> !dropped.contains(label.name())).toList();
      this.values = new String[names.size()];
      this.hasLast = values.length > kept.size();
    }

    String[] read(E event) {
      for (int i = 0; i < kept.size(); i++) {
        values[i] = kept.get(i).value().apply(event);
      }
      return values;
    }

    void setLast(String value) {
      if (hasLast) {
        values[values.length - 1] = value;
      }
    }
  }
}
