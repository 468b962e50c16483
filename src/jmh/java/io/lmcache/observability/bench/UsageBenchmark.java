package io.lmcache.observability.bench;

import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.L2Event;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.usage.MpServerUsage;
import io.lmcache.observability.usage.UsageTelemetry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What usage telemetry adds to a publish, with and without its three reporters.
 *
 * <p>One event in four is one that the reporters hear; {@code heard} lets them hear all. The sender
 * throws the reports away.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(5)
public class UsageBenchmark {

  /** How many events make a burst. */
  static final int BURST = 16_384;

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Event SILENT = new L1Event.EvictionLoopTick(true, 0.5, 0.8);
  private static final List<Event> HEARD =
      List.of(
          new ServerEvent.StoreEnd("s", "cuda:0", "e", "m", 4, 1 << 20),
          new ServerEvent.RetrieveEnd("s", "cuda:0", "e", "m", "", 4, 1 << 20),
          new L2Event.StoreCompleted(0, 1, "fs", 4, 0, Map.of("", 4L), 1 << 20),
          new L2Event.LoadTaskSubmitted(1, 0, 1, "fs", 4, 1 << 20));

  /** Whether usage telemetry is on. */
  @Param({"false", "true"})
  public boolean usage;

  /** Whether the reporters hear every event, or one in four. */
  @Param({"false", "true"})
  public boolean heard;

  private final Event[] events = new Event[BURST];
  private final EventBus bus = EventBus.create(2 * BURST);

  /** Starts the bus, whose own subscriber looks at every event, and the telemetry. */
  @Setup
  public void start() {
    for (int i = 0; i < BURST; i++) {
      events[i] = heard || i % 4 == 0 ? HEARD.get(i / 4 % 4) : SILENT;
    }
    long[] seen = {0};
    bus.subscribe(Event.class, "seen", (event, epochNanos) -> seen[0] += epochNanos);
    if (usage) {
      UsageTelemetry.startMpServer(
          bus,
          MpServerUsage.setup().chunkSize(256).maxBufferedSamples(1 << 16),
          UsageTelemetry.options()
              .environment(Map.<String, String>of()::get)
              .home(Path.of("target"))
              .url("http://127.0.0.1:1")
              .sender((target, json) -> {}));
    }
    bus.start();
  }

  /** Empties the queue. */
  @Setup(Level.Invocation)
  public void empty() {
    bus.flush(PATIENCE);
  }

  /** Ends the bus; an event lost to a full queue would spoil the figures. */
  @TearDown
  public void stop() {
    bus.stop(PATIENCE);
    if (bus.dropped() > 0) {
      throw new IllegalStateException("dropped " + bus.dropped());
    }
  }

  /** A publish. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public boolean publish() {
    boolean accepted = true;
    for (Event event : events) {
      accepted &= bus.publish(event);
    }
    return accepted;
  }
}
