package io.lmcache.observability.internal.export;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.MemoryMode;
import io.opentelemetry.sdk.metrics.Aggregation;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Tells how the push of one signal fares: while it fails a WARN, at most one a minute, with the
 * target and the count of failed exports; when it works again one INFO, if a WARN went before.
 *
 * <p>Exporters call it on any thread. It never throws. An exporter that throws counts as failed.
 */
final class PushReport {

  private static final long INTERVAL_NANOS = Duration.ofMinutes(1).toNanos();

  private static final int LONGEST_WAIT_SECONDS = 60;

  private final String signal;
  private final String target;
  private final Logger logger;
  private final LongSupplier nanoTime;
  private long failures;
  private long failuresInARow;
  private long lastLine;
  private boolean anyLine;
  private boolean told;

  PushReport(String signal, String target, Logger logger, LongSupplier nanoTime) {
    this.signal = signal;
    this.target = target;
    this.logger = logger;
    this.nanoTime = nanoTime;
  }

  String signal() {
    return signal;
  }

  /** What is pushed where, for a message. */
  String subject() {
    return signal + " to " + target;
  }

  /** How many exports have failed since the start. */
  synchronized long failures() {
    return failures;
  }

  synchronized void failed() {
    failures++;
    failuresInARow++;
    long now = nanoTime.getAsLong();
    if (!anyLine || now - lastLine >= INTERVAL_NANOS) {
      anyLine = true;
      told = true;
      lastLine = now;
      guarded(
          () ->
              logger.warn(
                  "The push of {} fails: {} failed exports in a row, {} in all",
                  subject(),
                  failuresInARow,
                  failures));
    }
  }

  synchronized void succeeded() {
    long failed = failuresInARow;
    failuresInARow = 0;
    if (told) {
      told = false;
      guarded(
          () ->
              logger.info(
                  "The push of {} works again, after {} failed exports", subject(), failed));
    }
  }

  private static void guarded(Runnable line) {
    try {
      line.run();
    } catch (Throwable backendFailed) {
      // A logging backend that fails must not fail an export.
    }
  }

  private CompletableResultCode watch(Supplier<@Nullable CompletableResultCode> export) {
    CompletableResultCode watched = result(export);
    watched.whenComplete(
        () -> {
          if (watched.isSuccess()) {
            succeeded();
          } else {
            failed();
          }
        });
    return watched;
  }

  /** An exporter that throws, whatever, or says nothing has failed. */
  private static CompletableResultCode result(Supplier<@Nullable CompletableResultCode> export) {
    try {
      CompletableResultCode result = export.get();
      return result == null ? CompletableResultCode.ofFailure() : result;
    } catch (Throwable foreign) {
      return CompletableResultCode.ofExceptionalFailure(foreign);
    }
  }

  MetricExporter watch(MetricExporter exporter) {
    return new Metrics(exporter);
  }

  SpanExporter watch(SpanExporter exporter) {
    return new Spans(exporter);
  }

  private final class Metrics implements MetricExporter {

    private final MetricExporter exporter;
    private CompletableResultCode previous = CompletableResultCode.ofSuccess();

    Metrics(MetricExporter exporter) {
      this.exporter = exporter;
    }

    /**
     * Behind the export before it, which the reader no longer waits for when its interval is over:
     * one that is still being retried must not overwrite newer totals. The thread is the reader's
     * own and does nothing else.
     */
    @Override
    public synchronized CompletableResultCode export(Collection<MetricData> metrics) {
      previous.join(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS);
      previous = watch(() -> exporter.export(metrics));
      return previous;
    }

    @Override
    public AggregationTemporality getAggregationTemporality(InstrumentType type) {
      return exporter.getAggregationTemporality(type);
    }

    @Override
    public Aggregation getDefaultAggregation(InstrumentType type) {
      return exporter.getDefaultAggregation(type);
    }

    @Override
    public MemoryMode getMemoryMode() {
      return exporter.getMemoryMode();
    }

    @Override
    public CompletableResultCode flush() {
      return exporter.flush();
    }

    @Override
    public CompletableResultCode shutdown() {
      return exporter.shutdown();
    }

    @Override
    public String toString() {
      return exporter.toString();
    }
  }

  /** Stands before a span exporter, to which all but the export goes on. */
  abstract static class SpanExport implements SpanExporter {

    final SpanExporter exporter;

    SpanExport(SpanExporter exporter) {
      this.exporter = exporter;
    }

    @Override
    public final CompletableResultCode flush() {
      return exporter.flush();
    }

    @Override
    public final CompletableResultCode shutdown() {
      return exporter.shutdown();
    }

    @Override
    public final String toString() {
      return exporter.toString();
    }
  }

  private final class Spans extends SpanExport {

    Spans(SpanExporter exporter) {
      super(exporter);
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      return watch(() -> exporter.export(spans));
    }
  }
}
