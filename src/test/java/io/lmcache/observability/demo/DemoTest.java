package io.lmcache.observability.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lmcache.observability.catalog.Instrument;
import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.catalog.MetricCatalog;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class DemoTest {

  private static final int REQUESTS = 60;

  /**
   * What has no series while nothing has left L1: all come with an event that counts in l1_evicted
   * or in l2_load_completed, and those must tell the truth about the replay.
   */
  private static final Set<String> OF_WHAT_LEFT_L1 =
      Set.of(
          "lmcache_mp.l1_evicted",
          "lmcache_mp.l1_chunk_lifetime",
          "lmcache_mp.l1_chunk_idle_before_evict",
          "lmcache_mp.l1_chunk_evict_reuse_gap",
          "lmcache_mp.l2_load_completed",
          "lmcache_mp.l2_load_throughput");

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final Demo demo = new Demo(print(out), print(err), false);

  @TempDir private Path directory;

  private static PrintStream print(ByteArrayOutputStream bytes) {
    return new PrintStream(bytes, true, StandardCharsets.UTF_8);
  }

  private List<String> out() {
    return out.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private List<String> err() {
    return err.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private int run(String... args) {
    return demo.run(
        Stream.concat(Stream.of("--prometheus-port=0"), Stream.of(args)).toArray(String[]::new));
  }

  private CompletableFuture<Integer> start(String... args) {
    CompletableFuture<Integer> code = new CompletableFuture<>();
    Thread thread = new Thread(() -> code.complete(run(args)), "demo-test");
    thread.setDaemon(true);
    thread.start();
    return code;
  }

  private void awaitRounds(int count) {
    await()
        .atMost(Duration.ofSeconds(40))
        .until(
            () ->
                out().stream().filter(line -> line.startsWith("replay complete: ")).count()
                    >= count);
  }

  private String trace() throws IOException {
    Path file = directory.resolve("trace.jsonl");
    List<String> lines =
        TraceGenerator.generate(1, REQUESTS).stream()
            .map(
                request ->
                    "{\"timestamp\": %d, \"input_length\": %d, \"output_length\": %d, \"hash_ids\": %s}"
                        .formatted(
                            request.timestampMillis(),
                            request.inputLength(),
                            request.outputLength(),
                            request.hashIds()))
            .toList();
    return Files.write(file, lines).toString();
  }

  @Test
  void run_withExit_printsItsTwoLinesAndLeaves() throws IOException {
    assertThat(run("--exit", "--trace", trace(), "--l1-chunks=100")).isZero();
    assertThat(out()).first().asString().matches("metrics: http://127\\.0\\.0\\.1:\\d+/metrics");
    assertThat(out()).last().isEqualTo("replay complete: " + REQUESTS + " requests");
    assertThat(out()).anyMatch(line -> line.matches("hit rate: +\\d+\\.\\d\\d % .*"));
    assertThat(out()).anyMatch(line -> line.contains(" 0 dropped"));
    assertThat(err()).isEmpty();
  }

  @Test
  void run_byTheTracesTime_printsTheSame() throws IOException {
    assertThat(run("--exit", "--trace-time", "--trace=" + trace())).isZero();
    assertThat(out()).last().isEqualTo("replay complete: " + REQUESTS + " requests");
  }

  @Test
  void run_disabled_replaysWithoutAnEndpoint() throws IOException {
    assertThat(run("--exit", "--disable-observability", "--trace=" + trace())).isZero();
    assertThat(out()).noneMatch(line -> line.startsWith("metrics: "));
    assertThat(out())
        .anyMatch(line -> line.startsWith("events: ") && line.contains(" 0 published"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"--speed=0", "--trace-time"})
  void run_servingOn_hasEveryMetricOnThePageUntilItIsStopped(String time) throws Exception {
    assertPageLacks(Set.of(), time);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--speed=0", "--trace-time"})
  void run_withL1Unlimited_lacksOnlyTheMetricsOfWhatLeftL1(String time) throws Exception {
    assertPageLacks(OF_WHAT_LEFT_L1, time, "--l1-chunks=0");
  }

  @ParameterizedTest
  @CsvSource({"--speed=0, 8000", "--trace-time, 8000", "--speed=0, 0", "--trace-time, 0"})
  void run_publicTrace_hasTheSameMetricsOnThePage(String time, int l1Chunks) throws Exception {
    KnownTrace.read();
    assertPageLacks(
        l1Chunks == 0 ? OF_WHAT_LEFT_L1 : Set.of(),
        time,
        "--trace=" + System.getProperty("trace"),
        "--l1-chunks=" + l1Chunks);
  }

  /** Serves on after a replay, with every metric of the contract's table but these on the page. */
  private void assertPageLacks(Set<String> names, String... args) throws Exception {
    CompletableFuture<Integer> code = start(args);
    awaitRounds(1);
    String page = scrape(out().get(0).substring("metrics: ".length()));
    assertThat(page).contains("lmcache_mp_event_bus_dropped_events_total 0");
    List<Metric> table = MetricCatalog.all().stream().filter(row -> !row.additional()).toList();
    assertThat(table).hasSize(66);
    assertThat(table.stream().filter(row -> !hasSample(page, row)).map(Metric::name))
        .containsExactlyInAnyOrderElementsOf(names);
    assertThat(code).isNotDone();
    demo.stop();
    assertThat(code.get(20, TimeUnit.SECONDS)).isZero();
  }

  private static boolean hasSample(String page, Metric metric) {
    String name =
        metric.instrument() == Instrument.HISTOGRAM
            ? metric.prometheusName() + "_count"
            : metric.prometheusName();
    return page.lines()
        .anyMatch(line -> line.startsWith(name + "{") || line.startsWith(name + " "));
  }

  private static String scrape(String uri) throws IOException, InterruptedException {
    HttpResponse<String> response =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create(uri)).build(),
                HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).isEqualTo(200);
    return response.body();
  }

  @Test
  void run_withLoop_startsOverUntilItIsStopped() throws Exception {
    CompletableFuture<Integer> code = start("--loop", "--trace-time", "--trace", trace());
    awaitRounds(3);
    demo.stop();
    assertThat(code.get(20, TimeUnit.SECONDS)).isZero();
  }

  @Test
  void run_interrupted_stopsAndKeepsTheInterrupt() throws Exception {
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    String trace = trace();
    Thread thread =
        new Thread(
            () -> {
              int code = run("--trace", trace);
              interrupted.complete(code == 0 && Thread.currentThread().isInterrupted());
            });
    thread.start();
    awaitRounds(1);
    thread.interrupt();
    assertThat(interrupted.get(20, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void run_takenPort_isToldInOneLine() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());
      assertThat(demo.run("--exit", "--prometheus-port", port)).isEqualTo(2);
      assertThat(err()).singleElement().asString().startsWith("demo: ").contains(port);
      assertThat(out()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--nonsense",
        "--tenants=0",
        "--speed=x",
        "--metrics-sample-rate=7",
        "--enable-tracing",
        "--trace=no-such-file",
        "--trace=src",
      })
  void run_badInput_isToldInOneLine(String arg) {
    assertThat(run("--exit", arg)).isEqualTo(2);
    assertThat(err()).singleElement().asString().startsWith("demo: ");
    assertThat(out()).isEmpty();
  }

  @Test
  void run_malformedTrace_isToldWithItsLine() throws IOException {
    Path file = Files.writeString(directory.resolve("bad.jsonl"), "{\"timestamp\": 0}\n");
    assertThat(run("--exit", "--trace", file.toString())).isEqualTo(2);
    assertThat(err())
        .containsExactly("demo: --trace " + file + ": line 1: input_length is missing");
  }

  @Test
  void run_help_namesEveryOption() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains(
            "--trace", "--l1-chunks", "--tenants", "--speed", "--trace-time", "--loop", "--exit");
  }

  @Test
  void done_onATerminal_drawsABarThatEndsFull() {
    Progress progress = new Progress(print(out), true, 200);
    for (int i = 1; i <= 200; i++) {
      progress.done(i);
    }
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("\r[")
        .endsWith("[" + "#".repeat(40) + "] 200 of 200 requests (100 %)" + System.lineSeparator());
  }

  @Test
  void done_elsewhere_printsALineNowAndThen() {
    Progress progress = new Progress(print(out), false, 200);
    for (int i = 1; i <= 200; i++) {
      progress.done(i);
    }
    assertThat(out()).hasSizeBetween(4, 20).last().asString().contains("200 of 200");
  }
}
