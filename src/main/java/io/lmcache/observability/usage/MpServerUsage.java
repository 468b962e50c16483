package io.lmcache.observability.usage;

import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.bus.Subscription;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.internal.support.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The usage telemetry of a cache server: a report at the start, and one every interval, made of the
 * events of the bus and of two probes.
 *
 * <p>Any thread may call any method; none throws. Stopping the bus ends it: what is left is sent,
 * for which the bus waits half a second at most. A report that fails is lost, as the gap in its
 * {@code sequence_number} shows; nothing is kept for later.
 */
public final class MpServerUsage implements AutoCloseable {

  private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(500);

  /** How full L1 is. */
  public record L1Usage(long bytesUsed, long capacityBytes) {}

  /**
   * How full the L2 adapters of one type are.
   *
   * @param l2Name the type, such as {@code fs}
   * @param capacityBytes what those with a bound may hold; 0 when none has one
   * @param unboundedAdapters how many have no bound
   */
  public record L2Usage(
      String l2Name, long bytesUsed, long capacityBytes, long unboundedAdapters) {}

  /** What L1 is made of. */
  public enum L1Medium {
    DRAM("dram"),
    GDS("gds"),
    DRAM_DEVDAX("dram+devdax");

    private final String wireName;

    L1Medium(String wireName) {
      this.wireName = wireName;
    }
  }

  /**
   * How a field of the continuous report is made of events: one sample an event, the samples of an
   * interval reduced to one value. Samples and values that are negative, and what throws, are
   * skipped and counted.
   *
   * @param event the class of the events, a record or an interface above
   * @param field the field's name on the wire
   * @param extract the sample of an event; it runs on the drain thread
   * @param reduce the value of the samples, of which there may be none; it runs on the flushing
   *     thread
   */
  public record MetricSpec<E extends Event>(
      Class<E> event,
      String field,
      ToLongFunction<? super E> extract,
      ToLongFunction<long[]> reduce) {

    public MetricSpec {
      Objects.requireNonNull(event, "event");
      Objects.requireNonNull(field, "field");
      Objects.requireNonNull(extract, "extract");
      Objects.requireNonNull(reduce, "reduce");
    }

    /** The sum, at most the largest long. */
    public static long sum(long[] samples) {
      long sum = 0;
      for (long sample : samples) {
        sum = Values.plus(sum, sample);
      }
      return sum;
    }

    /** What is reported by default, of the transfers that the cache itself drives. */
    public static List<MetricSpec<?>> defaults(long chunkSize) {
      return List.of(
          new MetricSpec<>(
              ServerEvent.RetrieveEnd.class,
              "interval_num_hit_tokens",
              end -> Math.multiplyExact(end.retrievedCount(), chunkSize),
              MetricSpec::sum),
          new MetricSpec<>(
              ServerEvent.StoreEnd.class,
              "interval_num_stored_tokens",
              end -> Math.multiplyExact(end.storedCount(), chunkSize),
              MetricSpec::sum),
          new MetricSpec<>(
              ServerEvent.StoreEnd.class,
              "interval_stored_kv_size",
              ServerEvent.StoreEnd::totalBytes,
              MetricSpec::sum));
    }

    /** Of an event of the class. */
    @SuppressWarnings("unchecked")
    long sample(Event ofTheClass) {
      return extract.applyAsLong((E) ofTheClass);
    }

    /** Refuses specifications that do not fill each field once. */
    static void check(List<MetricSpec<?>> specs) {
      List<String> given = specs.stream().map(MetricSpec::field).sorted().toList();
      List<String> wanted =
          UsageMessage.ContinuousContextMessage.metricFields().stream().sorted().toList();
      if (!given.equals(wanted)) {
        throw new IllegalArgumentException(
            "metric specifications must fill each of " + wanted + " once, but fill " + given);
      }
    }
  }

  private final Outbox outbox;
  private final AtomicLong skipped = new AtomicLong();
  private final List<Subscription> subscriptions = new ArrayList<>();
  private final Worker worker;
  private final ContinuousUsageReporter continuous;
  private final List<Reporters.Reporter> reporters;

