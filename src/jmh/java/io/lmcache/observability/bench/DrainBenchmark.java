package io.lmcache.observability.bench;

import io.lmcache.observability.Observability;
import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.CustomEvent;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.testing.SampleEvents;
import io.lmcache.observability.usage.MpServerUsage;
import io.lmcache.observability.usage.UsageTelemetry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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
 * What draining an event costs, alone, with logging at INFO, where no event is printed, and with
 * usage telemetry.
 *
 * <p>The drain thread is held at a gate while the queue is filled with events of all kinds; what is
 * timed is from the gate's opening until the last of them is through. Both sides of a comparison
 * differ in nothing but these subscribers.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(5)
public class DrainBenchmark {

  /** How many events are drained at a time. */
  static final int BATCH = 65_536;

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** What hears the events: {@code nothing}, {@code logging} or {@code usage}. */
  @Param({"nothing", "logging", "usage"})
  public String with = "";

  /** Whether they are counted as well, as they are by default. */
  @Param({"false", "true"})
  public boolean metrics;

  /** Holds the drain thread until it may go on. */
  private record Gate() implements CustomEvent {}

  /** Tells that the drain thread got here. */
  private record End() implements CustomEvent {}

  private final Event[] events =
      Stream.generate(new SampleEvents(1)::next).limit(1_024).toArray(Event[]::new);
  private Observability observability = Observability.noop();
  private volatile CountDownLatch held = new CountDownLatch(1);
  private volatile CountDownLatch open = new CountDownLatch(1);
  private volatile CountDownLatch done = new CountDownLatch(1);

  /** Starts the drain thread. */
  @Setup
  public void start() {
    observability =
        Observability.builder()
            .config(
                ObservabilityConfig.builder()
                    .maxQueueSize(BATCH + 2)
                    .logging(with.equals("logging"))
                    .metrics(metrics)
                    .build())
            .servePrometheus(false)
            .start();
    EventBus bus = observability.bus();
    if (with.equals("usage")) {
      UsageTelemetry.startMpServer(
          bus,
          MpServerUsage.setup().chunkSize(256),
          UsageTelemetry.options()
              .environment(Map.<String, String>of()::get)
              .home(Path.of("target"))
              .url("http://127.0.0.1:1")
              .sender((target, json) -> {}));
    }
    bus.subscribe(
        Gate.class,
        "gate",
        (gate, at) -> {
          held.countDown();
          open.await();
        });
    bus.subscribe(End.class, "end", (end, at) -> done.countDown());
  }

  /** Closes the gate and fills the queue behind it. */
  @Setup(Level.Invocation)
  public void fill() throws InterruptedException {
    held = new CountDownLatch(1);
    open = new CountDownLatch(1);
    done = new CountDownLatch(1);
    EventBus bus = observability.bus();
    bus.publish(new Gate());
    held.await();
    for (int i = 0; i < BATCH; i++) {
      bus.publish(events[i % events.length]);
    }
    bus.publish(new End());
  }

  /** Ends the drain thread; an event lost to a full queue would spoil the figures. */
  @TearDown
  public void stop() {
    observability.close(PATIENCE);
    if (observability.bus().dropped() > 0) {
      throw new IllegalStateException("dropped " + observability.bus().dropped());
    }
  }

  /** Drains what is queued; both threads sleep while the other works. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public void drain() throws InterruptedException {
    open.countDown();
    done.await();
  }
}
