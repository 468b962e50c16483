package io.lmcache.observability.internal.metrics;

import io.lmcache.observability.bus.RecordingErrors;
import io.lmcache.observability.catalog.Gauges;
import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.catalog.PrometheusName;
import io.lmcache.observability.catalog.Unit;
import io.lmcache.observability.internal.support.Warnings;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.metrics.DoubleGaugeBuilder;
import io.opentelemetry.api.metrics.Meter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * The gauges of the catalogue and of the embedder, read by callbacks at each collection.
 *
 * <p>Any thread may register; callbacks run on the collecting thread, guarded. A name is in use
 * when its Prometheus form is, with or without the unit: two that differ only in case or signs
 * would spoil the page, two that differ only in the unit the export.
 */
public final class GaugeRegistry implements Gauges {

  private static final Pattern NAME = Pattern.compile("[a-zA-Z][a-zA-Z0-9_./-]{0,254}");
  private static final Pattern UNIT = Pattern.compile("[!-~]{0,63}");
  private static final Pattern RESERVED =
      Pattern.compile("lmcache.*|target|(.*_)?(total|created|bucket|count|sum|info)");
  private static final String RULE =
      "a gauge's name starts with a letter, goes on with letters, digits, '_', '.', '-' or '/', has"
          + " at most 255 characters, does not start with lmcache, is not target and does"
          + " not end in total, created, bucket, count, sum or info";

  private final Meter meter;
  private final Set<String> dropped;
  private final RecordingErrors errors;
  private final Warnings warnings = new Warnings();
  private final Map<String, Runnable> registered = new HashMap<>();
  private final Set<String> bareNames = new HashSet<>();
  private boolean closed;

  /**
   * @param dropped attributes that no series has
   */
  public GaugeRegistry(Meter meter, Set<String> dropped, RecordingErrors errors) {
    this.meter = meter;
    this.dropped = dropped;
    this.errors = errors;
  }

  /**
   * Checks what an embedder calls a gauge.
   *
   * @throws IllegalArgumentException with the rule that is broken
   */
  public static void check(String name, String unit, String description, DoubleSupplier callback) {
    if (name == null || !NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(RULE + ": " + shown(name));
    }
    if (unit == null || !UNIT.matcher(unit).matches()) {
      throw new IllegalArgumentException(
          "a gauge's unit has at most 63 printable ASCII characters and no space: " + shown(unit));
    }
    if (description == null || callback == null) {
      throw new IllegalArgumentException(
          "gauge " + name + " needs a description (it may be empty) and a callback");
    }
    String page = PrometheusName.key(PrometheusName.ofGauge(name, unit));
    if (RESERVED.matcher(page).matches()
        || RESERVED.matcher(PrometheusName.key(PrometheusName.ofGauge(name, ""))).matches()) {
      throw new IllegalArgumentException(RULE + ": " + shown(name));
    }
  }

  private static String shown(String text) {
    if (text == null) {
      return "null";
    }
    String printable = text.replaceAll("[^ -~]", "?");
    return '"' + (printable.length() > 300 ? printable.substring(0, 300) + "…" : printable) + '"';
  }

  /**
   * Registers a gauge of the embedder's own; a value that is not finite is left out and counted.
   *
   * @throws IllegalArgumentException with the rule that is broken
   * @throws IllegalStateException if its name is in use
   */
  public Registration register(
      String name, String unit, String description, DoubleSupplier callback) {
    check(name, unit, description, callback);
    Reading reading =
        new Reading(
            name, List.of(), true, measurement -> measurement.record(callback.getAsDouble()));
    String page = PrometheusName.ofGauge(name, unit);
    return register(
        name,
        page,
        () ->
            builder(name, unit, description)
                    .buildWithCallback(out -> reading.read((value, set) -> out.record(value, set)))
                ::close);
  }

  @Override
  public Registration register(Metric gauge, Callback callback) {
    Reading reading = new Reading(gauge.name(), gauge.attributes(), false, callback);
    DoubleGaugeBuilder builder = builder(gauge.name(), gauge.unit().otel(), gauge.description());
    boolean fraction = gauge.unit() == Unit.RATIO || gauge.unit() == Unit.SECONDS;
    return register(
        gauge.name(),
        gauge.prometheusName(),
        () ->
            fraction
                ? builder.buildWithCallback(out -> reading.read((v, set) -> out.record(v, set)))
                    ::close
                : builder
                        .ofLongs()
                        .buildWithCallback(
                            out -> reading.read((v, set) -> out.record(v.longValue(), set)))
                    ::close);
  }

  private DoubleGaugeBuilder builder(String name, String unit, String description) {
    return meter.gaugeBuilder(name).setUnit(unit).setDescription(description);
  }

  /** Builds an instrument under a name that is not in use yet. */
  private synchronized Registration register(
      String name, String page, Supplier<Runnable> instrument) {
    if (closed) {
      return () -> {};
    }
    String key = PrometheusName.key(page);
    String bare = PrometheusName.key(PrometheusName.ofGauge(name, ""));
    if (registered.containsKey(key) || bareNames.contains(bare)) {
      throw new IllegalStateException(
          "gauge " + name + " is registered already; close its handle first");
    }
    Runnable removal = instrument.get();
    registered.put(key, removal);
    bareNames.add(bare);
    return () -> remove(key, bare, removal);
  }

  private synchronized void remove(String key, String bare, Runnable removal) {
    if (registered.remove(key, removal)) {
      bareNames.remove(bare);
      removal.run();
    }
  }

  /** Removes all callbacks; later ones are never read. */
  public synchronized void close() {
    closed = true;
    registered.values().forEach(Runnable::run);
    registered.clear();
  }

  /** One gauge's callback, guarded. */
  private final class Reading {

    private final String name;
    private final List<String> attributes;
    private final boolean signed;
    private final Callback callback;

    Reading(String name, List<String> attributes, boolean signed, Callback callback) {
      this.name = name;
      this.attributes = attributes;
      this.signed = signed;
      this.callback = callback;
    }

    /** Asks the callback and hands on its values once it has returned. */
    void read(BiConsumer<Double, Attributes> out) {
      Map<Attributes, Double> values = new LinkedHashMap<>();
      try {
        callback.observe(
            new Measurement() {
              @Override
              public void record(double value, String... labels) {
                if (!Double.isFinite(value) || (value < 0 && !signed)) {
                  failed(new IllegalArgumentException("not a usable value: " + value));
                } else if (Arrays.asList(labels).contains(null)) {
                  failed(new IllegalArgumentException("an attribute's value is null"));
                } else {
                  values.merge(attributes(labels), value, Double::sum);
                }
              }

              @Override
              public void failed(Throwable fault) {
                invalid(fault);
              }
            });
      } catch (Throwable fault) {
        invalid(fault);
        return;
      }
      values.forEach((set, value) -> out.accept(value, set));
    }

    private Attributes attributes(String[] labels) {
      AttributesBuilder builder = Attributes.builder();
      for (int i = 0; i < attributes.size(); i++) {
        if (!dropped.contains(attributes.get(i))) {
          builder.put(attributes.get(i), labels[i]);
        }
      }
      return builder.build();
    }

    private void invalid(Throwable fault) {
      errors.count(RecordingErrors.Reason.INVALID_VALUE);
      warnings.once(name, "gauge " + name + " lacks a value: its callback failed", fault);
    }
  }
}