  private MpServerUsage(Setup setup, UsageTelemetry.Options options) {
    this.outbox = new Outbox(options, "mp_server");
    Clock clock = options.telemetryClock();
    UsageMessage server = setup.message();
    this.worker =
        new Worker(
            outbox,
            () -> {
              EnvProbe.report(options, outbox);
              outbox.send(server);
            },
            this::flush,
            options.intervalNanos(),
            clock);
    this.continuous =
        new ContinuousUsageReporter(
            outbox, worker, clock, skipped, setup.specs(), setup.maxBufferedSamples);
    this.reporters =
        List.of(
            continuous,
            new Reporters.L2ConnectorUsageReporter(outbox, worker, clock, skipped, setup.l2Usage),
            new Reporters.L1UsageReporter(outbox, worker, clock, setup.l1Usage));
  }

  static MpServerUsage start(EventBus bus, Setup setup, UsageTelemetry.Options options) {
    MpServerUsage usage = new MpServerUsage(setup, options);
    try {
      if (bus.isEnabled()) {
        usage.reporters.forEach(reporter -> usage.subscriptions.add(bus.register(reporter)));
      }
      usage.worker.start();
    } catch (Throwable noThread) {
      usage.subscriptions.forEach(Subscription::close);
      throw noThread;
    }
    if (!bus.isEnabled()) {
      usage.worker.stop();
    }
    return usage;
  }

  private void flush(boolean due) {
    if (!due) {
      continuous.flush();
      return;
    }
    reporters.forEach(reporter -> outbox.guarded("a flush", reporter::flush));
  }

  /** How many samples were dropped because the buffer was full. */
  public long droppedSamples() {
    return continuous.dropped();
  }

  /** How many values of events were not usable. */
  public long skippedValues() {
    return skipped.get();
  }

  /**
   * Ends it and sends what is left, if there is time; for use before, instead of, or after the stop
   * of the bus.
   *
   * @return whether its thread ended in time; else what is on its way was abandoned
   */
  public boolean close(Duration timeout) {
    subscriptions.forEach(Subscription::close);
    return worker.stop(timeout);
  }

  /** {@link #close(Duration)} within half a second. */
  @Override
  public void close() {
    close(CLOSE_TIMEOUT);
  }

  /** Says what a cache server is. */
  public static Setup setup() {
    return new Setup();
  }

  /** What a cache server says of itself; what is not set is empty, 0 or false. */
  public static final class Setup {

    private static final int MAX_BUFFERED_SAMPLES = 65_536;
    private static final int MOST_BUFFERED_SAMPLES = 1 << 24;

    private @Nullable String version;
    private long chunkSize;
    private @Nullable String hashAlgorithm;
    private @Nullable String engineType;
    private boolean enableSegmentedPrefix;
    private @Nullable String supportedTransferMode;
    private boolean separateObjectGroups;
    private long maxGpuWorkers;
    private long maxCpuWorkers;
    private boolean p2pEnabled;
    private long l1SizeBytes;
    private L1Medium l1Medium = L1Medium.DRAM;
    private boolean l1ShmEnabled;
    private @Nullable String evictionPolicy;
    private final List<String> l2AdapterTypes = new ArrayList<>();
    private final List<String> l2SerdeTypes = new ArrayList<>();
    private @Nullable String l2StorePolicy;
    private @Nullable String l2PrefetchPolicy;
    private @Nullable Supplier<@Nullable L1Usage> l1Usage;
    private @Nullable Supplier<? extends Collection<L2Usage>> l2Usage;
    private @Nullable List<MetricSpec<?>> specs;
    private int maxBufferedSamples = MAX_BUFFERED_SAMPLES;

    private Setup() {}

    /** The version of the server. */
    public Setup version(@Nullable String version) {
      this.version = version;
      return this;
    }

    /** Tokens in a chunk, by which chunks are turned into tokens. */
    public Setup chunkSize(long tokens) {
      this.chunkSize = tokens;
      return this;
    }

    /** How chunks are hashed. */
    public Setup hashAlgorithm(@Nullable String algorithm) {
      this.hashAlgorithm = algorithm;
      return this;
    }

    /** The kind of cache engine. */
    public Setup engineType(@Nullable String type) {
      this.engineType = type;
      return this;
    }

