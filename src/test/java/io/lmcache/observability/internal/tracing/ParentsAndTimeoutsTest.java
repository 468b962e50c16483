package io.lmcache.observability.internal.tracing;

import static io.lmcache.observability.internal.tracing.TracingFixture.D0;
import static io.lmcache.observability.internal.tracing.TracingFixture.D1;
import static io.lmcache.observability.internal.tracing.TracingFixture.S;
import static io.lmcache.observability.internal.tracing.TracingFixture.blendStart;
import static io.lmcache.observability.internal.tracing.TracingFixture.requestEnd;
import static io.lmcache.observability.internal.tracing.TracingFixture.requestStart;
import static io.lmcache.observability.internal.tracing.TracingFixture.storeEnd;
import static io.lmcache.observability.internal.tracing.TracingFixture.storeStart;
import static io.lmcache.observability.internal.tracing.TracingFixture.timeout;
import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.event.BlendEvent;
import io.lmcache.observability.event.ServerEvent;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ParentsAndTimeoutsTest {

  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String PARENT = "b7ad6b7169203331";

  private final TracingFixture tracing = new TracingFixture();

  @AfterEach
  void nothingIsLeft() {
    assertThat(tracing.isEmpty()).isTrue();
    tracing.close();
  }

  private void request(String traceparent, String tracestate) {
    tracing.run(
        10,
        new ServerEvent.RequestStart(S, traceparent, tracestate),
        11,
        storeStart(D0),
        12,
        storeEnd(D0, 1),
        13,
        requestEnd());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "00-" + TRACE + "-" + PARENT + "-01",
        "00-" + TRACE + "-" + PARENT + "-ff",
        "01-" + TRACE + "-" + PARENT + "-01",
        "cc-" + TRACE + "-" + PARENT + "-01-what-the-future-will-be-like"
      })
  void validParent_isTheRequestsParent_andItsStateIsCarriedOver(String traceparent) {
    request(traceparent, "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE");
    SpanData root = tracing.span("request");
    assertThat(root.getTraceId()).isEqualTo(TRACE);
    assertThat(root.getParentSpanId()).isEqualTo(PARENT);
    assertThat(root.getParentSpanContext().isRemote()).isTrue();
    assertThat(root.getSpanContext().getTraceState().asMap())
        .isEqualTo(Map.of("rojo", "00f067aa0ba902b7", "congo", "t61rcWkgMzE"));
    assertThat(tracing.span("mp.store").getTraceId()).isEqualTo(TRACE);
    assertThat(tracing.span("mp.store").getParentSpanId()).isEqualTo(root.getSpanId());
    assertThat(tracing.violations("invalid_traceparent")).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        " ",
        "nonsense",
        "00-" + TRACE + "-" + PARENT,
        "00-" + TRACE + "-" + PARENT + "-0",
        "00-" + TRACE + "-" + PARENT + "-0g",
        "00-" + TRACE + "-" + PARENT + "-01 ",
        " 00-" + TRACE + "-" + PARENT + "-01",
        "00-" + TRACE + "-" + PARENT + "-01-more",
        "ff-" + TRACE + "-" + PARENT + "-01",
        "0x-" + TRACE + "-" + PARENT + "-01",
        "00_" + TRACE + "-" + PARENT + "-01",
        "00-0AF7651916CD43DD8448EB211C80319C-" + PARENT + "-01",
        "00-" + TRACE + "-B7AD6B7169203331-01",
        "00-00000000000000000000000000000000-" + PARENT + "-01",
        "00-" + TRACE + "-0000000000000000-01",
        "00-" + TRACE + "-" + PARENT + "-AB",
        "cc-" + TRACE + "-" + PARENT + "-01what"
      })
  void invalidParent_isNone_andCounted(String traceparent) {
    request(traceparent, "rojo=1");
    SpanData root = tracing.span("request");
    assertThat(root.getParentSpanContext().isValid()).isFalse();
    assertThat(root.getTraceId()).isNotEqualTo(TRACE);
    assertThat(root.getSpanContext().getTraceState().isEmpty()).isTrue();
    assertThat(tracing.violations("invalid_traceparent")).isEqualTo(1);
  }

  @Test
  void noParent_isNoViolation() {
    request("", "rojo=1");
    assertThat(tracing.span("request").getParentSpanContext().isValid()).isFalse();
    assertThat(tracing.violations("invalid_traceparent")).isZero();
  }

  @Test
  void invalidState_leavesTheParent() {
    request("00-" + TRACE + "-" + PARENT + "-01", "=,,=broken=,");
    assertThat(tracing.span("request").getTraceId()).isEqualTo(TRACE);
    assertThat(tracing.span("request").getSpanContext().getTraceState().isEmpty()).isTrue();
  }

  @Test
  void unsampledParent_isRespected_byTheWholeRequest() {
    request("00-" + TRACE + "-" + PARENT + "-00", "");
    assertThat(tracing.spans()).isEmpty();
    assertThat(tracing.subscriber.violations().values()).containsOnly(0L);
  }

  private static void assertException(SpanData span, long at) {
    assertThat(span.getEvents()).hasSize(1);
    EventData event = span.getEvents().get(0);
    assertThat(event.getName()).isEqualTo("exception");
    assertThat(event.getEpochNanos()).isEqualTo(at);
    assertThat(event.getAttributes().asMap())
        .isEqualTo(
            Map.of(
                AttributeKey.stringKey("exception.type"), "a.b.Late",
                AttributeKey.stringKey("exception.message"), "too late",
                AttributeKey.stringKey("exception.stacktrace"), "at a.b"));
  }

  @Test
  void timeout_isToldOnTheInnermostOpenSpan() {
    tracing.run(
        10,
        requestStart(),
        11,
        storeStart(D0),
        12,
        timeout(S),
        13,
        storeEnd(D0, 1),
        14,
        requestEnd());
    assertException(tracing.span("mp.store"), 12);
    assertThat(tracing.span("request").getEvents()).isEmpty();
    assertThat(tracing.names()).doesNotContain("timeout");
  }

  @Test
  void timeout_deepInBlending_isToldThere_thoughALaterSpanIsOpen() {
    tracing.run(
        10,
        requestStart(),
        11,
        blendStart(),
        12,
        new BlendEvent.RetrieveStart(S, "i", 1),
        13,
        storeStart(D0),
        14,
        timeout(S),
        15,
        storeEnd(D0, 1),
        16,
        new BlendEvent.RetrieveEnd(S, "i", 1, true),
        17,
        new BlendEvent.RequestEnd(S),
        18,
        requestEnd());
    assertException(tracing.span("cb.retrieve"), 14);
  }

  @Test
  void timeout_withNothingOpen_isAMomentOfItsOwn() {
    tracing.run(12, timeout(S), 13, new ServerEvent.StoreStart("", D0, "e", "m"), 14, timeout(""));
    assertThat(tracing.names()).containsExactly("timeout", "timeout");
    assertException(tracing.spans().get(0), 12);
    assertException(tracing.spans().get(1), 14);
    assertThat(TracingFixture.times(tracing.spans().get(0))).containsExactly(12L, 12L);
    assertThat(TracingFixture.attributes(tracing.spans().get(0)))
        .isEqualTo(Map.of("session_id", S));
    assertThat(tracing.spans().get(0).getParentSpanContext().isValid()).isFalse();
    tracing.run(15, new ServerEvent.StoreEnd("", D0, "e", "m", 1, 1));
  }

  private String current() {
    return Span.fromContext(tracing.current.context()).getSpanContext().getSpanId();
  }

  @Test
  void currentSpan_isThatOfTheOperationThatEndedLast_noneAfterAStray() {
    tracing.run(10, requestStart(), 11, storeStart(D0));
    assertThat(current()).isEqualTo("0000000000000000");
    tracing.run(12, storeEnd(D0, 1));
    assertThat(current()).isEqualTo(tracing.span("mp.store").getSpanId());
    tracing.run(14, storeStart(D0), 15, storeEnd(D1, 1));
    assertThat(current()).as("a stray").isEqualTo("0000000000000000");
    tracing.run(16, storeEnd(D0, 1), 17, requestEnd());
    assertThat(current()).isNotEqualTo("0000000000000000");
    tracing.run(18, new ServerEvent.StoreEnd("unknown", D0, "e", "m", 1, 1));
    assertThat(current()).as("of no session").isEqualTo("0000000000000000");
  }
}
