package io.lmcache.observability.internal.export;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * The bound of the spans that wait for their export: stands before a batch processor and behind it,
 * at its exporter, and so knows exactly what was lost. What does not fit is dropped, counted and,
 * at most once a minute, warned of. Counted too are the spans whose export failed, had not ended
 * when the processor began the next, or was given up at the close.
 *
 * <p>Any thread may call it; it never blocks, but for the line that it logs.
 */
final class SpanQueue {

  /** What a batch processor takes where nothing else is set. */
  static final int DEFAULT_MAX = 2_048;

  private static final long INTERVAL_NANOS = Duration.ofMinutes(1).toNanos();

  private final Logger logger;
  private final LongSupplier nanoTime;
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicLong overflowed = new AtomicLong();
  private final AtomicLong lost = new AtomicLong();
  private final AtomicLong lastLine;
  private final AtomicLong told = new AtomicLong();
  private Batch inFlight = new Batch(0);
  private boolean abandoned;

  /** Spans whose export has begun; they are settled once. */
  private final class Batch {

    private final AtomicInteger unsettled;

    Batch(int count) {
      this.unsettled = new AtomicInteger(count);
    }

    /** Takes note of the outcome, unless there was one before; returns what is lost by it. */
    int settle(boolean success) {
      int count = unsettled.getAndSet(0);
      if (success) {
        return 0;
      }
      lost.addAndGet(count);
      return count;
    }
  }

  SpanQueue(Logger logger, LongSupplier nanoTime) {
    this.logger = logger;
    this.nanoTime = nanoTime;
    this.lastLine = new AtomicLong(nanoTime.getAsLong() - INTERVAL_NANOS);
  }

  /** How many spans were dropped or could not be exported. */
  long dropped() {
    return overflowed.get() + lost.get();
  }

  /** Gives up what is still waiting or on its way; how many these are. */
  synchronized long abandon() {
    abandoned = true;
    long count = waiting.getAndSet(0);
    lost.addAndGet(count);
    return count + inFlight.settle(false);
  }

  /** Whether the export of a batch may begin; the processor waits no longer for the one before. */
  private synchronized boolean begin(Batch batch, int count) {
    if (abandoned) {
      return false;
    }
    waiting.addAndGet(-count);
    inFlight.settle(false);
    inFlight = batch;
    return true;
  }

  /** The exporter behind the processor. */
  SpanExporter watch(SpanExporter exporter) {
    return new Exit(exporter);
  }

  /** The processor, given no more than it may hold. */
  SpanProcessor before(SpanProcessor processor, int max) {
    return new Entrance(processor, max);
  }

  private boolean enter(int max) {
    int before = waiting.getAndIncrement();
    if (before < max) {
      return true;
    }
    waiting.getAndDecrement();
    return false;
  }

  private void overflow(int max) {
    overflowed.incrementAndGet();
    long now = nanoTime.getAsLong();
    long last = lastLine.get();
    if (now - last >= INTERVAL_NANOS && lastLine.compareAndSet(last, now)) {
      tell(max);
    }
  }

  private void tell(int max) {
    long all = overflowed.get();
    long before = told.getAndSet(all);
    if (all > before) {
      try {
        logger.warn(
            "The queue of {} spans is full (OTEL_BSP_MAX_QUEUE_SIZE): {} dropped of late, {} in all",
            max,
            all - before,
            all);
      } catch (Throwable backendFailed) {
        // A logging backend that fails must not fail whoever ends a span.
      }
    }
  }

  private final class Entrance implements SpanProcessor {

    private final SpanProcessor processor;
    private final int max;
    private volatile boolean closed;

    Entrance(SpanProcessor processor, int max) {
      this.processor = processor;
      this.max = max;
    }

    @Override
    public void onStart(Context parent, ReadWriteSpan span) {}

    @Override
    public boolean isStartRequired() {
      return false;
    }

    @Override
    public void onEnd(ReadableSpan span) {
      if (!span.getSpanContext().isSampled()) {
        return;
      }
      if (closed) {
        lost.incrementAndGet();
      } else if (enter(max)) {
        processor.onEnd(span);
      } else {
        overflow(max);
      }
    }

    @Override
    public boolean isEndRequired() {
      return true;
    }

    @Override
    public CompletableResultCode forceFlush() {
      return processor.forceFlush();
    }

    /** Ends the processor and says what has not been said yet. */
    @Override
    public CompletableResultCode shutdown() {
      closed = true;
      tell(max);
      return processor.shutdown();
    }

    @Override
    public String toString() {
      return processor.toString();
    }
  }

  private final class Exit extends PushReport.SpanExport {

    Exit(SpanExporter exporter) {
      super(exporter);
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      Batch batch = new Batch(spans.size()); // the processor clears and uses the collection again
      if (!begin(batch, spans.size())) {
        return CompletableResultCode.ofFailure();
      }
      CompletableResultCode result = exporter.export(spans);
      result.whenComplete(() -> batch.settle(result.isSuccess()));
      return result;
    }
  }
}
