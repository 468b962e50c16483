package io.lmcache.observability.bench;

import io.lmcache.observability.Observability;
import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.producer.L1Manager;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.MpscArrayQueue;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What a publish costs its caller: a burst into an empty queue whose consumer is alive and asleep.
 *
 * <p>The yardstick is {@link #stampedOffer}: the least that a bus with stamps can do on top of a
 * JCTools queue. The consumers of both sides sleep for 4 ms at a time; they are woken between the
 * bursts, never by one.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(5)
public class PublishBenchmark {

  /** How many events make a burst. */
  static final int BURST = 1_024;

  private static final int SLOTS = 16_384;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** An event that carries its own stamp. */
  record Stamped(boolean triggered, double usage, double watermark, long epochNanos) {}

  private final MpscArrayQueue<Stamped> queue = new MpscArrayQueue<>(SLOTS);
  private final Observability observability =
      Observability.builder()
          .config(ObservabilityConfig.builder().maxQueueSize(SLOTS).build())
          .servePrometheus(false)
          .start();
  private final EventBus bus = observability.bus();
  private final L1Manager facade = observability.l1();
  private final long offset =
      TimeUnit.MILLISECONDS.toNanos(Instant.now().toEpochMilli()) - System.nanoTime();
  private final Thread consumer = new Thread(this::consume, "yardstick");
  private volatile boolean over;
  private double usage = 0.5;

  /** Starts both consumers. */
  @Setup
  public void start() {
    consumer.setDaemon(true);
    consumer.start();
  }

  private void consume() {
    while (!over) {
      while (queue.poll() != null) {
        // emptied in one go
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(4));
    }
  }

  /** Has both queues emptied, and gives the consumers time to fall asleep again. */
  @Setup(Level.Invocation)
  public void empty() {
    while (!queue.isEmpty()) {
      LockSupport.unpark(consumer);
      LockSupport.parkNanos(20_000);
    }
    bus.flush(PATIENCE);
    LockSupport.parkNanos(50_000);
  }

  /** Ends both consumers; an event lost to a full queue would spoil the figures. */
  @TearDown
  public void stop() {
    over = true;
    observability.close(PATIENCE);
    if (bus.dropped() > 0) {
      throw new IllegalStateException("dropped " + bus.dropped());
    }
  }

  /** The yardstick. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public boolean stampedOffer() {
    boolean accepted = true;
    for (int i = 0; i < BURST; i++) {
      accepted &= queue.offer(new Stamped(true, usage, 0.8, System.nanoTime() + offset));
    }
    return accepted;
  }

  /** The bus, with the subscribers that are there by default. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public boolean publish() {
    boolean accepted = true;
    for (int i = 0; i < BURST; i++) {
      accepted &= bus.publish(new L1Event.EvictionLoopTick(true, usage, 0.8));
    }
    return accepted;
  }

  /** The bus behind a facade. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public void facade() {
    for (int i = 0; i < BURST; i++) {
      facade.evictionLoopTicked(true, usage, 0.8);
    }
  }
}
