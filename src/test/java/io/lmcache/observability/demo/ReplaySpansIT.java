package io.lmcache.observability.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.lmcache.observability.testing.DemoProcess;
import io.lmcache.observability.testing.OtlpReceiver;
import io.lmcache.observability.testing.OtlpReceiver.Transport;
import io.lmcache.observability.testing.PrometheusText;
import io.opentelemetry.proto.trace.v1.Span;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The running demo with tracing: its spans at a collector, and the way to them from its page. */
class ReplaySpansIT {

  private static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0";
  private static final Pattern EXEMPLAR =
      Pattern.compile(
          "(?m)^lmcache_mp_l0_l1_(store|load)_throughput_GBs_bucket.*trace_id=\"(\\w+)\"");

  /** Spans of the requests and of the showcase; the generated trace has 2,000 requests. */
  private static final Map<String, Long> COUNTS =
      Map.of("cb.request", 1L, "cb.lookup", 2L, "request", 2_001L, "mp.lookup_prefetch", 2_000L);

  @ParameterizedTest
  @EnumSource
  void exemplarsOfTheFirstPage_nameTracesThatTheCollectorHas(Transport transport) throws Exception {
    try (OtlpReceiver receiver = OtlpReceiver.start(transport);
        DemoProcess demo =
            DemoProcess.start(environment(transport), options(receiver.endpoint()))) {
      demo.awaitReplay();
      Set<String> copies = Set.of("store", "load");
      String page = demo.page(OPEN_METRICS);
      List<MatchResult> exemplars = EXEMPLAR.matcher(page).results().toList();
      assertThat(exemplars.stream().map(found -> found.group(1))).containsAll(copies);
      assertThat(EXEMPLAR.matcher(demo.page(OPEN_METRICS)).results())
          .as("a collection clears them")
          .isEmpty();
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(names(receiver)).containsAllEntriesOf(COUNTS));
      Set<String> traces = receiver.traceIds();
      assertThat(exemplars).allSatisfy(exemplar -> assertThat(traces).contains(exemplar.group(2)));
      assertWhole(receiver.spans());
      assertNothingLost(demo.page());
    }
  }

  private static Map<String, String> environment(Transport transport) {
    return Map.of(
        "OTEL_EXPORTER_OTLP_PROTOCOL",
        transport == Transport.GRPC ? "grpc" : "http/protobuf",
        "OTEL_BSP_MAX_QUEUE_SIZE",
        "100000");
  }

  private static String[] options(String endpoint) {
    return new String[] {"--enable-tracing", "--otlp-endpoint", endpoint};
  }

  private static Map<String, Long> names(OtlpReceiver receiver) {
    return receiver.spans().stream()
        .collect(Collectors.groupingBy(Span::getName, TreeMap::new, Collectors.counting()));
  }

  private static void assertWhole(List<Span> spans) {
    Map<ByteString, Span> byId = new HashMap<>();
    spans.forEach(span -> byId.put(span.getSpanId(), span));
    assertThat(byId).hasSameSizeAs(spans);
    for (Span span : spans) {
      Span parent = byId.get(span.getParentSpanId());
      assertThat(parent == null).as(span.getName()).isEqualTo(span.getName().equals("request"));
      if (parent != null) {
        assertThat(span.getEndTimeUnixNano()).isLessThanOrEqualTo(parent.getEndTimeUnixNano());
      }
    }
  }

  private static void assertNothingLost(PrometheusText page) {
    assertThat(page.sum("lmcache_mp_event_bus_dropped_events_total")).isZero();
    assertThat(page.sum("lmcache_mp_tracing_dropped_spans_total")).isZero();
    assertThat(page.sum("lmcache_mp_tracing_incomplete_spans_total")).isZero();
    assertThat(page.sum("lmcache_mp_contract_violations_total")).isZero();
    assertThat(page.sum("lmcache_mp_tracing_open_spans")).isZero();
  }
}
