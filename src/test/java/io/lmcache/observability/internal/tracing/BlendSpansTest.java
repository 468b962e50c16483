package io.lmcache.observability.internal.tracing;

import static io.lmcache.observability.internal.tracing.TracingFixture.S;
import static io.lmcache.observability.internal.tracing.TracingFixture.attributes;
import static io.lmcache.observability.internal.tracing.TracingFixture.blendEnd;
import static io.lmcache.observability.internal.tracing.TracingFixture.blendStart;
import static io.lmcache.observability.internal.tracing.TracingFixture.requestEnd;
import static io.lmcache.observability.internal.tracing.TracingFixture.requestStart;
import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.event.BlendEvent;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BlendSpansTest {

  private static final String I = "instance-0";

  private final TracingFixture tracing = new TracingFixture();

  @AfterEach
  void nothingIsLeft() {
    assertThat(tracing.isEmpty()).isTrue();
    tracing.close();
  }

  private static BlendEvent.RetrieveEnd retrieveEnd(boolean success) {
    return new BlendEvent.RetrieveEnd(S, I, 4, success);
  }

  private static BlendEvent.StoreFinalEnd storeFinalEnd(boolean success) {
    return new BlendEvent.StoreFinalEnd(S, I, 64, 4, success);
  }

  private String parentOf(String name) {
    String parent = tracing.span(name).getParentSpanId();
    return tracing.spans().stream()
        .filter(span -> span.getSpanId().equals(parent))
        .map(SpanData::getName)
        .findFirst()
        .orElse("");
  }

  @Test
  void blending_insideARequest_isNested_andTheRequestWaitsForIt() {
    tracing.run(
        10,
        requestStart(),
        11,
        blendStart(),
        12,
        new BlendEvent.LookupStart(S, 64),
        13,
        new BlendEvent.LookupEnd(S, 64, 64, 16, 2, 1, 1, false),
        14,
        new BlendEvent.RetrieveSubmitted(S, I),
        15,
        new BlendEvent.RetrieveStart(S, I, 4),
        16,
        retrieveEnd(true),
        17,
        new BlendEvent.StorePreComputedSubmitted(S, I),
        18,
        new BlendEvent.StorePreComputedStart(S, I, 32),
        19,
        new BlendEvent.StorePreComputedEnd(S, I, 32, 2, true),
        20,
        blendEnd(),
        21,
        requestEnd());
    assertThat(tracing.names()).doesNotContain("cb.request", "request");
    tracing.run(30, new BlendEvent.StoreFinalSubmitted(S, I));
    assertThat(tracing.names()).doesNotContain("cb.request");
    tracing.run(31, new BlendEvent.StoreFinalStart(S, I, 64), 32, storeFinalEnd(true));
    assertThat(tracing.names())
        .containsExactly(
            "cb.lookup",
            "cb.retrieve",
            "cb.store_pre_computed",
            "cb.store_final",
            "cb.request",
            "request");
    for (String child :
        new String[] {"cb.lookup", "cb.retrieve", "cb.store_pre_computed", "cb.store_final"}) {
      assertThat(parentOf(child)).isEqualTo("cb.request");
      assertThat(tracing.span(child).getInstrumentationScopeInfo().getName())
          .isEqualTo("lmcache_mp.blend");
    }
    assertThat(parentOf("cb.request")).isEqualTo("request");
    assertThat(tracing.times("cb.request")).containsExactly(11L, 32L);
    assertThat(tracing.times("request")).containsExactly(10L, 32L);
    assertThat(attributes(tracing.span("request")))
        .containsEntry("request.end_time_unix_nano", 21L);
    assertThat(attributes(tracing.span("cb.request")))
        .isEqualTo(
            Map.of(
                "session_id", S,
                "requested_tokens", 64L,
                "hit_tokens", 16L,
                "hit_rate", 0.25,
                "request.end_time_unix_nano", 20L));
    assertThat(attributes(tracing.span("cb.lookup")))
        .containsEntry("no_gpu_context", false)
        .containsEntry("stale_chunks", 1L);
    assertThat(attributes(tracing.span("cb.store_final")))
        .isEqualTo(
            Map.of(
                "session_id",
                S,
                "instance_id",
                I,
                "num_tokens",
                64L,
                "stored_chunks",
                4L,
                "success",
                true));
  }

  @Test
  void end_betweenRetrieveAndFinalStore_waits_thoughNothingIsPending() {
    tracing.run(
        10,
        blendStart(),
        14,
        new BlendEvent.RetrieveSubmitted(S, I),
        15,
        new BlendEvent.RetrieveStart(S, I, 4),
        16,
        retrieveEnd(true),
        17,
        blendEnd());
    assertThat(tracing.names()).containsExactly("cb.retrieve");
    tracing.run(18, blendEnd(), 30, new BlendEvent.StoreFinalSubmitted(S, I));
    tracing.run(31, new BlendEvent.StoreFinalStart(S, I, 64), 33, storeFinalEnd(true));
    assertThat(tracing.times("cb.request")).containsExactly(10L, 33L);
    assertThat(attributes(tracing.span("cb.request")))
        .containsEntry("request.end_time_unix_nano", 18L);
    assertThat(tracing.violations("stray_end")).isZero();
  }

  @Test
  void end_afterARetrieve_whoseFinalStoreLostItsSubmitted_closesWithThatStore() {
    tracing.run(
        10,
        blendStart(),
        11,
        new BlendEvent.RetrieveSubmitted(S, I),
        12,
        new BlendEvent.RetrieveStart(S, I, 4),
        13,
        retrieveEnd(true),
        14,
        blendEnd(),
        15,
        new BlendEvent.StoreFinalStart(S, I, 4),
        16,
        new BlendEvent.StoreFinalEnd(S, I, 4, 4, true));
    assertThat(tracing.times("cb.request")).containsExactly(10L, 16L);
  }

  @Test
  void end_withNothingPending_closesAtOnce() {
    tracing.run(10, blendStart(), 12, blendEnd());
    assertThat(tracing.times("cb.request")).containsExactly(10L, 12L);
    assertThat(tracing.span("cb.request").getParentSpanContext().isValid()).isFalse();
    assertThat(attributes(tracing.span("cb.request"))).isEqualTo(Map.of("session_id", S));
  }

  @Test
  void failedOperation_hasStatusError() {
    tracing.run(
        10,
        blendStart(),
        15,
        new BlendEvent.RetrieveStart(S, I, 4),
        16,
        retrieveEnd(false),
        17,
        new BlendEvent.StoreFinalStart(S, I, 4),
        18,
        storeFinalEnd(true),
        20,
        blendEnd());
    assertThat(tracing.span("cb.retrieve").getStatus()).isEqualTo(StatusData.error());
    assertThat(tracing.span("cb.store_final").getStatus()).isEqualTo(StatusData.unset());
    assertThat(tracing.span("cb.request").getStatus()).isEqualTo(StatusData.unset());
    assertThat(attributes(tracing.span("cb.retrieve"))).containsEntry("success", false);
  }

  @Test
  void childFirst_opensTheRootOfBlending_underTheOpenRequest() {
    tracing.run(
        10,
        requestStart(),
        15,
        new BlendEvent.RetrieveStart(S, I, 4),
        16,
        retrieveEnd(true),
        20,
        blendEnd(),
        21,
        requestEnd());
    assertThat(tracing.times("cb.request")).containsExactly(15L, 20L);
    assertThat(parentOf("cb.request")).isEqualTo("request");
  }

  @Test
  void childFirst_withoutARequest_opensNoRequest() {
    tracing.run(15, new BlendEvent.LookupStart(S, 4), 20, blendEnd());
    assertThat(tracing.names()).containsExactly("cb.lookup", "cb.request");
    assertThat(attributes(tracing.span("cb.lookup"))).containsEntry("incomplete", "abandoned");
  }

  @Test
  void instances_areToldApart() {
    tracing.run(
        10,
        blendStart(),
        11,
        new BlendEvent.RetrieveStart(S, "a", 1),
        12,
        new BlendEvent.RetrieveStart(S, "b", 2),
        13,
        new BlendEvent.RetrieveEnd(S, "b", 2, true),
        14,
        new BlendEvent.RetrieveEnd(S, "a", 1, true),
        20,
        blendEnd());
    assertThat(TracingFixture.times(tracing.spans().get(0))).containsExactly(12L, 13L);
    assertThat(TracingFixture.times(tracing.spans().get(1))).containsExactly(11L, 14L);
  }

  @Test
  void instants_areMomentsUnderTheOpenRoot_elseAlone() {
    tracing.run(
        9,
        new BlendEvent.ChunksEvicted(S, 7),
        10,
        blendStart(),
        12,
        new BlendEvent.FingerprintsRegistered(S, 3, 48),
        11,
        blendEnd());
    assertThat(tracing.times("cb.chunks.evicted")).containsExactly(9L, 9L);
    assertThat(tracing.span("cb.chunks.evicted").getParentSpanContext().isValid()).isFalse();
    assertThat(attributes(tracing.span("cb.chunks.evicted")))
        .isEqualTo(Map.of("session_id", S, "num_chunks", 7L));
    assertThat(tracing.times("cb.fingerprints.registered")).containsExactly(12L, 12L);
    assertThat(parentOf("cb.fingerprints.registered")).isEqualTo("cb.request");
    assertThat(tracing.times("cb.request")).containsExactly(10L, 12L);
  }

  @Test
  void requestThatOpensLater_isNotTheParent() {
    tracing.run(10, blendStart(), 11, requestStart(), 12, requestEnd(), 13, blendEnd());
    assertThat(tracing.names()).containsExactly("request", "cb.request");
    assertThat(parentOf("cb.request")).isEmpty();
  }
}
