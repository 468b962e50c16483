package io.lmcache.observability;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.ObjectKey;
import io.lmcache.observability.event.ServerEvent.TimeoutRaised;
import io.lmcache.observability.producer.LMCacheTimeoutException;
import io.lmcache.observability.testing.FakeClock;
import io.lmcache.observability.testing.Logs;
import io.lmcache.observability.testing.Totals;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Logging and timeouts through the one door. */
class LogsAndTimeoutsTest {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final ObjectKey KEY = ObjectKey.of("m", "x\nfake line", new byte[32], 0);

  private static ObservabilityConfig.Builder config() {
    return ObservabilityConfig.builder()
        .environment(Map.of())
        .systemProperties(Map.of())
        .prometheusPort(0);
  }

  private static Observability start(ObservabilityConfig.Builder config) {
    return Observability.builder().config(config.build()).start();
  }

  private static void request(Observability observability, int number) {
    String session = "session-" + number + "\nforged";
    var request = observability.server().requestStarted(session);
    observability.server().lookupPrefetchStarted(session, "m", "a").ended(1, 256, 256);
    observability.server().storeStarted(session, "cuda:0", "e", "m").ended(1, 1_000);
    observability.l1().readFinished(List.of(KEY));
    observability.storage().writeFinished(List.of(KEY), List.of());
    observability.l1().evictionLoopTicked(false, 0.5, 0.8);
    request.ended();
  }

  @Test
  void thousandRequests_atInfo_printNothingButTheLibrarysLife() {
    try (Logs logs = Logs.of("lmcache")) {
      logs.level(Level.INFO);
      Observability observability = start(config().sampleRate(1));
      for (int i = 0; i < 1_000; i++) {
        request(observability, i);
      }
      assertThat(observability.flush(SOON)).isTrue();
      assertThat(observability.close(SOON)).isTrue();
      assertThat(logs.lines())
          .extracting(ILoggingEvent::getLoggerName)
          .containsOnly("lmcache.observability");
      assertThat(logs.messages()).singleElement().asString().startsWith("Prometheus endpoint: ");
    }
  }

  @Test
  void oneProducer_atDebug_isHeardAlone_fromThenOn() {
    try (Logs logs = Logs.of("lmcache.server");
        Observability observability = start(config())) {
      logs.level(Level.INFO);
      request(observability, 1);
      assertThat(observability.flush(SOON)).isTrue();
      assertThat(logs.messages()).isEmpty();
      logs.level(Level.DEBUG);
      request(observability, 2);
      assertThat(observability.flush(SOON)).isTrue();
      assertThat(logs.messages())
          .hasSize(6)
          .allSatisfy(
              line ->
                  assertThat(line)
                      .contains(" session_id=session-2\\nforged ")
                      .doesNotContain("\n"));
    }
  }

  @Test
  void loggingOff_registersNothing_andNoSummary() {
    try (Logs logs = Logs.of("lmcache.server");
        Observability observability =
            start(config().logging(false).summaryInterval(Duration.ofMillis(1)))) {
      request(observability, 1);
      assertThat(observability.flush(SOON)).isTrue();
      assertThat(logs.messages()).isEmpty();
      assertThat(observability.bus().subscriberExceptions()).containsOnlyKeys("MetricsSubscriber");
    }
  }

  @Test
  void summary_isThereWhenAskedFor() {
    try (Observability plain = start(config());
        Observability summing = start(config().summaryInterval(Duration.ofMinutes(1)))) {
      assertThat(plain.bus().subscriberExceptions())
          .containsOnlyKeys("LoggingSubscriber", "MetricsSubscriber");
      assertThat(summing.bus().subscriberExceptions()).containsKey("SummarySubscriber");
    }
  }

  @Test
  void order_isTracingThenMetricsThenLoggingThenTheEmbedders() {
    InMemoryMetricReader reader = InMemoryMetricReader.create();
    List<String> seen = new ArrayList<>();
    Runnable look =
        () -> {
          Map<String, Map<String, Double>> totals = Totals.of(reader.collectAllMetrics());
          seen.add("spans " + totals.get("lmcache_mp.tracing.open_spans"));
          seen.add("timeouts " + totals.get("lmcache_mp.timeouts"));
        };
    try (Logs logs = Logs.of("lmcache.server", look);
        Observability observability =
            Observability.builder()
                .config(config().tracing(true).build())
                .metricReader(reader)
                .spanExporter(InMemorySpanExporter.create())
                .start()) {
      observability
          .bus()
          .subscribe(
              TimeoutRaised.class, "last", (event, at) -> seen.add(logs.lines().size() + " lines"));
      observability.server().requestStarted("s");
      observability.server().timeoutRaised("s", new IllegalStateException("late"));
      assertThat(observability.flush(SOON)).isTrue();
      assertThat(seen)
          .containsExactly(
              "spans {{}=1.0}",
              "timeouts null",
              "spans {{}=1.0}",
              "timeouts {{exception_type=IllegalStateException}=1.0}",
              "2 lines");
    }
  }

