package io.lmcache.observability.internal.metrics.correlation;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.bus.EventHandler;
import io.lmcache.observability.bus.RecordingErrors;
import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.internal.metrics.correlation.Model.Owed;
import io.lmcache.observability.internal.metrics.correlation.Model.Sample;
import io.lmcache.observability.internal.support.Warnings;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The trackers, driven by hand, and what they give to the histograms. A tick comes before every
 * step, which is more than the bus promises.
 */
final class TrackerFixture {

  /** Shared, so that a property warns once and not with each of its tries. */
  private static final Warnings WARNINGS = new Warnings();

  private final RecordingErrors errors = EventBus.create(1).recordingErrors();
  private final Map<Class<?>, List<EventHandler<Event>>> handlers = new HashMap<>();
  private final List<Sample> samples = new ArrayList<>();
  private final Trackers trackers;

  TrackerFixture(ObservabilityConfig config) {
    trackers = new Trackers(config, this::histogram, errors, WARNINGS);
    trackers.register(
        (event, handler) ->
            handlers.computeIfAbsent(event, unused -> new ArrayList<>()).add(handler));
  }

  private Samples histogram(Metric metric) {
    return (value, labels) -> {
      if (labels.length != metric.attributes().size()) {
        throw new AssertionError(metric.name() + " was given " + List.of(labels));
      }
      samples.add(new Sample(metric.name(), List.of(labels), value));
    };
  }

  /** Everything is followed, and nothing dropped for want of room. */
  static ObservabilityConfig.Builder config() {
    return ObservabilityConfig.builder()
        .environment(Map.of())
        .systemProperties(Map.of())
        .sampleRate(1.0)
        .maxTrackedChunks(1_000)
        .maxReuseChunks(1_000)
        .maxReuseSalts(1_000)
        .maxTrackedBlocks(1_000)
        .maxOpenPairs(1_000);
  }

  /** What the trackers have dropped. */
  Map<String, Long> evictions() {
    return trackers.evictions();
  }

  /** Takes a step and tells what samples it made. */
  List<Sample> take(Step step) {
    samples.clear();
    trackers.onTick(step.clock());
    if (!step.isTick()) {
      for (EventHandler<Event> handler :
          handlers.getOrDefault(step.event().getClass(), List.of())) {
        try {
          handler.handle(step.event(), step.at());
        } catch (Exception e) {
          throw new AssertionError(step.toString(), e);
        }
      }
    }
    return List.copyOf(samples);
  }

  /** Takes steps and tells what samples they made. */
  List<Sample> take(List<Step> steps) {
    return steps.stream().flatMap(step -> take(step).stream()).toList();
  }

  /** Holds the trackers to models, step by step. */
  List<Sample> assertAgreesWith(List<? extends Model> models, List<Step> history) {
    return assertAgreesWith(models, history, identity -> true);
  }

  /**
   * Holds the trackers to models, step by step: to each sample and to what was dropped. Of one
   * metric the order counts, between metrics it is free.
   *
   * @param sampled the identities whose samples are due
   * @return all samples
   */
  List<Sample> assertAgreesWith(
      List<? extends Model> models, List<Step> history, Predicate<Object> sampled) {
    List<Sample> all = new ArrayList<>();
    for (int i = 0; i < history.size(); i++) {
      Step step = history.get(i);
      List<Sample> due = new ArrayList<>();
      for (Model model : models) {
        model.on(step).stream()
            .filter(owed -> sampled.test(owed.identity()))
            .map(Owed::sample)
            .forEach(due::add);
      }
      List<Sample> made = new ArrayList<>(take(step));
      all.addAll(made);
      if (!alike(made, due)) {
        assertThat(made).as("samples of step %d: %s", i, step).isEqualTo(due);
      }
      Map<String, Long> counts = new TreeMap<>(evictions());
      counts.keySet().retainAll(models.stream().map(Model::tracker).toList());
      counts.put("invalid values", errors.of(RecordingErrors.Reason.INVALID_VALUE));
      Map<String, Long> dueCounts = new TreeMap<>();
      for (Model model : models) {
        dueCounts.put(model.tracker(), model.evictions());
        dueCounts.merge("invalid values", model.invalidValues(), Long::sum);
      }
      if (!counts.equals(dueCounts)) {
        assertThat(counts).as("dropped up to step %d: %s", i, step).isEqualTo(dueCounts);
      }
    }
    return all;
  }

  private static boolean alike(List<Sample> made, List<Sample> due) {
    made.sort(Comparator.comparing(Sample::metric));
    due.sort(Comparator.comparing(Sample::metric));
    boolean alike = made.size() == due.size();
    for (int i = 0; alike && i < due.size(); i++) {
      alike = due.get(i).isLike(made.get(i));
    }
    return alike;
  }
}