    /** Whether prefixes may be segmented. */
    public Setup enableSegmentedPrefix(boolean enabled) {
      this.enableSegmentedPrefix = enabled;
      return this;
    }

    /** How engine and server exchange data. */
    public Setup supportedTransferMode(@Nullable String mode) {
      this.supportedTransferMode = mode;
      return this;
    }

    /** Whether object groups are kept apart. */
    public Setup separateObjectGroups(boolean separate) {
      this.separateObjectGroups = separate;
      return this;
    }

    /** The bounds on the workers. */
    public Setup maxWorkers(long gpu, long cpu) {
      this.maxGpuWorkers = gpu;
      this.maxCpuWorkers = cpu;
      return this;
    }

    /** Whether servers exchange chunks with each other. */
    public Setup p2pEnabled(boolean enabled) {
      this.p2pEnabled = enabled;
      return this;
    }

    /** The configured L1. */
    public Setup l1(L1Medium medium, long sizeBytes, boolean sharedMemory) {
      this.l1Medium = Objects.requireNonNull(medium, "medium");
      this.l1SizeBytes = sizeBytes;
      this.l1ShmEnabled = sharedMemory;
      return this;
    }

    /** How L1 makes room. */
    public Setup evictionPolicy(@Nullable String policy) {
      this.evictionPolicy = policy;
      return this;
    }

    /** Adds an L2 adapter: its type and the type of its serialiser, null for none. */
    public Setup l2Adapter(String type, @Nullable String serde) {
      l2AdapterTypes.add(Values.type(type));
      l2SerdeTypes.add(Values.type(serde));
      return this;
    }

    /** What is stored in L2, and what is loaded from it. */
    public Setup l2Policies(@Nullable String store, @Nullable String prefetch) {
      this.l2StorePolicy = store;
      this.l2PrefetchPolicy = prefetch;
      return this;
    }

    /** Asked for the occupation of L1 at each flush, on the flushing thread. */
    public Setup l1Usage(Supplier<@Nullable L1Usage> probe) {
      this.l1Usage = Objects.requireNonNull(probe, "probe");
      return this;
    }

    /** Asked for the types of L2 adapters that are there at each flush, on the flushing thread. */
    public Setup l2Usage(Supplier<? extends Collection<L2Usage>> probe) {
      this.l2Usage = Objects.requireNonNull(probe, "probe");
      return this;
    }

    /**
     * What the continuous report is made of, instead of {@link MetricSpec#defaults}.
     *
     * @throws IllegalArgumentException if a field is filled twice or by none
     */
    public Setup metrics(List<MetricSpec<?>> specs) {
      MetricSpec.check(specs);
      this.specs = List.copyOf(specs);
      return this;
    }

    /**
     * How many samples wait for a flush; 65,536 by default, nine bytes each. The one that fills the
     * buffer causes an early flush; what does not fit is dropped and counted.
     *
     * @throws IllegalArgumentException if it is not in 1 … 16,777,216
     */
    public Setup maxBufferedSamples(int samples) {
      if (samples < 1 || samples > MOST_BUFFERED_SAMPLES) {
        throw new IllegalArgumentException("maxBufferedSamples is out of range: " + samples);
      }
      this.maxBufferedSamples = samples;
      return this;
    }

    private List<MetricSpec<?>> specs() {
      return specs == null ? MetricSpec.defaults(chunkSize) : specs;
    }

    UsageMessage message() {
      return new UsageMessage.MPServerMessage(
          Values.text(version),
          chunkSize,
          Values.text(hashAlgorithm),
          Values.text(engineType),
          enableSegmentedPrefix,
          Values.text(supportedTransferMode),
          separateObjectGroups,
          maxGpuWorkers,
          maxCpuWorkers,
          p2pEnabled,
          l1SizeBytes,
          l1Medium.wireName,
          l1ShmEnabled,
          Values.text(evictionPolicy),
          l2AdapterTypes.stream().collect(Collectors.joining(",")),
          l2SerdeTypes.stream().collect(Collectors.joining(",")),
          Values.text(l2StorePolicy),
          Values.text(l2PrefetchPolicy));
    }
  }
}
