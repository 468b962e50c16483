package io.lmcache.observability.usage;

import io.lmcache.observability.event.Event;
import io.lmcache.observability.internal.support.Clock;
import io.lmcache.observability.usage.MpServerUsage.MetricSpec;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** Buffers one sample for each specification of an event, and reduces them at a flush. */
final class ContinuousUsageReporter implements Reporters.Reporter {

  /** The specifications for one class of events, by their number. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Route(Class<?> eventClass, int[] specs) {}

  private final Outbox outbox;
  private final Worker worker;
  private final Reporters.Series series;
  private final AtomicLong skipped;
  private final MetricSpec<?>[] specs;
  private final SampleRing ring;
  private Route[] routes = {};

  /**
   * A reporter.
   *
   * @throws IllegalArgumentException if the specifications do not cover the fields of the message
   */
  ContinuousUsageReporter(
      Outbox outbox,
      Worker worker,
      Clock clock,
      AtomicLong skipped,
      List<MetricSpec<?>> specs,
      int maxBufferedSamples) {
    MetricSpec.check(specs);
    this.outbox = outbox;
    this.worker = worker;
    this.series = new Reporters.Series(clock);
    this.skipped = skipped;
    this.specs = specs.toArray(MetricSpec<?>[]::new);
    this.ring = new SampleRing(maxBufferedSamples);
  }

  @Override
  public List<Class<? extends Event>> events() {
    return Arrays.stream(specs).<Class<? extends Event>>map(MetricSpec::event).distinct().toList();
  }

  @Override
  public void onEvent(Event event, long epochNanos) {
    for (int spec : specs(event.getClass())) {
      add(spec, event);
    }
  }

  /** The specifications for a class of events; of such classes there are few. */
  private int[] specs(Class<?> eventClass) {
    for (Route route : routes) {
      if (route.eventClass == eventClass) {
        return route.specs;
      }
    }
    int[] found =
        IntStream.range(0, specs.length)
            .filter(spec -> specs[spec].event().isAssignableFrom(eventClass))
            .toArray();
    routes = Arrays.copyOf(routes, routes.length + 1);
    routes[routes.length - 1] = new Route(eventClass, found);
    return found;
  }

  private void add(int spec, Event event) {
    long sample;
    try {
      sample = specs[spec].sample(event);
    } catch (Throwable badValue) {
      sample = -1;
    }
    if (sample < 0) {
      skipped.incrementAndGet();
    } else if (ring.add(spec, sample)) {
      worker.wake();
    }
  }

  long dropped() {
    return ring.dropped();
  }

  @Override
  public void flush() {
    series.begin();
    long[][] samples = ring.take(specs.length);
    List<String> fields = UsageMessage.ContinuousContextMessage.metricFields();
    long[] metrics = new long[specs.length];
    for (int spec = 0; spec < specs.length; spec++) {
      metrics[fields.indexOf(specs[spec].field())] = reduced(spec, samples[spec]);
    }
    outbox.send(
        UsageMessage.ContinuousContextMessage.of(metrics, series.next(), series.uptimeSeconds()));
  }

  /** What the specification makes of its samples; 0 if that is not usable. */
  private long reduced(int spec, long[] samples) {
    long[] value = {-1};
    outbox.guarded(
        "a metric specification", () -> value[0] = specs[spec].reduce().applyAsLong(samples));
    if (value[0] < 0) {
      skipped.incrementAndGet();
    }
    return Math.max(0, value[0]);
  }

  @Override
  public void onStop() {
    worker.stopWithBus();
  }

  /** A bounded buffer of samples with one thread that adds and one that takes; it never waits. */
  static final class SampleRing {

    /* Implementation notes: tail is written by the adding thread, after the sample, by release;
     * head by the taking thread, after it has copied the samples, by release. Each reads the
     * other's by acquire, the adding thread only when what it last saw is used up. */

    private final long[] values;
    private final byte[] specs;
    private final int mask;
    private final int bound;
    private final AtomicLong head = new AtomicLong();
    private final AtomicLong tail = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();
    private long seenHead;

    SampleRing(int bound) {
      int slots = bound == 1 ? 1 : Integer.highestOneBit(bound - 1) << 1;
      this.bound = bound;
      this.values = new long[slots];
      this.specs = new byte[slots];
      this.mask = slots - 1;
    }

    /** Adds a sample, or drops and counts it; whether it has just become full. */
    boolean add(int spec, long value) {
      long at = tail.getPlain();
      if (at - seenHead >= bound - 1) {
        seenHead = head.getAcquire();
        if (at - seenHead >= bound) {
          dropped.setRelease(dropped.getPlain() + 1);
          return false;
        }
      }
      values[(int) at & mask] = value;
      specs[(int) at & mask] = (byte) spec;
      tail.setRelease(at + 1);
      return at + 1 - seenHead == bound;
    }

    /** Takes all samples, sorted by their specification. */
    long[][] take(int count) {
      long from = head.getPlain();
      long to = tail.getAcquire();
      int[] sizes = new int[count];
      for (long at = from; at < to; at++) {
        sizes[specs[(int) at & mask]]++;
      }
      long[][] samples = new long[count][];
      Arrays.setAll(samples, spec -> new long[sizes[spec]]);
      Arrays.fill(sizes, 0);
      for (long at = from; at < to; at++) {
        int spec = specs[(int) at & mask];
        samples[spec][sizes[spec]++] = values[(int) at & mask];
      }
      head.setRelease(to);
      return samples;
    }

    long dropped() {
      return dropped.getAcquire();
    }
  }
}
