package io.lmcache.observability.usage;

import io.lmcache.observability.internal.support.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The usage telemetry of a cache inside a serving engine: a report at the start, and one each time
 * a tick finds the interval over.
 *
 * <p>Any thread may call any method; none throws. It remembers the sums of one interval and at most
 * one report that is still to be sent: while the server does not answer, reports are lost.
 */
public final class EngineUsage implements AutoCloseable {

  /** The upper bounds of the lifespan histogram, in minutes; the last is still below it. */
  static final int[] LIFESPAN_BOUNDS = {
    0, 1, 5, 10, 20, 40, 60, 80, 100, 250, 500, 750, 1000, 2500, 5000
  };

  private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(500);
  private static final int STANDARD_DIMENSIONS = 5;
  private static final int TOKEN_DIMENSION = 2;

  /** The two reports of an interval. */
  private record Interval(
      UsageMessage.ContinuousContextMessage usage, UsageMessage.CacheLifespanMessage lifespans) {}

  private final Outbox outbox;
  private final Clock clock;
  private final Worker worker;
  private final long intervalNanos;
  private final long bytesPerToken;
  private final long start;
  private final AtomicLong skipped = new AtomicLong();
  private final long[] lifespans = new long[LIFESPAN_BOUNDS.length];
  private long stored;
  private long hits;
  private long sequence;
  private long lastSent;
  private @Nullable Interval pending;

  EngineUsage(Setup setup, UsageTelemetry.Options options) {
    this.outbox = new Outbox(options, "single_process");
    this.clock = options.telemetryClock();
    this.intervalNanos = options.intervalNanos();
    this.bytesPerToken = bytesPerToken(setup.kvShape, setup.kvItemBytes);
    this.start = clock.epochNanos();
    UsageMessage engine = setup.message();
    this.worker =
        new Worker(outbox, () -> report(options, engine), due -> flush(), Worker.NEVER, clock);
    worker.start();
  }

  /** Bytes of the cache for one token; 0 when the shape is not the standard one. */
  static long bytesPerToken(int[] shape, int itemBytes) {
    if (shape.length != STANDARD_DIMENSIONS
        || itemBytes <= 0
        || Arrays.stream(shape).anyMatch(size -> size <= 0)) {
      return 0;
    }
    long bytes = itemBytes;
    for (int i = 0; i < shape.length; i++) {
      bytes = i == TOKEN_DIMENSION ? bytes : Values.times(bytes, shape[i]);
    }
    return bytes == Long.MAX_VALUE ? 0 : bytes;
  }

