package io.lmcache.observability.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.lmcache.observability.Observability;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.BlendEvent;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.internal.support.Warnings;
import io.lmcache.observability.testing.Logs;
import io.lmcache.observability.testing.OtlpReceiver;
import io.lmcache.observability.testing.OtlpReceiver.Transport;
import io.lmcache.observability.testing.PrometheusText;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status.StatusCode;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Spans from the events to the collector. */
class TracingTest {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0";

  /** A time with all its nanoseconds. */
  private final long t0 = TimeUnit.SECONDS.toNanos(Instant.now().getEpochSecond()) + 123_456_789;

  private static Observability start(
      OtlpReceiver receiver, Transport transport, String... environment) {
    Map<String, String> variables = new HashMap<>();
    variables.put(
        "OTEL_EXPORTER_OTLP_PROTOCOL", transport == Transport.GRPC ? "grpc" : "http/protobuf");
    for (int i = 0; i < environment.length; i += 2) {
      variables.put(environment[i], environment[i + 1]);
    }
    ObservabilityConfig config =
        ObservabilityConfig.builder()
            .environment(variables)
            .systemProperties(Map.of())
            .otlpEndpoint(receiver.endpoint())
            .tracing(true)
            .build();
    return Observability.builder().config(config).start();
  }

  private void publish(Observability observability, Object... timesAndEvents) {
    for (int i = 0; i < timesAndEvents.length; i += 2) {
      long time = t0 + ((Number) timesAndEvents[i]).longValue();
      assertThat(observability.sink().publish((Event) timesAndEvents[i + 1], time)).isTrue();
    }
  }

  private static Event storeStart(String session, String device) {
    return new ServerEvent.StoreStart(session, device, "e", "m");
  }

  private static Event storeEnd(String session, String device) {
    return new ServerEvent.StoreEnd(session, device, "e", "m", 3, 1_000_000);
  }

  /** The six shapes, and blending. */
  private void publishShapes(Observability o) {
    String parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    publish(
        o,
        1,
        new ServerEvent.RequestStart("hit", parent, "a=b"),
        2,
        new ServerEvent.LookupPrefetchStart("hit"),
        3,
        new ServerEvent.LookupPrefetchEnd("hit", 3, 64, 48, "m", "t"),
        4,
        new ServerEvent.RetrieveStart("hit", "d0", "e", "m"),
        5,
        new ServerEvent.RetrieveEnd("hit", "d0", "e", "m", "t", 3, 9),
        6,
        storeStart("hit", "d0"),
        7,
        storeEnd("hit", "d0"),
        8,
        new ServerEvent.RequestEnd("hit"));
    publish(
        o,
        11,
        new ServerEvent.RequestStart("miss"),
        12,
        new ServerEvent.LookupPrefetchStart("miss"),
        13,
        new ServerEvent.LookupPrefetchEnd("miss", 0, 64, 0, "m", "t"),
        14,
        storeStart("miss", "d0"),
        15,
        storeEnd("miss", "d0"),
        16,
        new ServerEvent.RequestEnd("miss"));
    publish(
        o,
        21,
        new ServerEvent.RequestStart("lookup"),
        22,
        new ServerEvent.LookupPrefetchStart("lookup"),
        23,
        new ServerEvent.LookupPrefetchEnd("lookup", 0, 64, 0, "m", "t"),
        24,
        new ServerEvent.RequestEnd("lookup"));
    publish(
        o,
        31,
        storeStart("store", "d0"),
        32,
        storeEnd("store", "d0"),
        33,
        new ServerEvent.RequestEnd("store"));
    publish(
        o,
        41,
        new ServerEvent.RequestStart("deferred"),
        42,
        storeStart("deferred", "d0"),
        43,
        new ServerEvent.RequestEnd("deferred"),
        44,
        storeEnd("deferred", "d0"));
    publish(
        o,
        51,
        new ServerEvent.RequestStart("two"),
        52,
        storeStart("two", "d0"),
        53,
        storeStart("two", "d1"),
        54,
        new ServerEvent.RequestEnd("two"),
        55,
        storeEnd("two", "d1"),
        56,
        storeEnd("two", "d0"));
    publish(
        o,
        61,
        new ServerEvent.RequestStart("blend"),
        62,
        new BlendEvent.RequestStart("blend"),
        63,
        new BlendEvent.RetrieveStart("blend", "i0", 4),
        64,
        new BlendEvent.RetrieveEnd("blend", "i0", 4, false),
        65,
        new BlendEvent.RequestEnd("blend"),
        66,
        new ServerEvent.RequestEnd("blend"));
  }

