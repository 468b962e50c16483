package io.lmcache.observability.catalog;

import io.lmcache.observability.event.Event;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * One row of the catalogue: a metric and how it comes about.
 *
 * <p>A row is plain, immutable data. The instruments, the dispatch of events to them, their
 * buckets, the names on the Prometheus page and METRICS.md are all made from it.
 *
 * @param name the OpenTelemetry name
 * @param prometheusBase the name that the Prometheus name is made from; nearly always the same
 * @param attributes the names of the attributes, each a string
 * @param sources the events that move it; empty for one that a callback reads
 * @param buckets the upper bounds of a histogram's buckets; else empty
 * @param additional whether it stands beside the contract's table
 * @param description one sentence, shown by the backends
 * @param calculation how its value comes about
 * @param question what it answers
 * @param notes what to know before trusting it
 */
public record Metric(
    String name,
    String prometheusBase,
    Instrument instrument,
    Unit unit,
    List<String> attributes,
    List<Source<?>> sources,
    List<Double> buckets,
    boolean additional,
    String description,
    String calculation,
    String question,
    List<String> notes) {

  /** The name on the Prometheus page. */
  public String prometheusName() {
    return PrometheusName.of(prometheusBase, unit.suffix(), instrument.isCounter());
  }

  /** The rows of one area, in the order in which they are written down. */
  static final class Table {

    private final List<Metric> rows = new ArrayList<>();

    List<Metric> rows() {
      return rows;
    }

    Builder counter(String name, Unit unit, String description) {
      return new Builder(this, name, Instrument.COUNTER, unit, description);
    }

    Builder observableCounter(String name, Unit unit, String description) {
      return new Builder(this, name, Instrument.OBSERVABLE_COUNTER, unit, description);
    }

    Builder gauge(String name, Unit unit, String description) {
      return new Builder(this, name, Instrument.OBSERVABLE_GAUGE, unit, description);
    }

    Builder histogram(String name, Unit unit, List<Double> buckets, String description) {
      Builder builder = new Builder(this, name, Instrument.HISTOGRAM, unit, description);
      builder.buckets = buckets;
      return builder;
    }
  }

  /** The upper bounds of the histograms' buckets. */
  static final class Buckets {

    /** From a millisecond to a day. */
    static final List<Double> SECONDS =
        List.of(
            0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 60.0, 100.0, 300.0, 1_000.0,
            3_600.0, 10_000.0, 30_000.0, 86_400.0);

    /** From a hundredth of a gigabyte a second to a thousand of them. */
    static final List<Double> GIGABYTES_PER_SECOND =
        List.of(
            0.01, 0.03, 0.1, 0.3, 1.0, 2.0, 3.0, 5.0, 10.0, 15.0, 20.0, 30.0, 50.0, 100.0, 200.0,
            300.0, 500.0, 1_000.0);

    /** The powers of 4 up to 4<sup>15</sup>. */
    static final List<Double> CHUNKS =
        List.of(
            1.0,
            4.0,
            16.0,
            64.0,
            256.0,
            1_024.0,
            4_096.0,
            16_384.0,
            65_536.0,
            262_144.0,
            1_048_576.0,
            4_194_304.0,
            16_777_216.0,
            67_108_864.0,
            268_435_456.0,
            1_073_741_824.0);

    private Buckets() {}
  }

  /** Collects what a row says. */
  static final class Builder {

    private final Table table;
    private final String name;
    private final Instrument instrument;
    private final Unit unit;
    private final String description;
    private final Set<String> attributes = new LinkedHashSet<>();
    private final List<Source<?>> sources = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private String prometheusBase;
    private List<Double> buckets = List.of();
    private boolean additional;
    private String calculation = "";
    private String question = "";

    private Builder(
        Table table, String name, Instrument instrument, Unit unit, String description) {
      this.table = table;
      this.name = name;
      this.prometheusBase = name;
      this.instrument = instrument;
      this.unit = unit;
      this.description = description;
    }

    Builder answers(String text) {
      question = text;
      return this;
    }

    Builder note(String text) {
      notes.add(text);
      return this;
    }

    Builder calculated(String text) {
      calculation = text;
      return this;
    }

    Builder attributes(String... names) {
      attributes.addAll(List.of(names));
      return this;
    }

    Builder prometheusBase(String base) {
      prometheusBase = base;
      return this;
    }

    Builder additional() {
      additional = true;
      return this;
    }

    Builder add(Source<?> source) {
      sources.add(source);
      attributes.addAll(source.attributes());
      return this;
    }

    /** The events that a correlator turns into samples. */
    @SafeVarargs
    final Builder from(Class<? extends Event>... events) {
      for (Class<? extends Event> event : events) {
        sources.add(Source.correlated(event));
      }
      return this;
    }

    /** Enters the row into its table. */
    Metric row() {
      if (calculation.isEmpty() && !sources.isEmpty()) {
        calculation = sources.get(0).calculation();
      }
      Metric row =
          new Metric(
              name,
              prometheusBase,
              instrument,
              unit,
              List.copyOf(attributes),
              List.copyOf(sources),
              List.copyOf(buckets),
              additional,
              description,
              calculation,
              question,
              List.copyOf(notes));
      table.rows.add(row);
      return row;
    }
  }
}
