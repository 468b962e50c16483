package io.lmcache.observability.bench;

import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.ObjectKey;
import io.lmcache.observability.event.StorageEvent;
import io.lmcache.observability.internal.metrics.MetricsSubscriber;
import io.lmcache.observability.internal.support.SpanLookup;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What a key costs the drain thread: events of 256 keys of one salt through all metrics, at the
 * default sample rate.
 *
 * <p>The yardstick is {@link #plainLoop}: reading each key's salt and folding every byte of its
 * hash.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(5)
public class CorrelationBenchmark {

  /** How many keys an event has. */
  static final int KEYS = 256;

  private static final int EVENTS = 16;
  private static final int HASH_BYTES = 32;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final List<List<ObjectKey>> keys =
      IntStream.range(0, EVENTS).mapToObj(CorrelationBenchmark::keys).toList();
  private final List<L1Event.ReadFinished> reads =
      keys.stream().map(L1Event.ReadFinished::new).toList();
  private final List<StorageEvent.ReadPrefetchedFinished> storageReads =
      keys.stream().map(of -> new StorageEvent.ReadPrefetchedFinished(of, List.of())).toList();
  private final MetricsSubscriber metrics =
      new MetricsSubscriber(
          SdkMeterProvider.builder()
              .registerMetricReader(InMemoryMetricReader.create())
              .build()
              .get("benchmark"),
          ObservabilityConfig.builder().environment(Map.of()).systemProperties(Map.of()).build(),
          true,
          EventBus.create(1).recordingErrors(),
          new SpanLookup());
  private int next;
  private long now = SECOND;

  private static List<ObjectKey> keys(int event) {
    Random random = new Random(event);
    return IntStream.range(0, KEYS)
        .mapToObj(
            i -> {
              byte[] hash = new byte[HASH_BYTES];
              random.nextBytes(hash);
              return ObjectKey.of("llama-3.1-8b", "tenant-7", hash, 0);
            })
        .toList();
  }

  /** Starts the lives of the chunks that are in the sample. */
  @Setup
  public void write() {
    for (List<ObjectKey> of : keys) {
      metrics.onEvent(new L1Event.WriteFinished(of), now);
      metrics.onEvent(new StorageEvent.WriteFinished(of, List.of()), now);
    }
  }

  private int turn() {
    next = (next + 1) % EVENTS;
    now += SECOND;
    return next;
  }

  /** The yardstick. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long plainLoop() {
    long folded = 0;
    for (ObjectKey key : keys.get(turn())) {
      folded += key.cacheSalt().length();
      for (byte b : key.chunkHash()) {
        folded = 31 * folded + b;
      }
    }
    return folded;
  }

  /** A read from L1. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public void l1Read() {
    metrics.onEvent(reads.get(turn()), now);
  }

  /** A read through the storage manager. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public void storageRead() {
    metrics.onEvent(storageReads.get(turn()), now);
  }
}
