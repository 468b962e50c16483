package io.lmcache.observability.internal.tracing;

import static io.lmcache.observability.internal.tracing.TracingFixture.D0;
import static io.lmcache.observability.internal.tracing.TracingFixture.config;
import static io.lmcache.observability.internal.tracing.TracingFixture.requestStart;
import static io.lmcache.observability.internal.tracing.TracingFixture.storeEnd;
import static io.lmcache.observability.internal.tracing.TracingFixture.storeStart;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.internal.support.SpanLookup;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is kept stays in order whatever the SDK, the clock and the sessions are like. */
class UpkeepTest {

  private static final long HOUR = Duration.ofHours(1).toNanos();

  /** Throws where a span starts or ends. */
  private record Throwing(boolean atStart) implements SpanProcessor {

    @Override
    public void onStart(Context parent, ReadWriteSpan span) {
      throw new NoClassDefFoundError("for a test");
    }

    @Override
    public boolean isStartRequired() {
      return atStart;
    }

    @Override
    public void onEnd(ReadableSpan span) {
      throw new IllegalStateException("for a test");
    }

    @Override
    public boolean isEndRequired() {
      return true;
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void sdkThatThrows_isToldTheBus_andNothingIsLeftBehind(boolean atStart) throws Exception {
    try (SdkTracerProvider provider =
        SdkTracerProvider.builder().addSpanProcessor(new Throwing(atStart)).build()) {
      TracingSubscriber tracing =
          new TracingSubscriber(provider, config().build(), new SpanLookup());
      Class<?> thrown = atStart ? NoClassDefFoundError.class : IllegalStateException.class;
      for (int i = 0; i < 100; i++) {
        String session = "s" + i;
        tracing.onEvent(new ServerEvent.RequestStart(session), 1);
        tracing.onEvent(new ServerEvent.LookupPrefetchStart(session), 2);
        assertThrows(
            tracing, new ServerEvent.LookupPrefetchEnd(session, 1, 2, 3, "m", ""), 3, thrown);
        tracing.onEvent(new ServerEvent.StoreStart(session, D0, "e", "m"), 4);
        tracing.onEvent(new ServerEvent.RequestEnd(session), 5);
        assertThrows(tracing, new ServerEvent.StoreEnd(session, D0, "e", "m", 1, 1), 6, thrown);
        tracing.onEvent(new ServerEvent.RequestStart("open" + i), 7);
      }
      assertThat(tracing.openSpans()).isEqualTo(100);
      assertThat(tracing.remembered()).isEqualTo(100);
      tracing.onTick(1);
      assertThatThrownBy(() -> tracing.onTick(2 + 2 * HOUR)).isInstanceOf(thrown);
      assertThat(tracing.openSpans()).isZero();
      assertThat(tracing.remembered()).isZero();
      tracing.onStop();
    }
  }

  private static void assertThrows(
      TracingSubscriber tracing, Event event, long time, Class<?> thrown) {
    assertThatThrownBy(() -> tracing.onEvent(event, time)).isInstanceOf(thrown);
  }

  @Test
  void clockPutBack_delaysNoExpiry() {
    try (TracingFixture tracing = new TracingFixture()) {
      tracing.tick(1_000 * HOUR);
      for (int i = 0; i < 5; i++) {
        tracing.run(1_000 * HOUR, new ServerEvent.RequestStart("s" + i));
      }
      tracing.tick(900 * HOUR);
      tracing.tick(901 * HOUR);
      assertThat(tracing.subscriber.openSpans()).isEqualTo(5);
      tracing.tick(901 * HOUR + 1);
      assertThat(tracing.isEmpty()).isTrue();
    }
  }

  @Test
  void startBeforeTheRequests_opensTheRoot_andTheRequestsIsAStray() {
    try (TracingFixture tracing = new TracingFixture()) {
      tracing.run(10, storeStart(D0), 11, requestStart(), 12, storeEnd(D0, 1));
      assertThat(tracing.violations("stray_start")).isEqualTo(1);
      assertThat(tracing.subscriber.openSpans()).isEqualTo(1);
    }
  }

  /** Takes minutes where each that goes is searched among all. */
  @Test
  @Timeout(60)
  void manyWithoutASession_cutShortAtTheBoundAndByAge_costNoSearch() {
    int max = 200_000;
    try (TracingFixture tracing = new TracingFixture(config().maxOpenSpans(max))) {
      tracing.tick(1);
      Event start = new ServerEvent.StoreStart("", D0, "e", "m");
      for (int i = 0; i < max + 100_000; i++) {
        tracing.run(1, start);
      }
      Event end = new ServerEvent.StoreEnd("", D0, "e", "m", 1, 1);
      for (int i = 0; i < 50_000; i++) {
        tracing.run(2, end);
      }
      tracing.exporter.reset();
      tracing.tick(2 + HOUR);
      assertThat(tracing.isEmpty()).isTrue();
      assertThat(List.copyOf(tracing.spans())).hasSize(max - 50_000);
    }
  }
}
