package io.lmcache.observability.usage;

import io.lmcache.observability.bus.Subscriber;
import io.lmcache.observability.event.CustomEvent;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.L2Event;
import io.lmcache.observability.internal.support.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The reporters of a cache server, of which {@link ContinuousUsageReporter} is one. Each is a
 * subscriber, so that the end of the bus ends it: the drain thread only counts and buffers, the
 * thread of the telemetry flushes.
 */
final class Reporters {

  private Reporters() {}

  /** What the thread of the telemetry flushes. */
  interface Reporter extends Subscriber {

    /** Sends the messages of the time since the previous flush. */
    void flush();
  }

  /** What the messages of one reporter have in common; used by the flushing thread only. */
  static final class Series {

    private final Clock clock;
    private final long start;
    private long previous;
    private long now;
    private long sequence;

    Series(Clock clock) {
      this.clock = clock;
      this.start = clock.epochNanos();
      this.previous = start;
      this.now = start;
    }

    /** A flush begins. */
    void begin() {
      previous = now;
      now = clock.epochNanos();
    }

    /** The number of the flush that has begun, which hands messages over. */
    long next() {
      return ++sequence;
    }

    double activeSeconds() {
      return Values.seconds(previous, now);
    }

    double uptimeSeconds() {
      return Values.seconds(start, now);
    }
  }

  /** Reports how full L1 is. It receives no event. */
  static final class L1UsageReporter implements Reporter {

    /** Nobody publishes it: a subscriber has to ask for something. */
    private interface Nothing extends CustomEvent {}

    private final Outbox outbox;
    private final Worker worker;
    private final Series series;
    private final @Nullable Supplier<MpServerUsage.@Nullable L1Usage> probe;

    L1UsageReporter(
        Outbox outbox,
        Worker worker,
        Clock clock,
        @Nullable Supplier<MpServerUsage.@Nullable L1Usage> probe) {
      this.outbox = outbox;
      this.worker = worker;
      this.series = new Series(clock);
      this.probe = probe;
    }

    @Override
    public List<Class<? extends Event>> events() {
      return List.of(Nothing.class);
    }

    @Override
    public void onEvent(Event event, long epochNanos) {}

    @Override
    public void flush() {
      series.begin();
      long[] usage = {-1, 0};
      if (probe != null) {
        outbox.guarded(
            "the probe of L1",
            () -> {
              MpServerUsage.L1Usage now = probe.get();
              if (now != null && now.bytesUsed() >= 0 && now.capacityBytes() >= 0) {
                usage[0] = now.bytesUsed();
                usage[1] = now.capacityBytes();
              }
            });
      }
      outbox.send(
          new UsageMessage.L1UsageMessage(
              series.activeSeconds(), usage[0], usage[1], series.next(), series.uptimeSeconds()));
    }

    @Override
    public void onStop() {
      worker.stopWithBus();
    }
  }

  /** Reports the traffic and the occupation of L2, by the type of the adapters. */
  static final class L2ConnectorUsageReporter implements Reporter {

    /* Implementation notes: the drain thread adds to running totals that only it writes; the
     * flushing thread reads them and remembers what it has read. A total may wrap around, the
     * difference cannot: a value that would make it too large is skipped. */

    private static final int STORED_BYTES = 0;
    private static final int STORED_KEYS = 1;
    private static final int FAILED_KEYS = 2;
    private static final int LOADED_KEYS = 3;
    private static final int LOADED_BYTES = 4;
    private static final int TOTALS = 5;

    /** How many names are told apart; the traffic of others is skipped. */
    private static final int MAX_NAMES = 64;

    /** The totals of one name, and how much of them has been sent. */
    private record Traffic(String l2Name, AtomicLongArray added, AtomicLongArray taken) {}

    /** A type of adapters in one flush. */
    private static final class Type {
      private final long[] traffic = new long[TOTALS];
      private long bytesUsed = -1;
      private long capacityBytes;
      private long unboundedAdapters;
    }

    private final Outbox outbox;
    private final Worker worker;
    private final Series series;
    private final AtomicLong skipped;
    private final @Nullable Supplier<? extends Collection<MpServerUsage.L2Usage>> probe;
    private volatile Traffic[] names = {};

    L2ConnectorUsageReporter(
        Outbox outbox,
        Worker worker,
        Clock clock,
        AtomicLong skipped,
        @Nullable Supplier<? extends Collection<MpServerUsage.L2Usage>> probe) {
      this.outbox = outbox;
      this.worker = worker;
      this.series = new Series(clock);
      this.skipped = skipped;
      this.probe = probe;
    }

