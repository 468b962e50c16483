package io.lmcache.observability.bench;

import io.lmcache.observability.Observability;
import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.ServerEvent;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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
 * Publishing events that make spans, with tracing off and on; time per event, in bursts after which
 * the bus is emptied. The exporter does nothing.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(5)
public class TracedPublishBenchmark {

  private static final int PAIRS = 512;
  private static final int SLOTS = 16_384;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** Whether spans are built. */
  @Param({"false", "true"})
  public boolean tracing;

  private Observability observability = Observability.noop();
  private EventBus bus = observability.bus();

  /** Starts the bus with its subscribers. */
  @Setup
  public void start() {
    ObservabilityConfig config =
        ObservabilityConfig.builder()
            .environment(Map.of("OTEL_BSP_MAX_QUEUE_SIZE", "1000000"))
            .systemProperties(Map.of())
            .maxQueueSize(SLOTS)
            .tracing(tracing)
            .build();
    observability =
        Observability.builder()
            .config(config)
            .servePrometheus(false)
            .spanExporter(new Discard())
            .start();
    bus = observability.bus();
  }

  /** Has the queue emptied, and gives the bus time to fall asleep again. */
  @Setup(Level.Invocation)
  public void empty() {
    bus.flush(PATIENCE);
    LockSupport.parkNanos(50_000);
  }

  /** Ends the bus; an event lost to a full queue would spoil the figures. */
  @TearDown
  public void stop() {
    observability.close(PATIENCE);
    if (bus.dropped() > 0) {
      throw new IllegalStateException("dropped " + bus.dropped());
    }
  }

  /** The beginnings and ends of copies. */
  @Benchmark
  @OperationsPerInvocation(2 * PAIRS)
  public boolean publish() {
    boolean accepted = true;
    for (int i = 0; i < PAIRS; i++) {
      accepted &= bus.publish(new ServerEvent.StoreStart("session", "cuda:0", "engine", "m"));
      accepted &= bus.publish(new ServerEvent.StoreEnd("session", "cuda:0", "engine", "m", 1, 1));
    }
    return accepted;
  }

  private static final class Discard implements SpanExporter {

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode flush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }
}
