package io.lmcache.observability.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.catalog.MetricCatalog;
import io.lmcache.observability.testing.DemoProcess;
import io.lmcache.observability.testing.Distribution;
import io.lmcache.observability.testing.OtlpReceiver;
import io.lmcache.observability.testing.OtlpReceiver.Transport;
import io.lmcache.observability.testing.PrometheusText;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The running demo: the right answers on its page and, the same, at a collector. */
class ReplayExportIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  @TempDir private Path folder;

  private static Map<String, String> push(OtlpReceiver receiver, Transport transport) {
    return Map.of(
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        receiver.endpoint(),
        "OTEL_EXPORTER_OTLP_PROTOCOL",
        transport == Transport.GRPC ? "grpc" : "http/protobuf",
        "OTEL_METRIC_EXPORT_INTERVAL",
        "300");
  }

  private static String onPage(String otelName) {
    return MetricCatalog.all().stream()
        .filter(row -> row.name().equals(otelName))
        .map(Metric::prometheusName)
        .findFirst()
        .orElseThrow();
  }

  private static double sum(OtlpReceiver receiver, String name) {
    return receiver.totals().getOrDefault(name, Map.of()).values().stream()
        .mapToDouble(Number::doubleValue)
        .sum();
  }

  @ParameterizedTest
  @CsvSource({"0,GRPC", "8000,HTTP"})
  void publicTrace_hasItsKnownNumbers_onThePageAndOverOtlp(int l1Chunks, Transport transport)
      throws Exception {
    KnownTrace.read();
    try (OtlpReceiver receiver = OtlpReceiver.start(transport);
        DemoProcess demo =
            DemoProcess.start(
                push(receiver, transport),
                "--trace",
                System.getProperty("trace"),
                "--l1-chunks",
                Integer.toString(l1Chunks))) {
      demo.awaitReplay();
      PrometheusText page = demo.page();
      KnownTrace.numbers(l1Chunks)
          .forEach(
              (name, value) ->
                  assertThat(page.sum(onPage(name))).as(name).isEqualTo(value.doubleValue()));
      assertThat(page.sum("lmcache_mp_event_bus_dropped_events_total")).isZero();
      Awaitility.await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  KnownTrace.numbers(l1Chunks)
                      .forEach(
                          (name, value) ->
                              assertThat(sum(receiver, name))
                                  .as(name)
                                  .isEqualTo(value.doubleValue())));
      assertThat(sum(receiver, "lmcache_mp.event_bus.dropped_events_total")).isZero();
    }
  }

  @Test
  void generatedTrace_ofThreeTenants_isTheNaiveReplay_perSalt_onThePageAndOverOtlp()
      throws Exception {
    List<TraceRequest> requests = TraceGenerator.generate(11, 400);
    Path trace = write(requests);
    try (OtlpReceiver receiver = OtlpReceiver.start(Transport.HTTP);
        DemoProcess demo =
            DemoProcess.start(
                push(receiver, Transport.HTTP),
                "--trace=" + trace,
                "--l1-chunks=500",
                "--tenants=3")) {
      demo.awaitReplay();
      Map<String, Map<String, Long>> wanted = NaiveReplay.totals(requests, 500, 3).asMap();
      assertThat(wanted).isNotEmpty();
      PrometheusText page = demo.page();
      wanted.forEach(
          (name, salts) ->
              assertThat(bySalt(page.series(onPage(name)))).as(name).isEqualTo(doubles(salts)));
      Awaitility.await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  wanted.forEach(
                      (name, salts) ->
                          assertThat(bySalt(receiver.totals().getOrDefault(name, Map.of())))
                              .as(name)
                              .isEqualTo(doubles(salts))));
    }
  }

  @ParameterizedTest
  @EnumSource
  void generatedTrace_byItsOwnTime_hasTheNaiveHistograms_onThePageAndOverOtlp(Transport transport)
      throws Exception {
    List<TraceRequest> requests = TraceGenerator.generate(12, 400);
    Map<String, Map<Map<String, String>, Distribution>> wanted =
        NaiveHistograms.of(requests, 500, 3);
    assertThat(wanted).hasSize(10);
    try (OtlpReceiver receiver = OtlpReceiver.start(transport);
        DemoProcess demo =
            DemoProcess.start(
                push(receiver, transport),
                "--trace=" + write(requests),
                "--l1-chunks=500",
                "--tenants=3",
                "--trace-time",
                "--metrics-sample-rate=1")) {
      demo.awaitReplay();
      PrometheusText page = demo.page();
      wanted.forEach(
          (name, series) ->
              assertThat(Distribution.of(page, onPage(name)))
                  .as(name)
                  .usingRecursiveComparison(Distribution.UP_TO_ROUNDING)
                  .isEqualTo(series));
      Awaitility.await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  wanted.forEach(
                      (name, series) ->
                          assertThat(pushed(receiver, name))
                              .as(name)
                              .usingRecursiveComparison(Distribution.UP_TO_ROUNDING)
                              .isEqualTo(series)));
    }
  }

  private static Map<Map<String, String>, Distribution> pushed(OtlpReceiver receiver, String name) {
    return Distribution.of(
        receiver
            .metrics()
            .getOrDefault(name, io.opentelemetry.proto.metrics.v1.Metric.getDefaultInstance()));
  }

  private Path write(List<TraceRequest> requests) throws IOException {
    Path trace = folder.resolve("trace.jsonl");
    try (BufferedWriter lines = Files.newBufferedWriter(trace)) {
      for (TraceRequest request : requests) {
        lines.write(line(request));
      }
    }
    return trace;
  }

  private static Map<String, Double> doubles(Map<String, Long> values) {
    return bySalt(
        values.entrySet().stream()
            .collect(Collectors.toMap(e -> Map.of("cache_salt", e.getKey()), Map.Entry::getValue)));
  }

  private static String line(TraceRequest request) {
    return "{\"timestamp\": %d, \"input_length\": %d, \"output_length\": %d, \"hash_ids\": %s}%n"
        .formatted(
            request.timestampMillis(),
            request.inputLength(),
            request.outputLength(),
            request.hashIds());
  }

  private static Map<String, Double> bySalt(Map<Map<String, String>, ? extends Number> series) {
    Map<String, Double> bySalt = new HashMap<>();
    series.forEach(
        (labels, value) ->
            bySalt.merge(labels.getOrDefault("cache_salt", ""), value.doubleValue(), Double::sum));
    return bySalt;
  }
}
