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
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class SpanQueueTest {

  private static final int MAX = 10;

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
  private final Logger logger = LoggerFactory.getLogger(Warnings.LOGGER);
  private final SpanQueue queue = new SpanQueue(logger, now::get);

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
                    .setExporterTimeout(Duration.ofMillis(200))
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
      Awaitility.await().until(() -> slow.exported.get() == MAX + 1);
      span(tracer);
      Awaitility.await().until(() -> slow.exported.get() == MAX + 2);
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
      Awaitility.await().until(() -> queue.dropped() == 5);
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

  private enum Bad {
    THROWS_AN_EXCEPTION,
    THROWS_AN_ERROR,
    SAYS_NOTHING,
    NEVER_ENDS
  }

  /** An exporter that fails in its way as long as it does. */
  private static SpanExporter bad(Bad bad, AtomicBoolean fails, AtomicInteger asked) {
    return new SpanExporter() {
      @Override
      @SuppressWarnings("NullAway") // what an exporter must not do
      public CompletableResultCode export(Collection<SpanData> spans) {
        asked.incrementAndGet();
        if (!fails.get()) {
          return CompletableResultCode.ofSuccess();
        }
        return switch (bad) {
          case THROWS_AN_EXCEPTION -> throw new IllegalStateException("for a test");
          case THROWS_AN_ERROR -> throw new NoClassDefFoundError("for a test");
          case SAYS_NOTHING -> null;
          case NEVER_ENDS -> new CompletableResultCode();
        };
      }

      @Override
      public CompletableResultCode flush() {
        return CompletableResultCode.ofSuccess();
      }

      @Override
      public CompletableResultCode shutdown() {
        return CompletableResultCode.ofSuccess();
      }
    };
  }

  @ParameterizedTest
  @EnumSource
  void badExporter_losesItsSpans_countedOnce_andIsAskedAgain(Bad bad) {
    AtomicBoolean fails = new AtomicBoolean(true);
    AtomicInteger asked = new AtomicInteger();
    PushReport report = new PushReport("spans", "bad", logger, now::get);
    SpanExporter exporter = report.watch(bad(bad, fails, asked));
    try (Logs logs = Logs.of(Warnings.LOGGER);
        SdkTracerProvider provider = provider(exporter)) {
      Tracer tracer = provider.get("test");
      for (int i = 1; i <= 4; i++) {
        fails.set(i < 4);
        span(tracer);
        int calls = i;
        Awaitility.await().until(() -> asked.get() == calls);
      }
      Awaitility.await().until(() -> queue.dropped() == 3);
      provider.shutdown().join(30, TimeUnit.SECONDS);
      assertThat(queue.abandon()).isZero();
      assertThat(queue.dropped()).isEqualTo(3);
      assertThat(logs.warnings()).hasSize(bad == Bad.NEVER_ENDS ? 0 : 1);
    }
  }

  @Test
  void abandon_countsOnce_whatIsOnItsWayAndWhatWaits() {
    Slow stuck = new Slow();
    try (SdkTracerProvider provider = provider(stuck)) {
      Tracer tracer = provider.get("test");
      span(tracer);
      Threads.await(stuck.entered);
      for (int i = 0; i < 4; i++) {
        span(tracer);
      }
      assertThat(queue.dropped()).isZero();
      assertThat(queue.abandon()).isEqualTo(5);
      assertThat(queue.abandon()).isZero();
      stuck.refuses = true;
      stuck.release.countDown();
      provider.shutdown().join(30, TimeUnit.SECONDS);
      assertThat(queue.dropped()).isEqualTo(5);
      assertThat(stuck.exported).hasValue(0);
    }
  }
}