  private void report(UsageTelemetry.Options options, UsageMessage engine) {
    EnvProbe.report(options, outbox);
    outbox.send(engine);
    LocalDateTime startTime =
        LocalDateTime.ofInstant(
            Instant.ofEpochSecond(TimeUnit.NANOSECONDS.toSeconds(start)), ZoneId.systemDefault());
    outbox.send(
        new UsageMessage.MetadataMessage(
            startTime.format(DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss")),
            Values.seconds(start, clock.epochNanos())));
  }

  /**
   * Adds what happened since the last tick. A value that is negative, not a number or above 2^53 is
   * skipped and counted; a lifespan above 5000 minutes is left out.
   *
   * @param storedTokens tokens stored
   * @param hitTokens tokens served from the cache
   * @param lifespanMinutes how long chunks lived that are gone now, in minutes
   */
  public void tick(long storedTokens, long hitTokens, double... lifespanMinutes) {
    outbox.guarded("a tick", () -> add(storedTokens, hitTokens, lifespanMinutes));
  }

  private synchronized void add(long storedTokens, long hitTokens, double @Nullable [] minutes) {
    stored = plus(stored, storedTokens);
    hits = plus(hits, hitTokens);
    if (minutes != null) {
      for (double lifespan : minutes) {
        count(lifespan);
      }
    }
    long now = clock.epochNanos();
    lastSent = Math.min(lastSent, now); // the clock may be put back
    if (sequence == 0 || now - lastSent >= intervalNanos) {
      lastSent = now;
      sequence++;
      pending = interval(Values.seconds(start, now));
      stored = 0;
      hits = 0;
      Arrays.fill(lifespans, 0);
      worker.wake();
    }
  }

  private long plus(long sum, long value) {
    if (!Values.isCount(value)) {
      skipped.incrementAndGet();
      return sum;
    }
    return Values.plus(sum, value);
  }

  private void count(double minutes) {
    if (!(minutes >= 0)) {
      skipped.incrementAndGet();
      return;
    }
    int last = LIFESPAN_BOUNDS.length - 1;
    int i = 1;
    while (i < last && minutes >= LIFESPAN_BOUNDS[i]) {
      i++;
    }
    if (minutes <= LIFESPAN_BOUNDS[last]) {
      lifespans[i]++;
    }
  }

  private Interval interval(double uptime) {
    long[] metrics = {stored, hits, Values.times(stored, bytesPerToken)};
    return new Interval(
        UsageMessage.ContinuousContextMessage.of(metrics, sequence, uptime),
        new UsageMessage.CacheLifespanMessage(histogram(lifespans), sequence, uptime));
  }

  /** The counts under their bounds. */
  static Map<String, Long> histogram(long[] counts) {
    Map<String, Long> histogram = new LinkedHashMap<>();
    for (int i = 0; i < counts.length; i++) {
      histogram.put(Integer.toString(LIFESPAN_BOUNDS[i]), counts[i]);
    }
    return histogram;
  }

  private void flush() {
    Interval next = take();
    if (next != null) {
      outbox.send(next.usage());
      outbox.send(next.lifespans());
    }
  }

  private synchronized @Nullable Interval take() {
    Interval next = pending;
    pending = null;
    return next;
  }

  /** How many values of ticks were not usable. */
  public long skippedValues() {
    return skipped.get();
  }

  /**
   * Ends it. What the last ticks have added is not sent; a report that is on its way is, if there
   * is time.
   *
   * @return whether its thread ended in time; else what is on its way was abandoned
   */
  public boolean close(Duration timeout) {
    return worker.stop(timeout);
  }

  /** {@link #close(Duration)} within half a second. */
  @Override
  public void close() {
    close(CLOSE_TIMEOUT);
  }

  /** What an engine says of itself; what is not set is empty, 0 or false. */
  public static final class Setup {

    private long chunkSize;
    private @Nullable String localDevice;
    private long maxLocalCacheSize;
    private @Nullable String remoteUrl;
    private @Nullable String remoteSerde;
    private boolean pipelinedBackend;
    private boolean saveDecodeCache;
    private boolean enableBlending;
    private long blendMinTokens;
    private @Nullable String modelName;
    private long worldSize;
    private long workerId;
    private @Nullable String kvDtype;
    private int kvItemBytes;
    private int[] kvShape = {};

    private Setup() {}

    /** Tokens in a chunk. */
    public Setup chunkSize(long tokens) {
      this.chunkSize = tokens;
      return this;
    }

    /** The kind of device that holds the local cache, such as {@code cpu}. */
    public Setup localDevice(@Nullable String device) {
      this.localDevice = device;
      return this;
    }

    /** The bound of the local cache, in GB. */
    public Setup maxLocalCacheSize(long gigabytes) {
      this.maxLocalCacheSize = gigabytes;
      return this;
    }

    /** Where the remote store is; only the scheme is reported. */
    public Setup remoteUrl(@Nullable String url) {
      this.remoteUrl = url;
      return this;
    }

    /** How chunks are serialised for the remote store. */
    public Setup remoteSerde(@Nullable String serde) {
      this.remoteSerde = serde;
      return this;
    }

    /** Whether the backend is pipelined. */
    public Setup pipelinedBackend(boolean pipelined) {
      this.pipelinedBackend = pipelined;
      return this;
    }

    /** Whether the cache of decoding is kept. */
    public Setup saveDecodeCache(boolean save) {
      this.saveDecodeCache = save;
      return this;
    }

    /** Whether blending is on, and the tokens from which on it is tried. */
    public Setup blending(boolean enabled, long minTokens) {
      this.enableBlending = enabled;
      this.blendMinTokens = minTokens;
      return this;
    }

    /** The model; of a file path, only the last segment is reported. */
    public Setup modelName(@Nullable String model) {
      this.modelName = model;
      return this;
    }

    /** How many workers the engine has, and which of them this is. */
    public Setup worker(long worldSize, long workerId) {
      this.worldSize = worldSize;
      this.workerId = workerId;
      return this;
    }

    /**
     * The elements of the KV cache, and their arrangement.
     *
     * @param dtype such as {@code torch.bfloat16}
     * @param itemBytes the size of one element
     * @param shape the shape of a chunk, its tokens in the third place of five
     */
    public Setup kvCache(@Nullable String dtype, int itemBytes, int @Nullable ... shape) {
      this.kvDtype = dtype;
      this.kvItemBytes = itemBytes;
      this.kvShape = shape == null ? new int[0] : shape.clone();
      return this;
    }

    UsageMessage message() {
      return new UsageMessage.EngineMessage(
          chunkSize,
          Values.text(localDevice),
          maxLocalCacheSize,
          Values.text(remoteUrl),
          Values.text(remoteSerde),
          pipelinedBackend,
          saveDecodeCache,
          enableBlending,
          UsageMessage.EngineMessage.BLEND_RECOMPUTE_RATIO,
          blendMinTokens,
          Values.text(modelName),
          worldSize,
          workerId,
          Values.text(kvDtype),
          Values.joined(kvShape));
    }
  }

  /** Says what an engine is. */
  public static Setup setup() {
    return new Setup();
  }
}
