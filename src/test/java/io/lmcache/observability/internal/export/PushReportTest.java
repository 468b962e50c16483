package io.lmcache.observability.internal.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.internal.support.Warnings;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class PushReportTest {

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
  private final PushReport report =
      new PushReport(
          "metrics", "http://h:4318", LoggerFactory.getLogger(Warnings.LOGGER), now::get);

  @Test
  void failures_forTwoMinutes_areOneLineAMinute() {
    try (ExportFixture.Log log = new ExportFixture.Log()) {
      for (int second = 0; second < 119; second++) {
        report.failed();
        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
      }
      assertThat(log.lines("WARN"))
          .containsExactly(
              "The push of metrics to http://h:4318 fails: 1 failed exports in a row, 1 in all",
              "The push of metrics to http://h:4318 fails: 61 failed exports in a row, 61 in all");
      report.succeeded();
      report.succeeded();
      assertThat(log.lines("INFO"))
          .containsExactly(
              "The push of metrics to http://h:4318 works again, after 119 failed exports");
      assertThat(report.failures()).isEqualTo(119);
    }
  }

  @Test
  void failures_thatComeAndGo_areOneLineAMinute() {
    try (ExportFixture.Log log = new ExportFixture.Log()) {
      for (int i = 0; i < 20; i++) {
        report.failed();
        report.succeeded();
      }
      assertThat(log.lines("WARN")).hasSize(1);
      assertThat(log.lines("INFO")).hasSize(1);
    }
  }

  @Test
  void exporter_thatThrows_countsAsFailed() {
    InMemorySpanExporter fine = InMemorySpanExporter.create();
    SpanExporter throwing =
        SpanExporter.composite(
            fine,
            new PushReport("x", "y", LoggerFactory.getLogger(Warnings.LOGGER), now::get)
                .watch(fine));
    assertThat(report.watch(throwing).export(List.of()).isSuccess()).isTrue();
  }
}
