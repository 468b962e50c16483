package io.lmcache.observability.internal.metrics.correlation;

import io.lmcache.observability.bus.EventHandler;
import io.lmcache.observability.bus.RecordingErrors;
import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.internal.support.Warnings;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All that correlates events: lifetimes, reuse and throughput.
 *
 * <p>Works on the drain thread. Each part is bounded; what it drops at a bound is counted.
 */
public final class Trackers {

  /** Remembers earlier events, within a bound, to make samples of later ones. */
  interface Tracker {

    /** The value of the {@code tracker} attribute. */
    String name();

    /** Says which events it handles. */
    void register(Routes routes);

    /** Lets go of what is over by a time of {@link Ages}. */
    default void onTick(long age) {}

    /** How much it dropped at its bounds and age limits; any thread may ask. */
    long evictions();
  }

  /** Who calls the handlers of events. */
  interface Routes {
    <E extends Event> void on(Class<E> event, EventHandler<? super E> handler);
  }

  /**
   * How long before the last access an access may be stamped and still count as one at the same
   * time. Producers that race are apart by microseconds; a clock that is put back, by more.
   */
  static final long MAX_INVERSION_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final List<Tracker> trackers;
  private final Ages ages = new Ages();

  /**
   * @param histograms where the samples of a row go
   */
  public Trackers(
      ObservabilityConfig config,
      Function<Metric, Samples> histograms,
      RecordingErrors errors,
      Warnings warnings) {
    Faults faults = new Faults(errors, warnings);
    this.trackers =
        List.of(
            new L1Lifecycle(config, histograms, faults, ages),
            new RealReuse(config, histograms, faults),
            new BlockLifecycle(config, histograms),
            new CopyThroughput(config, histograms, faults, ages),
            new TransferThroughput(config, histograms, faults, ages));
  }

  /**
   * The time that an access counts as made at. Events are handled in the order in which they were
   * queued, which need not be that of their stamps. So that no time counts twice, an access is
   * never before the last one, unless by more than {@link #MAX_INVERSION_NANOS}: then its gap is
   * negative, which is an invalid value, and the next one counts from there.
   */
  static long inOrder(long last, long epochNanos) {
    boolean isLate = epochNanos < last && last - epochNanos <= MAX_INVERSION_NANOS;
    return isLate ? last : epochNanos;
  }

  /** Hands over the handlers, each with the class of its events. */
  public void register(BiConsumer<Class<? extends Event>, EventHandler<Event>> handlers) {
    Routes routes =
        new Routes() {
          @Override
          public <E extends Event> void on(Class<E> event, EventHandler<? super E> handler) {
            handlers.accept(event, (e, stamp) -> handler.handle(event.cast(e), stamp));
          }
        };
    trackers.forEach(tracker -> tracker.register(routes));
  }

  /** Lets time pass: what is over by then, with no event to say so, is. */
  public void onTick(long epochNanos) {
    long age = ages.tick(epochNanos);
    for (Tracker tracker : trackers) {
      tracker.onTick(age);
    }
  }

  /** What was dropped, by tracker, zeros included; any thread may ask. */
  public Map<String, Long> evictions() {
    Map<String, Long> evictions = new TreeMap<>();
    trackers.forEach(tracker -> evictions.put(tracker.name(), tracker.evictions()));
    return evictions;
  }

  /**
   * The time that ages are told by: that which passes from tick to tick of the bus. Times of their
   * own that events bring do not move it, and it never goes back: when the clock of the bus is put
   * back, it goes on from where it was.
   */
  static final class Ages {

    /** An event that the bus stamped comes no later than this after a tick. */
    private static final long MAX_LAG_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private long lastTick;
    private long atLastTick;
    private long now;

    /** Moves on to a tick; the time then. */
    private long tick(long epochNanos) {
      atLastTick += Math.max(0, epochNanos - lastTick);
      lastTick = epochNanos;
      now = Math.max(now, atLastTick);
      return now;
    }

    /** The time at which an event came, whatever its stamp. */
    long at(long epochNanos) {
      long lag = epochNanos - lastTick;
      if (lag < MAX_LAG_NANOS) {
        now = Math.max(now, atLastTick + lag);
      }
      return now;
    }
  }

  /** Counts values that cannot be used and warns of the first of each tracker. */
  record Faults(RecordingErrors errors, Warnings warnings) {

    /** A key that lacks a fact of its identity. */
    void key(String tracker, Throwable fault) {
      invalid(tracker, "a key lacks a fact of its identity; " + tracker + " leaves it out", fault);
    }

    /** A transfer that ended no later than it began. */
    void duration(String tracker, long nanos) {
      invalid(tracker, "a transfer took " + nanos + " ns; " + tracker + " leaves it out", null);
    }

    private void invalid(String tracker, String message, @Nullable Throwable fault) {
      errors.count(RecordingErrors.Reason.INVALID_VALUE);
      warnings.once(tracker, message, fault);
    }
  }
}