  /** Name, parent's name, start and end of the spans of a session, in the order of their start. */
  private List<String> tree(OtlpReceiver receiver, String session) {
    Map<ByteString, Span> byId = new HashMap<>();
    receiver.spans().forEach(span -> byId.put(span.getSpanId(), span));
    TreeMap<Long, String> lines = new TreeMap<>();
    for (Span span : receiver.spans()) {
      if (attribute(span, "session_id").getStringValue().equals(session)) {
        Span parent = byId.get(span.getParentSpanId());
        lines.put(
            span.getStartTimeUnixNano(),
            String.format(
                "%s < %s %d-%d",
                span.getName(),
                parent == null ? "-" : parent.getName(),
                span.getStartTimeUnixNano() - t0,
                span.getEndTimeUnixNano() - t0));
      }
    }
    return List.copyOf(lines.values());
  }

  private static AnyValue attribute(Span span, String name) {
    return span.getAttributesList().stream()
        .filter(attribute -> attribute.getKey().equals(name))
        .map(KeyValue::getValue)
        .findFirst()
        .orElse(AnyValue.getDefaultInstance());
  }

  private static Span span(OtlpReceiver receiver, String session, String name) {
    return receiver.spans().stream()
        .filter(span -> span.getName().equals(name))
        .filter(span -> attribute(span, "session_id").getStringValue().equals(session))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @EnumSource
  void shapes_arriveWhole_withParentsTimesAndTypes(Transport transport) throws Exception {
    try (OtlpReceiver receiver = OtlpReceiver.start(transport);
        Observability observability = start(receiver, transport)) {
      publishShapes(observability);
      assertThat(observability.flush(SOON)).isTrue();
      assertThat(tree(receiver, "hit"))
          .containsExactly(
              "request < - 1-8",
              "mp.lookup_prefetch < request 2-3",
              "mp.retrieve < request 4-5",
              "mp.store < request 6-7");
      assertThat(tree(receiver, "miss"))
          .containsExactly(
              "request < - 11-16",
              "mp.lookup_prefetch < request 12-13",
              "mp.store < request 14-15");
      assertThat(tree(receiver, "lookup"))
          .containsExactly("request < - 21-24", "mp.lookup_prefetch < request 22-23");
      assertThat(tree(receiver, "store")).hasSize(1); // root and store start at the same time
      assertThat(span(receiver, "store", "request").getEndTimeUnixNano()).isEqualTo(t0 + 33);
      assertThat(span(receiver, "store", "mp.store").getParentSpanId())
          .isEqualTo(span(receiver, "store", "request").getSpanId());
      assertThat(tree(receiver, "deferred"))
          .containsExactly("request < - 41-44", "mp.store < request 42-44");
      assertThat(tree(receiver, "two"))
          .containsExactly(
              "request < - 51-56", "mp.store < request 52-56", "mp.store < request 53-55");
      assertThat(tree(receiver, "blend"))
          .containsExactly(
              "request < - 61-66", "cb.request < request 62-65", "cb.retrieve < cb.request 63-64");
      assertDetails(receiver);
      assertThat(receiver.resources())
          .allSatisfy(
              resource ->
                  assertThat(OtlpReceiver.attributes(resource.getAttributesList()))
                      .containsEntry("service.name", "lmcache-mp-server")
                      .containsEntry("service.instance.id", observability.instanceId()));
    }
  }

  private void assertDetails(OtlpReceiver receiver) {
    Span hit = span(receiver, "hit", "request");
    assertThat(HexFormat.of().formatHex(hit.getTraceId().toByteArray()))
        .isEqualTo("0af7651916cd43dd8448eb211c80319c");
    assertThat(HexFormat.of().formatHex(hit.getParentSpanId().toByteArray()))
        .isEqualTo("b7ad6b7169203331");
    assertThat(hit.getTraceState()).isEqualTo("a=b");
    assertThat(attribute(hit, "requested_tokens").getIntValue()).isEqualTo(64);
    assertThat(attribute(hit, "hit_rate").hasDoubleValue()).isTrue();
    assertThat(attribute(hit, "hit_rate").getDoubleValue()).isEqualTo(0.75);
    assertThat(attribute(hit, "traceparent").hasStringValue()).isFalse();
    assertThat(attribute(span(receiver, "hit", "mp.store"), "total_bytes").getIntValue())
        .isEqualTo(1_000_000);
    assertThat(
            attribute(span(receiver, "deferred", "request"), "request.end_time_unix_nano")
                .getIntValue())
        .isEqualTo(t0 + 43);
    Span failed = span(receiver, "blend", "cb.retrieve");
    assertThat(attribute(failed, "success").hasBoolValue()).isTrue();
    assertThat(failed.getStatus().getCode()).isEqualTo(StatusCode.STATUS_CODE_ERROR);
    assertThat(receiver.scope(failed)).isEqualTo("lmcache_mp.blend");
    assertThat(receiver.scope(hit)).isEqualTo("lmcache_mp.server");
  }

  @Test
  void firstPage_hasExemplarsOfTheCopies_thatLeadToTheirSpans() throws Exception {
    try (OtlpReceiver receiver = OtlpReceiver.start(Transport.HTTP);
        Observability observability = start(receiver, Transport.HTTP)) {
      publishShapes(observability);
      assertThat(observability.bus().flush(SOON)).isTrue();
      List<String> exemplars =
          observability
              .prometheusPage(OPEN_METRICS)
              .text()
              .lines()
              .filter(line -> line.contains("# {") && line.contains("trace_id"))
              .toList();
      assertThat(exemplars).isNotEmpty();
      assertThat(exemplars)
          .allMatch(line -> line.matches("lmcache_mp_l0_l1_(store|load)_throughput_GBs_bucket.*"));
      assertThat(observability.flush(SOON)).isTrue();
      for (String line : exemplars) {
        Span copy =
            receiver.spans().stream()
                .filter(span -> line.contains(hex(span.getSpanId())))
                .findFirst()
                .orElseThrow();
        assertThat(copy.getName()).isEqualTo(line.contains("store") ? "mp.store" : "mp.retrieve");
        assertThat(line).contains("trace_id=\"" + hex(copy.getTraceId()) + "\"");
      }
    }
  }

  private static String hex(ByteString bytes) {
    return HexFormat.of().formatHex(bytes.toByteArray());
  }

  @Test
  void page_whileTracing_hasItsOwnNumbers_withZeros() throws Exception {
    try (OtlpReceiver receiver = OtlpReceiver.start(Transport.HTTP);
        Observability observability = start(receiver, Transport.HTTP)) {
      PrometheusText page = PrometheusText.parse(observability.prometheusPage(null).text());
      assertThat(page.series("lmcache_mp_tracing_open_spans")).containsValue(0.0);
      assertThat(page.series("lmcache_mp_tracing_dropped_spans_total")).containsValue(0.0);
      for (String reason : new String[] {"abandoned", "expired", "evicted", "shutdown"}) {
        assertThat(page.series("lmcache_mp_tracing_incomplete_spans_total"))
            .containsEntry(Map.of("reason", reason), 0.0);
      }
      for (String rule :
          new String[] {"stray_start", "stray_end", "missing_start", "invalid_traceparent"}) {
        assertThat(page.series("lmcache_mp_contract_violations_total"))
            .containsEntry(Map.of("rule", rule), 0.0);
      }
      publish(observability, 1, new ServerEvent.RequestStart("s"), 2, storeEnd("s", "d0"));
      assertThat(observability.bus().flush(SOON)).isTrue();
      page = PrometheusText.parse(observability.prometheusPage(null).text());
      assertThat(page.series("lmcache_mp_tracing_open_spans")).containsValue(1.0);
      assertThat(page.series("lmcache_mp_contract_violations_total"))
          .containsEntry(Map.of("rule", "stray_end"), 1.0);
      assertThat(page.series("lmcache_mp_event_bus_subscriber_exceptions_total"))
          .containsEntry(Map.of("subscriber_name", "TracingSubscriber"), 0.0);
    }
  }

  @ParameterizedTest
  @EnumSource
  void close_withAnOpenRequest_andASlowCollector_deliversTheRoot(Transport transport)
      throws Exception {
    try (OtlpReceiver receiver = OtlpReceiver.start(transport)) {
      receiver.delay(Duration.ofSeconds(1));
      Observability observability = start(receiver, transport);
      publish(observability, 1, new ServerEvent.RequestStart("s"), 2, storeStart("s", "d0"));
      assertThat(observability.close(SOON)).isTrue();
      assertThat(receiver.spans()).hasSize(2);
      for (Span span : receiver.spans()) {
        assertThat(attribute(span, "incomplete").getStringValue()).isEqualTo("shutdown");
      }
      assertThat(span(receiver, "s", "mp.store").getParentSpanId())
          .isEqualTo(span(receiver, "s", "request").getSpanId());
      Map<String, String> shutdown = Map.of("reason", "shutdown");
      assertThat(receiver.total("lmcache_mp.tracing.incomplete_spans", shutdown)).isEqualTo(2L);
      assertThat(receiver.total("lmcache_mp.tracing.open_spans", Map.of())).isEqualTo(0L);
    }
  }

  @Test
  void fullSpanQueue_isWarnedOf_andCounted_andSlowsNobody() throws Exception {
    int requests = 2_000;
    try (OtlpReceiver receiver = OtlpReceiver.start(Transport.HTTP);
        Logs logs = Logs.of(Warnings.LOGGER)) {
      receiver.delay(Duration.ofMillis(300));
      Observability observability =
          start(receiver, Transport.HTTP, "OTEL_BSP_MAX_QUEUE_SIZE", "10");
      long begin = System.nanoTime();
      for (int i = 0; i < requests; i++) {
        publish(
            observability,
            1,
            new ServerEvent.RequestStart("s" + i),
            2,
            new ServerEvent.RequestEnd("s" + i));
      }
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
      assertThat(observability.bus().flush(SOON)).isTrue();
      receiver.delay(Duration.ZERO);
      assertThat(observability.flush(SOON)).isTrue();
      long dropped =
          Objects.requireNonNull(receiver.total("lmcache_mp.tracing.dropped_spans", Map.of()))
              .longValue();
      assertThat(dropped).isPositive();
      assertThat(receiver.spans().size() + dropped).isEqualTo(requests);
      assertThat(logs.warnings())
          .singleElement()
          .asString()
          .contains("The queue of 10 spans is full (OTEL_BSP_MAX_QUEUE_SIZE)");
      assertThat(observability.close(SOON)).isTrue();
    }
  }

  @Test
  void refusedSpans_areCounted() throws Exception {
    try (OtlpReceiver receiver = OtlpReceiver.start(Transport.HTTP);
        Observability observability = start(receiver, Transport.HTTP)) {
      receiver.answer(404);
      publishShapes(observability);
      assertThat(observability.flush(SOON)).isFalse();
      receiver.answer(200);
      assertThat(observability.flush(SOON)).isTrue();
      assertThat(receiver.total("lmcache_mp.tracing.dropped_spans", Map.of())).isEqualTo(19L);
    }
  }
}
