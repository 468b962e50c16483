package io.lmcache.observability.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The demo in a JVM of its own, on a free port. */
public final class DemoProcess implements AutoCloseable {

  private static final String MAIN = "io.lmcache.observability.demo.Demo";
  private static final long LIMIT_SECONDS = 120;

  private final Process process;
  private final List<String> lines = new ArrayList<>();
  private final CompletableFuture<URI> metrics = new CompletableFuture<>();
  private final CompletableFuture<String> complete = new CompletableFuture<>();

  private DemoProcess(Process process) {
    this.process = process;
    Thread reader = new Thread(this::read, "demo-output");
    reader.setDaemon(true);
    reader.start();
  }

  /** Starts the demo with options, and with environment variables beside those of this JVM. */
  public static DemoProcess start(Map<String, String> environment, String... options)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(MAIN);
    command.addAll(List.of("--prometheus-port", "0"));
    command.addAll(List.of(options));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    return new DemoProcess(builder.start());
  }

  private void read() {
    try (BufferedReader output =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        lines.add(line);
        if (line.startsWith("metrics: ")) {
          metrics.complete(URI.create(line.substring("metrics: ".length())));
        } else if (line.startsWith("replay complete: ")) {
          complete.complete(line);
        }
      }
    } catch (IOException e) {
      lines.add(e.toString());
    }
    IllegalStateException ended = new IllegalStateException("the demo ended: " + lines);
    metrics.completeExceptionally(ended);
    complete.completeExceptionally(ended);
  }

  /** Where it serves; waits until it does. */
  public URI metrics() throws Exception {
    return metrics.get(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  /** Waits until the replay is complete. */
  public void awaitReplay() throws Exception {
    complete.get(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  /** The page now. */
  public PrometheusText page() throws Exception {
    return PrometheusText.parse(page("text/plain"));
  }

  /** The page now, in the format of an {@code Accept} header. */
  public String page(String accept) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(metrics()).header("Accept", accept).build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UncheckedIOException(new IOException(e));
    }
  }
}
