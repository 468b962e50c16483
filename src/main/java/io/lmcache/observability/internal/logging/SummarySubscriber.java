package io.lmcache.observability.internal.logging;

import io.lmcache.observability.bus.Subscriber;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.internal.support.Durations;
import io.lmcache.observability.internal.support.Warnings;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Says at INFO, once an interval, how the server is doing.
 *
 * <p>Works on the drain thread, by the clock of the bus; the last, incomplete interval is not told.
 * A line tells the time that it really covers. Of what did not happen it says {@code -}, and so of
 * the throughput when the clock was set back, since then nobody knows how long it took. Devices
 * beyond 64 in one interval are summed up as {@code other}.
 */
public final class SummarySubscriber implements Subscriber {

  private static final String NOTHING = "-";
  private static final String OTHER = "other";
  private static final int MAX_DEVICES = 64;
  private static final int LONGEST_DEVICE = 64;
  private static final long STEP_BACK_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final double BYTES_PER_GB = 1e9;

  private final Logger logger = LoggerFactory.getLogger(Warnings.LOGGER);
  private final long intervalNanos;
  private final LongSupplier dropped;
  private final Map<String, Double> stored = new TreeMap<>();
  private final Map<String, Double> retrieved = new TreeMap<>();
  private boolean running;
  private long begin;
  private long latest;
  private long requests;
  private double requestedTokens;
  private double hitTokens;
  private double l1Usage = Double.NaN;
  private long droppedBefore;

  /**
   * @param dropped how many events the bus has dropped so far
   */
  public SummarySubscriber(Duration interval, LongSupplier dropped) {
    this.intervalNanos = Durations.toNanos(interval);
    this.dropped = dropped;
  }

  @Override
  public List<Class<? extends Event>> events() {
    return List.of(
        ServerEvent.RequestStart.class,
        ServerEvent.LookupPrefetchEnd.class,
        ServerEvent.StoreEnd.class,
        ServerEvent.RetrieveEnd.class,
        L1Event.EvictionLoopTick.class);
  }

  @Override
  public void onEvent(Event event, long epochNanos) {
    if (event instanceof ServerEvent.RequestStart) {
      requests++;
    } else if (event instanceof ServerEvent.LookupPrefetchEnd lookup) {
      requestedTokens += lookup.requestedTokens();
      hitTokens += lookup.hitTokens();
    } else if (event instanceof ServerEvent.StoreEnd store) {
      add(stored, store.device(), store.totalBytes());
    } else if (event instanceof ServerEvent.RetrieveEnd retrieve) {
      add(retrieved, retrieve.device(), retrieve.totalBytes());
    } else if (event instanceof L1Event.EvictionLoopTick tick) {
      l1Usage = tick.usage();
    }
  }

  private static void add(Map<String, Double> bytes, String device, long more) {
    boolean known = bytes.containsKey(device) || bytes.size() < MAX_DEVICES;
    bytes.merge(known ? device : OTHER, (double) more, Double::sum);
  }

  @Override
  public void onTick(long epochNanos) {
    boolean setBack = running && epochNanos < latest - STEP_BACK_NANOS;
    latest = epochNanos;
    if (running && !setBack && epochNanos - begin < intervalNanos) {
      return;
    }
    double seconds = setBack ? 0 : (epochNanos - begin) / (double) TimeUnit.SECONDS.toNanos(1);
    boolean told = running;
    running = true;
    begin = epochNanos;
    if (told) {
      tell(seconds);
    }
  }

  /** Tells the interval and begins the next, even when the backend throws. */
  private void tell(double seconds) {
    long droppedNow = dropped.getAsLong();
    try {
      if (logger.isInfoEnabled()) {
        new LogLine(logger, Level.INFO, "summary")
            .add("interval_s", known(seconds, seconds > 0))
            .add("requests", requests)
            .add("hit_rate", known(hitTokens / requestedTokens, requestedTokens > 0))
            .add("l1_usage", known(l1Usage, !Double.isNaN(l1Usage)))
            .addSafe("store_gb_per_s", rates(stored, seconds))
            .addSafe("retrieve_gb_per_s", rates(retrieved, seconds))
            .add("dropped_events", droppedNow - droppedBefore)
            .log();
      }
    } finally {
      droppedBefore = droppedNow;
      requests = 0;
      requestedTokens = 0;
      hitTokens = 0;
      stored.clear();
      retrieved.clear();
    }
  }

  private static Object known(double value, boolean isKnown) {
    return isKnown ? Math.round(value * 1e3) / 1e3 : NOTHING;
  }

  /** The throughput of each device, in the form of a list. */
  private static String rates(Map<String, Double> bytes, double seconds) {
    if (bytes.isEmpty() || seconds <= 0) {
      return NOTHING;
    }
    StringJoiner rates = new StringJoiner(",", "[", "]");
    bytes.forEach(
        (device, sum) ->
            rates.add(
                SafeText.item(device, LONGEST_DEVICE)
                    + String.format(Locale.ROOT, ":%.3f", sum / seconds / BYTES_PER_GB)));
    return rates.toString();
  }
}
