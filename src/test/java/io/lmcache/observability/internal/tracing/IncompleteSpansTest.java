package io.lmcache.observability.internal.tracing;

import static io.lmcache.observability.internal.tracing.TracingFixture.D0;
import static io.lmcache.observability.internal.tracing.TracingFixture.D1;
import static io.lmcache.observability.internal.tracing.TracingFixture.S;
import static io.lmcache.observability.internal.tracing.TracingFixture.attributes;
import static io.lmcache.observability.internal.tracing.TracingFixture.blendStart;
import static io.lmcache.observability.internal.tracing.TracingFixture.config;
import static io.lmcache.observability.internal.tracing.TracingFixture.incomplete;
import static io.lmcache.observability.internal.tracing.TracingFixture.lookupEnd;
import static io.lmcache.observability.internal.tracing.TracingFixture.lookupStart;
import static io.lmcache.observability.internal.tracing.TracingFixture.requestEnd;
import static io.lmcache.observability.internal.tracing.TracingFixture.requestStart;
import static io.lmcache.observability.internal.tracing.TracingFixture.retrieveEnd;
import static io.lmcache.observability.internal.tracing.TracingFixture.retrieveStart;
import static io.lmcache.observability.internal.tracing.TracingFixture.storeEnd;
import static io.lmcache.observability.internal.tracing.TracingFixture.storeStart;
import static io.lmcache.observability.internal.tracing.TracingFixture.storeSubmitted;
import static io.lmcache.observability.internal.tracing.TracingFixture.timeout;
import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.event.BlendEvent;
import io.lmcache.observability.event.ServerEvent;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IncompleteSpansTest {

  private static final long HOUR = Duration.ofHours(1).toNanos();

  @Test
  void lookupStillOpenAtTheEnd_isAbandoned_andDoesNotHoldTheRoot() {
    try (TracingFixture tracing = new TracingFixture()) {
      tracing.run(10, requestStart(), 11, lookupStart(), 20, requestEnd());
      assertThat(tracing.names()).containsExactly("mp.lookup_prefetch", "request");
      assertThat(tracing.times("mp.lookup_prefetch")).containsExactly(11L, 20L);
      assertThat(incomplete(tracing.span("mp.lookup_prefetch"))).isEqualTo("abandoned");
      assertThat(attributes(tracing.span("request"))).doesNotContainKeys("incomplete", "hit_rate");
      assertThat(tracing.subscriber.incompleteSpans()).containsEntry("abandoned", 1L);
      assertThat(tracing.isEmpty()).isTrue();
      tracing.run(21, lookupEnd(1, 1));
      assertThat(tracing.violations("stray_end")).isEqualTo(1);
    }
  }

  @Test
  void cutShort_keepsAllFieldsOfItsStart_whetherItsSpanWasAskedForOrNot() {
    for (boolean asked : new boolean[] {true, false}) {
      try (TracingFixture tracing = new TracingFixture()) {
        tracing.run(10, requestStart(), 11, storeStart(D0));
        if (asked) {
          tracing.run(11, timeout(S)); // makes the SDK's span
        }
        tracing.run(12, blendStart(), 13, new BlendEvent.LookupStart(S, 64), 14, requestEnd());
        tracing.run(15, new BlendEvent.RequestEnd(S));
        tracing.stop();
        assertThat(attributes(tracing.span("mp.store")))
            .isEqualTo(
                Map.of(
                    "session_id", S,
                    "device", D0,
                    "engine_id", "engine",
                    "model_name", "m",
                    "incomplete", "shutdown"));
        assertThat(attributes(tracing.span("cb.lookup")))
            .isEqualTo(Map.of("session_id", S, "num_tokens", 64L, "incomplete", "abandoned"));
      }
    }
  }

  @Test
  void secondStarts_thatCanBeOpenOnce_areStrays() {
    try (TracingFixture tracing = new TracingFixture()) {
      tracing.run(
          10,
          requestStart(),
          11,
          requestStart(),
          12,
          lookupStart(),
          13,
          lookupStart(),
          14,
          blendStart(),
          15,
          blendStart(),
          16,
          new BlendEvent.LookupStart(S, 1),
          17,
          new BlendEvent.LookupStart(S, 1));
      assertThat(tracing.violations("stray_start")).isEqualTo(4);
      assertThat(tracing.subscriber.openSpans()).isEqualTo(4);
      assertThat(tracing.names()).isEmpty();
    }
  }

  @Test
  void endsWithoutAStart_areStrays_andOpenNothing() {
    try (TracingFixture tracing = new TracingFixture()) {
      tracing.run(
          10,
          requestEnd(),
          11,
          lookupEnd(1, 1),
          12,
          storeEnd(D0, 1),
          13,
          retrieveEnd(D0),
          14,
          new BlendEvent.RequestEnd(S),
          15,
          new BlendEvent.RetrieveEnd(S, "i", 1, true),
          16,
          requestStart(),
          17,
          storeStart(D0),
          18,
          storeEnd(D1, 1),
          19,
          retrieveEnd(D0),
          20,
          storeEnd(D0, 1),
          21,
          storeEnd(D0, 1),
          22,
          requestEnd(),
          23,
          requestEnd());
      assertThat(tracing.violations("stray_end")).isEqualTo(10);
      assertThat(tracing.names()).containsExactly("mp.store", "request");
      assertThat(tracing.isEmpty()).isTrue();
    }
  }

  @Test
  void secondEnd_whileTheFirstIsRemembered_isAStray() {
    try (TracingFixture tracing = new TracingFixture()) {
      tracing.run(
          10,
          requestStart(),
          11,
          storeStart(D0),
          12,
          requestEnd(),
          13,
          requestEnd(),
          20,
          storeEnd(D0, 1));
      assertThat(tracing.violations("stray_end")).isEqualTo(1);
      assertThat(attributes(tracing.span("request")))
          .containsEntry("request.end_time_unix_nano", 12L);
    }
  }

  @Test
  void endOfACopyWhoseStartGotLost_isAStray_andHoldsTheRootNoLonger() {
    try (TracingFixture tracing = new TracingFixture()) {
      tracing.run(
          10, requestStart(), 11, storeSubmitted(D0), 12, requestEnd(), 20, storeEnd(D0, 1));
      assertThat(tracing.names()).containsExactly("request");
      assertThat(tracing.times("request")).containsExactly(10L, 12L);
      assertThat(tracing.violations("stray_end")).isEqualTo(1);
      assertThat(tracing.isEmpty()).isTrue();
    }
  }

  @Test
  void endsBeforeTheirStartsByTheClock_endAtTheStart_andSaySo() {
    try (TracingFixture tracing = new TracingFixture()) {
      tracing.run(10, requestStart(), 12, storeStart(D0), 7, storeEnd(D0, 1), 5, requestEnd());
      assertThat(tracing.times("mp.store")).containsExactly(12L, 12L);
      assertThat(attributes(tracing.span("mp.store"))).containsEntry("clock_skew", true);
      assertThat(tracing.times("request")).containsExactly(10L, 12L);
      assertThat(attributes(tracing.span("request"))).containsEntry("clock_skew", true);
    }
  }

  @Test
  void noChild_andAnEndBeforeTheStart_endsAtTheStart() {
    try (TracingFixture tracing = new TracingFixture()) {
      tracing.run(10, requestStart(), 5, requestEnd());
      assertThat(tracing.times("request")).containsExactly(10L, 10L);
      assertThat(attributes(tracing.span("request")))
          .containsEntry("clock_skew", true)
          .doesNotContainKey("request.end_time_unix_nano");
    }
  }

  @Test
  void spansOpenForTooLong_expireWithAllUnderThem_theYoungerStay() {
    try (TracingFixture tracing = new TracingFixture()) {
      tracing.tick(10);
      tracing.run(10, requestStart(), 20, storeStart(D0), 30, blendStart());
      tracing.tick(1_000);
      tracing.run(1_000, new ServerEvent.RequestStart("young"));
      tracing.tick(10 + HOUR);
      assertThat(tracing.names()).isEmpty();
      tracing.tick(11 + HOUR);
      assertThat(tracing.names()).containsExactly("cb.request", "mp.store", "request");
      assertThat(tracing.spans())
          .allSatisfy(
              span -> {
                assertThat(incomplete(span)).isEqualTo("expired");
                assertThat(span.getEndEpochNanos()).isEqualTo(11 + HOUR);
              });
      assertThat(tracing.subscriber.incompleteSpans()).containsEntry("expired", 3L);
      assertThat(tracing.subscriber.openSpans()).isEqualTo(1);
      tracing.run(12 + HOUR, storeEnd(D0, 1));
      assertThat(tracing.violations("stray_end")).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 1_000_000})
  void timesOfTheirOwn_longAgoOrAhead_neitherExpireAtOnceNorLate(long hours) {
    long time = hours * HOUR;
    try (TracingFixture tracing = new TracingFixture()) {
      tracing.tick(100 * HOUR);
      tracing.run(time, requestStart(), time, new ServerEvent.StoreSubmitted("gone", D0));
      tracing.run(time, new ServerEvent.RequestStart("next"));
      tracing.tick(101 * HOUR);
      assertThat(tracing.names()).isEmpty();
      tracing.tick(101 * HOUR + 1);
      assertThat(tracing.names()).containsExactly("request", "request");
      assertThat(tracing.isEmpty()).isTrue();
    }
  }

  @Test
  void submittedAndNeverStarted_isGivenUp_andHoldsTheRootNoLonger() {
    try (TracingFixture tracing =
        new TracingFixture(config().openSpanTimeout(Duration.ofHours(2)))) {
      tracing.tick(10);
      tracing.run(10, new ServerEvent.StoreSubmitted("gone", D0));
      tracing.run(20, storeSubmitted(D0));
      tracing.tick(2 * HOUR);
      tracing.run(2 * HOUR, requestStart(), 2 * HOUR + 1, requestEnd());
      assertThat(tracing.names()).isEmpty();
      tracing.tick(2 * HOUR + 50);
      assertThat(tracing.times("request")).containsExactly(2 * HOUR, 2 * HOUR + 1);
      assertThat(tracing.violations("missing_start")).isEqualTo(2);
      assertThat(tracing.isEmpty()).isTrue();
    }
  }

  @Test
  void tooManyOpen_evictTheOldestRequest_whole() {
    try (TracingFixture tracing = new TracingFixture(config().maxOpenSpans(3))) {
      tracing.run(10, requestStart(), 11, storeStart(D0), 12, new ServerEvent.RequestStart("b"));
      assertThat(tracing.subscriber.openSpans()).isEqualTo(3);
      tracing.run(13, new ServerEvent.RequestStart("c"));
      assertThat(tracing.names()).containsExactly("mp.store", "request");
      assertThat(tracing.spans())
          .allSatisfy(span -> assertThat(incomplete(span)).isEqualTo("evicted"));
      assertThat(tracing.times("request")).containsExactly(10L, 13L);
      assertThat(tracing.subscriber.openSpans()).isEqualTo(2);
    }
  }

  @Test
  void oneSession_withMoreOpenThanMayBe_staysBounded() {
    try (TracingFixture tracing = new TracingFixture(config().maxOpenSpans(2))) {
      for (int i = 0; i < 100; i++) {
        tracing.run(10 + i, storeStart("device-" + i));
        assertThat(tracing.subscriber.openSpans()).isEqualTo(2);
      }
      assertThat(tracing.spans()).hasSize(198);
      tracing.stop();
      assertThat(tracing.spans()).hasSize(200);
      assertThat(tracing.isEmpty()).isTrue();
    }
  }

  @Test
  void hundredThousandThatNeverEnd_areEvicted_andTheNextTenAreRight() {
    int requests = 100_000;
    try (TracingFixture tracing = new TracingFixture()) {
      for (int i = 0; i < requests; i++) {
        String session = "s" + i;
        tracing.run(1_000 + i, new ServerEvent.RequestStart(session));
        tracing.run(1_000 + i, new ServerEvent.RetrieveSubmitted(session, D0));
        tracing.run(1_000 + i, new ServerEvent.StoreSubmitted("x" + session, D0));
        tracing.run(1_000 + i, new ServerEvent.RequestEnd("x" + session));
        tracing.run(1_000 + i, new BlendEvent.RetrieveSubmitted("y" + session, D0));
      }
      assertThat(tracing.subscriber.openSpans()).isEqualTo(10_000);
      assertThat(tracing.subscriber.remembered()).isLessThan(50_000);
      assertThat(tracing.spans()).hasSize(requests - 10_000);
      assertThat(tracing.spans()).allMatch(span -> incomplete(span).equals("evicted"));
      tracing.exporter.reset();
      for (int i = 0; i < 10; i++) {
        long at = 1_000_000 + 100L * i;
        tracing.run(
            at,
            requestStart(),
            at + 1,
            retrieveStart(D0),
            at + 5,
            retrieveEnd(D0),
            at + 9,
            requestEnd());
      }
      List<SpanData> right =
          tracing.spans().stream().filter(span -> incomplete(span).equals("null")).toList();
      assertThat(right).hasSize(20);
      tracing.stop();
      assertThat(tracing.isEmpty()).isTrue();
      assertThat(tracing.subscriber.incompleteSpans().values().stream().mapToLong(n -> n).sum())
          .isEqualTo(requests);
    }
  }

  @Test
  void stop_endsWhatIsOpen_atTheLastTimeSeen() {
    try (TracingFixture tracing = new TracingFixture()) {
      tracing.run(10, requestStart(), 11, storeStart(D0), 12, storeSubmitted(D1), 13, requestEnd());
      tracing.tick(50);
      tracing.stop();
      assertThat(tracing.names()).containsExactly("mp.store", "request");
      assertThat(tracing.spans())
          .allSatisfy(
              span -> {
                assertThat(incomplete(span)).isEqualTo("shutdown");
                assertThat(span.getEndEpochNanos()).isEqualTo(50);
              });
      assertThat(attributes(tracing.span("request")))
          .as("the end that was reported is told")
          .isEqualTo(
              Map.of("session_id", S, "incomplete", "shutdown", "request.end_time_unix_nano", 13L));
      assertThat(tracing.subscriber.incompleteSpans()).containsEntry("shutdown", 2L);
      assertThat(tracing.isEmpty()).isTrue();
    }
  }
}
