package io.lmcache.observability.internal.export;

import io.lmcache.observability.internal.support.Await;
import io.lmcache.observability.internal.support.Durations;
import io.lmcache.observability.internal.support.Warnings;
import io.opentelemetry.sdk.common.CompletableResultCode;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Flush and close, bounded: the SDK's own block their caller, so they run on a daemon thread and
 * the caller waits no longer than it said. An interrupt does not shorten the wait and is kept.
 *
 * <p>The last export goes behind one that is under way and is tried up to {@value #ATTEMPTS} times;
 * when it fails or the time is up, exports are given up so that the rest ends at once.
 */
final class Closing {

  private static final int ATTEMPTS = 3;
  private static final long FIRST_PAUSE_NANOS = 100_000_000;

  /** What each step of ending takes once exports are given up; less if the time is short. */
  private static final long GRACE_NANOS = 250_000_000;

  private final @Nullable Pipeline pipeline;
  private final @Nullable ScrapeServer server;
  private final AtomicBoolean closing = new AtomicBoolean();
  private volatile @Nullable Boolean outcome;

  Closing(@Nullable Pipeline pipeline, @Nullable ScrapeServer server) {
    this.pipeline = pipeline;
    this.server = server;
  }

  boolean flush(Duration timeout) {
    Pipeline sdk = pipeline;
    if (sdk == null) {
      return true;
    }
    if (closing.get()) {
      return Boolean.TRUE.equals(outcome);
    }
    long nanos = Durations.toNanos(timeout);
    long start = System.nanoTime();
    Task task = new Task("lmcache-flush", () -> exported(sdk, nanos, start, 1).isEmpty());
    return Await.until(task::isDone, nanos) && task.result();
  }

  boolean close(Duration timeout) {
    Pipeline sdk = pipeline;
    if (sdk == null) {
      return true;
    }
    long nanos = Durations.toNanos(timeout);
    if (!closing.compareAndSet(false, true)) {
      Await.until(() -> outcome != null, nanos);
      return Boolean.TRUE.equals(outcome);
    }
    long start = System.nanoTime();
    Set<String> abandoned = Collections.synchronizedSet(new LinkedHashSet<>());
    // The last two graces are for the SDK's shutdown and for the server.
    long grace = Math.min(GRACE_NANOS, nanos / 10);
    Task task =
        new Task(
            "lmcache-close", () -> end(sdk, nanos - 2 * grace, nanos - grace, start, abandoned));
    boolean done = Await.until(task::isDone, nanos - grace);
    if (!done) {
      abandoned.add("the shutdown of the OpenTelemetry SDK");
      sdk.abort();
    }
    if (server != null) {
      server.close(grace);
    }
    long spans = sdk.abandonSpans();
    if (spans > 0) {
      abandoned.add(spans + " spans");
    }
    boolean clean = done && task.result() && abandoned.isEmpty();
    if (!clean) {
      warn(start, abandoned);
    }
    outcome = clean;
    return clean;
  }

  private static boolean end(
      Pipeline sdk, long exportNanos, long nanos, long start, Set<String> abandoned) {
    abandoned.addAll(exported(sdk, exportNanos, start, ATTEMPTS));
    if (!abandoned.isEmpty()) {
      sdk.abort();
    }
    CompletableResultCode shutdown = sdk.shutdown();
    shutdown.join(left(nanos, start), TimeUnit.NANOSECONDS);
    return shutdown.isDone();
  }

  /** Exports all; what did not arrive. */
  private static Set<String> exported(Pipeline sdk, long nanos, long start, int attempts) {
    long failedBefore = sdk.failedSpanExports();
    CompletableResultCode spans = sdk.flushSpans();
    Set<String> missing = new LinkedHashSet<>();
    if (!metricsExported(sdk, nanos, start, attempts)) {
      missing.add(named(sdk, Pipeline.METRICS));
    }
    spans.join(left(nanos, start), TimeUnit.NANOSECONDS);
    if (!spans.isSuccess() || sdk.failedSpanExports() > failedBefore) {
      missing.add(named(sdk, Pipeline.SPANS));
    }
    return missing;
  }

  private static boolean metricsExported(Pipeline sdk, long nanos, long start, int attempts) {
    long pause = FIRST_PAUSE_NANOS;
    for (int attempt = 1; ; attempt++) {
      CompletableResultCode metrics = sdk.flushMetrics();
      metrics.join(left(nanos, start), TimeUnit.NANOSECONDS);
      if (metrics.isSuccess()) {
        return true;
      }
      if (attempt >= attempts || left(nanos, start) <= pause) {
        return false;
      }
      Await.until(() -> false, pause);
      pause *= 4;
    }
  }

  private static String named(Pipeline sdk, String signal) {
    String subject = sdk.subject(signal);
    return subject.isEmpty() ? signal : subject;
  }

  private static long left(long nanos, long start) {
    return Math.max(0, nanos - (System.nanoTime() - start));
  }

  private static void warn(long start, Set<String> abandoned) {
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    try {
      LoggerFactory.getLogger(Warnings.LOGGER)
          .warn("Close gave up after {} ms on: {}", millis, text(abandoned));
    } catch (Throwable backendFailed) {
      // A logging backend that fails must not fail the close.
    }
  }

  private static String text(Set<String> abandoned) {
    synchronized (abandoned) {
      return String.join(", ", abandoned);
    }
  }

  /** Something that runs on a daemon thread of its own. */
  private static final class Task {

    private volatile @Nullable Boolean result;

    Task(String name, BooleanSupplier work) {
      Thread thread =
          new Thread(
              () -> {
                boolean good = false;
                try {
                  good = work.getAsBoolean();
                } finally {
                  result = good;
                }
              },
              name);
      thread.setDaemon(true);
      thread.start();
    }

    boolean isDone() {
      return result != null;
    }

    boolean result() {
      return Boolean.TRUE.equals(result);
    }
  }
}
