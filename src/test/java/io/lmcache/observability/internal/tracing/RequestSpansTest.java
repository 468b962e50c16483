package io.lmcache.observability.internal.tracing;

import static io.lmcache.observability.internal.tracing.TracingFixture.D0;
import static io.lmcache.observability.internal.tracing.TracingFixture.D1;
import static io.lmcache.observability.internal.tracing.TracingFixture.S;
import static io.lmcache.observability.internal.tracing.TracingFixture.attributes;
import static io.lmcache.observability.internal.tracing.TracingFixture.lookupEnd;
import static io.lmcache.observability.internal.tracing.TracingFixture.lookupStart;
import static io.lmcache.observability.internal.tracing.TracingFixture.requestEnd;
import static io.lmcache.observability.internal.tracing.TracingFixture.requestStart;
import static io.lmcache.observability.internal.tracing.TracingFixture.retrieveEnd;
import static io.lmcache.observability.internal.tracing.TracingFixture.retrieveStart;
import static io.lmcache.observability.internal.tracing.TracingFixture.retrieveSubmitted;
import static io.lmcache.observability.internal.tracing.TracingFixture.storeEnd;
import static io.lmcache.observability.internal.tracing.TracingFixture.storeStart;
import static io.lmcache.observability.internal.tracing.TracingFixture.storeSubmitted;
import static io.lmcache.observability.internal.tracing.TracingFixture.timeout;
import static io.lmcache.observability.internal.tracing.TracingFixture.times;
import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.event.ServerEvent;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RequestSpansTest {

  private final TracingFixture tracing = new TracingFixture();

  @AfterEach
  void nothingIsLeft() {
    assertThat(tracing.isEmpty()).isTrue();
    tracing.close();
  }

  private void assertChildrenOfRequest(int children) {
    SpanData root = tracing.span("request");
    List<SpanData> others = tracing.spans().stream().filter(s -> s != root).toList();
    assertThat(others).hasSize(children);
    assertThat(others)
        .allSatisfy(
            child -> {
              assertThat(child.getParentSpanId()).isEqualTo(root.getSpanId());
              assertThat(child.getTraceId()).isEqualTo(root.getTraceId());
              assertThat(child.getEndEpochNanos()).isLessThanOrEqualTo(root.getEndEpochNanos());
            });
  }

  @Test
  void fullHit_isARootWithThreeChildren() {
    tracing.run(
        10,
        requestStart(),
        11,
        lookupStart(),
        13,
        lookupEnd(64, 48),
        14,
        retrieveSubmitted(D0),
        15,
        retrieveStart(D0),
        17,
        retrieveEnd(D0),
        18,
        storeSubmitted(D0),
        19,
        storeStart(D0),
        22,
        storeEnd(D0, 96),
        23,
        requestEnd());
    assertThat(tracing.names())
        .containsExactly("mp.lookup_prefetch", "mp.retrieve", "mp.store", "request");
    assertChildrenOfRequest(3);
    assertThat(tracing.times("request")).containsExactly(10L, 23L);
    assertThat(tracing.times("mp.lookup_prefetch")).containsExactly(11L, 13L);
    assertThat(tracing.times("mp.retrieve")).containsExactly(15L, 17L);
    assertThat(tracing.times("mp.store")).containsExactly(19L, 22L);
    assertThat(tracing.spans())
        .allSatisfy(
            span -> {
              assertThat(span.getInstrumentationScopeInfo().getName())
                  .isEqualTo("lmcache_mp.server");
              assertThat(span.getStatus()).isEqualTo(StatusData.unset());
            });
    assertThat(tracing.subscriber.violations().values()).containsOnly(0L);
  }

  @Test
  void attributes_areTheFieldsOfBothEvents_typed_andTheTokensOnTheRoot() {
    tracing.run(
        10,
        new ServerEvent.RequestStart(S, "", "k=v"),
        11,
        lookupStart(),
        13,
        lookupEnd(64, 48),
        15,
        retrieveStart(D0),
        17,
        retrieveEnd(D0),
        19,
        storeStart(D0),
        22,
        storeEnd(D0, 96),
        23,
        requestEnd());
    assertThat(attributes(tracing.span("request")))
        .isEqualTo(
            Map.of("session_id", S, "requested_tokens", 64L, "hit_tokens", 48L, "hit_rate", 0.75));
    assertThat(attributes(tracing.span("mp.lookup_prefetch")))
        .isEqualTo(
            Map.of(
                "session_id",
                S,
                "found_count",
                3L,
                "requested_tokens",
                64L,
                "hit_tokens",
                48L,
                "model_name",
                "m",
                "cache_salt",
                "salt"));
    assertThat(attributes(tracing.span("mp.retrieve")))
        .isEqualTo(
            Map.of(
                "session_id",
                S,
                "device",
                D0,
                "engine_id",
                "engine",
                "model_name",
                "m",
                "cache_salt",
                "salt",
                "retrieved_count",
                4L,
                "total_bytes",
                64L));
    assertThat(attributes(tracing.span("mp.store")))
        .isEqualTo(
            Map.of(
                "session_id",
                S,
                "device",
                D0,
                "engine_id",
                "engine",
                "model_name",
                "m",
                "stored_count",
                3L,
                "total_bytes",
                96L));
  }

  @Test
  void spanThatIsAskedForWhileItIsOpen_isTheSameInTheEnd() {
    tracing.run(10, requestStart(), 11, storeStart(D0));
    tracing.run(11, timeout(S)); // makes the SDK's span
    tracing.run(12, storeEnd(D0, 96));
    var asked = attributes(tracing.span("mp.store"));
    tracing.exporter.reset();
    tracing.run(13, storeStart(D0), 14, storeEnd(D0, 96), 15, requestEnd());
    assertThat(attributes(tracing.span("mp.store"))).isEqualTo(asked).hasSize(6);
  }

  @Test
  void miss_isALookupAndAStore() {
    tracing.run(
        10,
        requestStart(),
        11,
        lookupStart(),
        13,
        lookupEnd(64, 0),
        19,
        storeStart(D0),
        22,
        storeEnd(D0, 96),
        23,
        requestEnd());
    assertThat(tracing.names()).containsExactly("mp.lookup_prefetch", "mp.store", "request");
    assertChildrenOfRequest(2);
    assertThat(attributes(tracing.span("request"))).containsEntry("hit_rate", 0.0);
  }

  @Test
  void lookupOnly_closesAtTheRequestsEnd_rateZeroWhenNothingWasRequested() {
    tracing.run(10, requestStart(), 11, lookupStart(), 13, lookupEnd(0, 0), 23, requestEnd());
    assertThat(tracing.names()).containsExactly("mp.lookup_prefetch", "request");
    assertChildrenOfRequest(1);
    assertThat(tracing.times("request")).containsExactly(10L, 23L);
    assertThat(attributes(tracing.span("request"))).containsEntry("hit_rate", 0.0);
  }

  @Test
  void storeOnly_withoutARequestsStart_opensTheRoot() {
    tracing.run(19, storeStart(D0), 22, storeEnd(D0, 96), 23, requestEnd());
    assertThat(tracing.names()).containsExactly("mp.store", "request");
    assertChildrenOfRequest(1);
    assertThat(tracing.times("request")).containsExactly(19L, 23L);
    assertThat(attributes(tracing.span("request"))).isEqualTo(Map.of("session_id", S));
  }

  @Test
  void storeOnly_endedBeforeItStarts_endsWithTheStore() {
    tracing.run(10, storeSubmitted(D0), 11, requestEnd(), 19, storeStart(D0), 22, storeEnd(D0, 96));
    assertThat(tracing.times("request")).containsExactly(19L, 22L);
    assertThat(attributes(tracing.span("request")))
        .isEqualTo(Map.of("session_id", S, "request.end_time_unix_nano", 11L));
  }

  @Test
  void endBeforeTheLastStoreEnds_waits_andEndsWithTheStore() {
    tracing.run(10, requestStart(), 19, storeStart(D0), 20, requestEnd());
    assertThat(tracing.names()).isEmpty();
    assertThat(tracing.subscriber.openSpans()).isEqualTo(2);
    tracing.run(22, storeEnd(D0, 96));
    assertChildrenOfRequest(1);
    assertThat(tracing.times("request")).containsExactly(10L, 22L);
    assertThat(attributes(tracing.span("request")))
        .isEqualTo(Map.of("session_id", S, "request.end_time_unix_nano", 20L));
  }

  @Test
  void endBetweenStartAndEndOfARetrieve_waits() {
    tracing.run(10, requestStart(), 15, retrieveStart(D0), 16, requestEnd(), 17, retrieveEnd(D0));
    assertThat(tracing.names()).containsExactly("mp.retrieve", "request");
    assertThat(tracing.times("request")).containsExactly(10L, 17L);
  }

  @Test
  void endWithACopyStillSubmitted_waits_andAnOperationWithBothCountsOnce() {
    tracing.run(10, requestStart(), 14, storeSubmitted(D0), 15, requestEnd());
    assertThat(tracing.names()).isEmpty();
    tracing.run(16, storeStart(D0));
    assertThat(tracing.names()).isEmpty();
    tracing.run(18, storeEnd(D0, 1));
    assertThat(tracing.names()).containsExactly("mp.store", "request");
  }

  @Test
  void deferredEnd_whoseChildrenEndedEarlierByTheClock_keepsItsTime() {
    tracing.run(10, requestStart(), 15, storeStart(D0), 30, requestEnd(), 22, storeEnd(D0, 1));
    assertThat(tracing.times("request")).containsExactly(10L, 30L);
    assertThat(attributes(tracing.span("request"))).doesNotContainKey("request.end_time_unix_nano");
  }

  @Test
  void endAtOnce_beforeAChildsEndByTheClock_endsWithTheChild() {
    tracing.run(10, requestStart(), 15, storeStart(D0), 22, storeEnd(D0, 1), 20, requestEnd());
    assertThat(tracing.times("request")).containsExactly(10L, 22L);
    assertThat(attributes(tracing.span("request")))
        .containsEntry("request.end_time_unix_nano", 20L);
  }

  @Test
  void twoStoresOnTwoDevices_endingInEitherOrder_areTheRightChildren() {
    for (boolean inOrder : new boolean[] {true, false}) {
      tracing.exporter.reset();
      String first = inOrder ? D0 : D1;
      String second = inOrder ? D1 : D0;
      tracing.run(
          10,
          requestStart(),
          11,
          storeStart(D0),
          12,
          storeStart(D1),
          13,
          requestEnd(),
          20,
          storeEnd(first, first.equals(D0) ? 100 : 200));
      assertThat(tracing.names()).containsExactly("mp.store");
      tracing.run(30, storeEnd(second, second.equals(D0) ? 100 : 200));
      assertChildrenOfRequest(2);
      assertThat(tracing.times("request")).containsExactly(10L, 30L);
      for (SpanData store : tracing.spans().subList(0, 2)) {
        boolean isD0 = D0.equals(attributes(store).get("device"));
        assertThat(attributes(store)).containsEntry("total_bytes", isD0 ? 100L : 200L);
        assertThat(store.getStartEpochNanos()).isEqualTo(isD0 ? 11 : 12);
        assertThat(store.getEndEpochNanos()).isEqualTo(isD0 == inOrder ? 20 : 30);
      }
    }
  }

  @Test
  void severalOnOneDevice_areFirstInFirstOut_perKind() {
    tracing.run(
        10,
        requestStart(),
        11,
        storeStart(D0),
        12,
        storeStart(D0),
        13,
        retrieveStart(D0),
        20,
        storeEnd(D0, 1),
        21,
        retrieveEnd(D0),
        22,
        storeEnd(D0, 2),
        23,
        requestEnd());
    assertThat(tracing.spans().stream().map(TracingFixture::times))
        .containsExactly(
            List.of(11L, 20L), List.of(13L, 21L), List.of(12L, 22L), List.of(10L, 23L));
    assertThat(tracing.violations("stray_start")).isZero();
  }

  @Test
  void sessions_doNotMix() {
    tracing.run(
        10,
        requestStart(),
        11,
        new ServerEvent.RequestStart("other"),
        12,
        storeStart(D0),
        13,
        new ServerEvent.StoreStart("other", D0, "e", "m"),
        14,
        storeEnd(D0, 1),
        15,
        new ServerEvent.StoreEnd("other", D0, "e", "m", 1, 2),
        16,
        requestEnd(),
        17,
        new ServerEvent.RequestEnd("other"));
    assertThat(tracing.spans().stream().map(SpanData::getTraceId).distinct()).hasSize(2);
    assertThat(tracing.spans().stream().map(s -> attributes(s).get("session_id")))
        .containsExactly(S, "other", S, "other");
  }

  @Test
  void operationsWithoutASession_standAlone() {
    tracing.run(
        11, new ServerEvent.StoreStart("", D0, "e", "m"),
        12, new ServerEvent.StoreStart("", D1, "e", "m"),
        14, new ServerEvent.StoreEnd("", D0, "e", "m", 1, 2),
        15, new ServerEvent.StoreEnd("", D1, "e", "m", 1, 2));
    assertThat(tracing.names()).containsExactly("mp.store", "mp.store");
    assertThat(tracing.spans())
        .allSatisfy(span -> assertThat(span.getParentSpanContext().isValid()).isFalse());
    assertThat(times(tracing.spans().get(0))).containsExactly(11L, 14L);
  }

  @Test
  void sessionThatComesAgain_isANewTrace() {
    tracing.run(10, requestStart(), 11, requestEnd(), 12, requestStart(), 13, requestEnd());
    assertThat(tracing.spans().stream().map(SpanData::getTraceId).distinct()).hasSize(2);
    assertThat(tracing.subscriber.violations().values()).containsOnly(0L);
  }
}
