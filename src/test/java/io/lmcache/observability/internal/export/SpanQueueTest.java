package io.lmcache.observability.internal.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.internal.support.Warnings;
import io.lmcache.observability.testing.Logs;
import io.lmcache.observability.testing.Threads;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class SpanQueueTest {

  private static final int MAX = 10;

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
  private final SpanQueue queue = new SpanQueue(LoggerFactory.getLogger(Warnings.LOGGER), now::get);

  /** An exporter that takes its time, and refuses if told so. */
  private static final class Slow implements SpanExporter {

    final CountDownLatch entered = new CountDownLatch(1);
    final CountDownLatch release = new CountDownLatch(1);
    final AtomicInteger exported = new AtomicInteger();
    volatile boolean refuses;

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      entered.countDown();
      Threads.await(release);
      if (refuses) {
        return CompletableResultCode.ofFailure();
      }
      exported.addAndGet(spans.size());
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

  private SdkTracerProvider provider(SpanExporter exporter) {
    return SdkTracerProvider.builder()
        .addSpanProcessor(
            queue.before(
                BatchSpanProcessor.builder(queue.watch(exporter))
                    .setMaxQueueSize(MAX)
                    .setMaxExportBatchSize(1)
                    .build(),
                MAX))
        .build();
  }

  private static void span(Tracer tracer) {
    Span span = tracer.spanBuilder("s").startSpan();
    span.end();
  }

  @Test
  void fullQueue_dropsAndCountsExactly_andWarnsOnceAMinuteWithATotal() {
    Slow slow = new Slow();
    try (SdkTracerProvider provider = provider(slow);
        Logs logs = Logs.of(Warnings.LOGGER)) {
      Tracer tracer = provider.get("test");
      span(tracer);
      Threads.await(slow.entered);
      for (int i = 0; i < MAX + 7; i++) {
        span(tracer);
      }
      assertThat(queue.dropped()).isEqualTo(7);
      now.addAndGet(TimeUnit.SECONDS.toNanos(61));
      span(tracer);
      assertThat(logs.warnings())
          .containsExactly(
              "The queue of 10 spans is full (OTEL_BSP_MAX_QUEUE_SIZE): 1 dropped of late, 1 in"
                  + " all",
              "The queue of 10 spans is full (OTEL_BSP_MAX_QUEUE_SIZE): 7 dropped of late, 8 in"
                  + " all");
      slow.release.countDown();
      provider.forceFlush().join(30, TimeUnit.SECONDS);
      assertThat(slow.exported).hasValue(MAX + 1);
      span(tracer);
      provider.forceFlush().join(30, TimeUnit.SECONDS);
      assertThat(slow.exported).hasValue(MAX + 2);
      assertThat(queue.dropped()).isEqualTo(8);
    }
  }

  @Test
  void failedExport_countsItsSpans() {
    Slow refusing = new Slow();
    refusing.refuses = true;
    refusing.release.countDown();
    try (SdkTracerProvider provider = provider(refusing)) {
      for (int i = 0; i < 5; i++) {
        span(provider.get("test"));
      }
      provider.forceFlush().join(30, TimeUnit.SECONDS);
      assertThat(queue.dropped()).isEqualTo(5);
    }
  }

  @Test
  void unsampledSpans_areNotLost() {
    Slow none = new Slow();
    try (SdkTracerProvider provider =
        SdkTracerProvider.builder()
            .setSampler(io.opentelemetry.sdk.trace.samplers.Sampler.alwaysOff())
            .addSpanProcessor(queue.before(BatchSpanProcessor.create(queue.watch(none)), 1))
            .build()) {
      for (int i = 0; i < 5; i++) {
        span(provider.get("test"));
      }
      assertThat(queue.dropped()).isZero();
    }
  }

  @Test
  void shutdown_saysWhatWasNotSaid_andCountsWhatEndsLater() {
    Slow slow = new Slow();
    try (SdkTracerProvider provider = provider(slow);
        Logs logs = Logs.of(Warnings.LOGGER)) {
      Tracer tracer = provider.get("test");
      Span late = tracer.spanBuilder("late").startSpan();
      span(tracer);
      Threads.await(slow.entered);
      for (int i = 0; i < MAX + 3; i++) {
        span(tracer);
      }
      slow.release.countDown();
      provider.shutdown().join(30, TimeUnit.SECONDS);
      assertThat(logs.warnings()).hasSize(2);
      assertThat(logs.warnings().get(1)).contains("2 dropped of late, 3 in all");
      late.end();
      assertThat(queue.dropped()).isEqualTo(4);
    }
  }
}