    @Override
    public List<Class<? extends Event>> events() {
      return List.of(L2Event.StoreCompleted.class, L2Event.LoadTaskSubmitted.class);
    }

    @Override
    public void onEvent(Event event, long epochNanos) {
      if (event instanceof L2Event.StoreCompleted stored) {
        Traffic traffic = traffic(stored.l2Name());
        add(traffic, STORED_BYTES, stored.bytesTransferred());
        add(traffic, STORED_KEYS, stored.succeededCount());
        add(traffic, FAILED_KEYS, stored.failedCount());
      } else if (event instanceof L2Event.LoadTaskSubmitted load) {
        Traffic traffic = traffic(load.l2Name());
        add(traffic, LOADED_KEYS, load.keyCount());
        add(traffic, LOADED_BYTES, load.totalBytes());
      }
    }

    private @Nullable Traffic traffic(String l2Name) {
      Traffic[] known = names;
      for (Traffic traffic : known) {
        if (traffic.l2Name.equals(l2Name)) {
          return traffic;
        }
      }
      if (known.length == MAX_NAMES) {
        return null;
      }
      Traffic[] more = Arrays.copyOf(known, known.length + 1);
      more[known.length] =
          new Traffic(l2Name, new AtomicLongArray(TOTALS), new AtomicLongArray(TOTALS));
      names = more;
      return more[known.length];
    }

    private void add(@Nullable Traffic traffic, int total, long value) {
      if (traffic == null) {
        skipped.incrementAndGet();
        return;
      }
      long sum = traffic.added.getPlain(total) + value;
      if (sum - traffic.taken.getAcquire(total) < 0) {
        skipped.incrementAndGet();
      } else {
        traffic.added.setRelease(total, sum);
      }
    }

    @Override
    public void flush() {
      series.begin();
      Map<String, Type> types = new TreeMap<>();
      outbox.guarded("the probe of L2", () -> probed().forEach(usage -> merge(usage, types)));
      for (Traffic traffic : names) {
        take(traffic, types);
      }
      if (!types.isEmpty()) {
        long sequence = series.next();
        types.forEach((l2Name, type) -> outbox.send(message(l2Name, type, sequence)));
      }
    }

    /** All of it or, when it fails, nothing. */
    private List<MpServerUsage.L2Usage> probed() {
      return probe == null ? List.of() : new ArrayList<>(probe.get());
    }

    /** Adds adapters to those of their type; what they hold, only if it can be told. */
    private static void merge(MpServerUsage.@Nullable L2Usage usage, Map<String, Type> types) {
      if (usage == null) {
        return;
      }
      Type type = types.computeIfAbsent(Values.type(usage.l2Name()), name -> new Type());
      if (usage.bytesUsed() >= 0 && usage.capacityBytes() >= 0 && usage.unboundedAdapters() >= 0) {
        type.bytesUsed = Values.plus(Math.max(0, type.bytesUsed), usage.bytesUsed());
        type.capacityBytes = Values.plus(type.capacityBytes, usage.capacityBytes());
        type.unboundedAdapters = Values.plus(type.unboundedAdapters, usage.unboundedAdapters());
      }
    }

    private static void take(Traffic traffic, Map<String, Type> types) {
      for (int total = 0; total < TOTALS; total++) {
        long sum = traffic.added.getAcquire(total);
        long more = sum - traffic.taken.getPlain(total);
        traffic.taken.setRelease(total, sum);
        if (more > 0) {
          Type type = types.computeIfAbsent(Values.type(traffic.l2Name), name -> new Type());
          type.traffic[total] = Values.plus(type.traffic[total], more);
        }
      }
    }

    private UsageMessage message(String l2Name, Type type, long sequence) {
      return new UsageMessage.L2ConnectorUsageMessage(
          l2Name,
          series.activeSeconds(),
          type.traffic[STORED_BYTES],
          type.traffic[STORED_KEYS],
          type.traffic[FAILED_KEYS],
          type.traffic[LOADED_KEYS],
          type.traffic[LOADED_BYTES],
          type.bytesUsed,
          type.capacityBytes,
          type.unboundedAdapters,
          sequence,
          series.uptimeSeconds());
    }

    @Override
    public void onStop() {
      worker.stopWithBus();
    }
  }
}