  @Test
  void summary_followsTheClockOfTheBus_andEndsWithIt() {
    FakeClock clock = FakeClock.create();
    try (Logs logs = Logs.of("lmcache.observability")) {
      Observability observability =
          Observability.builder()
              .config(config().summaryInterval(Duration.ofMinutes(1)).build())
              .metricReader(InMemoryMetricReader.create())
              .clock(clock)
              .start();
      request(observability, 1);
      assertThat(observability.flush(SOON)).isTrue();
      Awaitility.await()
          .atMost(SOON)
          .until(
              () -> {
                clock.advance(Duration.ofMinutes(1));
                return logs.messages().stream().anyMatch(line -> line.contains(" requests=1 "));
              });
      assertThat(observability.close(SOON)).isTrue();
      int before = logs.lines().size();
      clock.advance(Duration.ofHours(1));
      observability.close();
      assertThat(logs.lines()).hasSize(before);
      assertThat(logs.messages()).anyMatch(line -> line.contains(" hit_rate=1.0 l1_usage=0.5 "));
    }
  }

  @Test
  void timeout_ofTheDefaultSink_isCountedAndLoggedOnce_andToldOnTheSpanOfItsSession() {
    InMemoryMetricReader reader = InMemoryMetricReader.create();
    InMemorySpanExporter spans = InMemorySpanExporter.create();
    try (Logs logs = Logs.of("lmcache.server");
        Observability observability =
            Observability.builder()
                .config(config().tracing(true).build())
                .metricReader(reader)
                .spanExporter(spans)
                .defaultSink(true)
                .start()) {
      var request = observability.server().requestStarted("session-1");
      LMCacheTimeoutException timeout = new LMCacheTimeoutException("no answer", "session-1");
      observability.server().timeoutRaised("session-1", timeout);
      request.ended();
      assertThat(observability.flush(SOON)).isTrue();
      assertThat(Totals.of(reader.collectAllMetrics()))
          .containsEntry(
              "lmcache_mp.timeouts", Map.of("{exception_type=LMCacheTimeoutException}", 1.0));
      assertThat(logs.messages().stream().filter(line -> line.startsWith("timeout.raised")))
          .singleElement()
          .asString()
          .startsWith("timeout.raised session_id=session-1 message=\"no answer\" exception_type=")
          .contains("\\n\\tat ")
          .doesNotContain("\n");
      assertThat(spans.getFinishedSpanItems()).extracting(SpanData::getName).contains("request");
      assertThat(spans.getFinishedSpanItems().get(0).getEvents())
          .singleElement()
          .satisfies(event -> assertTells(event, timeout));
    }
  }

  private static void assertTells(EventData event, LMCacheTimeoutException timeout) {
    assertThat(event.getName()).isEqualTo("exception");
    Map<String, Object> attributes = new HashMap<>();
    event.getAttributes().forEach((key, value) -> attributes.put(key.getKey(), value));
    assertThat(attributes)
        .containsEntry("exception.type", timeout.getClass().getName())
        .containsEntry("exception.message", "no answer")
        .containsOnlyKeys("exception.type", "exception.message", "exception.stacktrace");
    assertThat((String) attributes.get("exception.stacktrace"))
        .contains(timeout + "\n\tat ")
        .contains("LogsAndTimeoutsTest");
  }

  @Test
  void defaultSink_isTheLastStarted_untilThatCloses() {
    try (Observability asked = Observability.builder().config(config().build()).start()) {
      assertThat(new LMCacheTimeoutException("before")).isNotNull();
      Observability first =
          Observability.builder().config(config().build()).defaultSink(true).start();
      Observability last =
          Observability.builder().config(config().build()).defaultSink(true).start();
      Observability off =
          Observability.builder().config(config().enabled(false).build()).defaultSink(true).start();
      first.close();
      off.close();
      assertThat(new LMCacheTimeoutException("now")).isNotNull();
      last.close();
      assertThat(new LMCacheTimeoutException("after")).isNotNull();
      assertThat(first.bus().statistics().published()).isZero();
      assertThat(last.bus().statistics().published()).isEqualTo(1);
      assertThat(asked.bus().statistics().published()).isZero();
    }
  }

  @Test
  void closed_nothingIsKeptAliveByTheDefaultSink() {
    Observability observability =
        Observability.builder().config(config().build()).defaultSink(true).start();
    WeakReference<Observability> reference = new WeakReference<>(observability);
    WeakReference<?> bus = new WeakReference<>(observability.bus());
    observability.close();
    observability = Observability.noop();
    Awaitility.await()
        .atMost(SOON)
        .until(
            () -> {
              System.gc();
              return reference.get() == null && bus.get() == null;
            });
    assertThat(observability.sink().isEnabled()).isFalse();
  }

  @Test
  void timeout_inTheSession_reachesSubscribersWithIt() {
    try (Observability observability = start(config())) {
      String[] session = {""};
      observability
          .bus()
          .subscribe(
              TimeoutRaised.class, "sessions", (event, at) -> session[0] = event.sessionId());
      assertThat(new LMCacheTimeoutException(observability.sink(), "late", "session-2"))
          .hasMessage("late");
      assertThat(observability.flush(SOON)).isTrue();
      assertThat(session[0]).isEqualTo("session-2");
    }
  }
}
