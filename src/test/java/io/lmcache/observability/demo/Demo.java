package io.lmcache.observability.demo;

import io.lmcache.observability.Observability;
import io.lmcache.observability.bus.BusStatistics;
import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.demo.DemoOptions.UsageException;
import java.io.Console;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs the demo: replays a trace, tells what came of it, and serves the metrics until stopped. */
public final class Demo {

  private static final int OK = 0;
  private static final int BAD_INPUT = 2;
  private static final int GENERATED_REQUESTS = 2000;
  private static final long GENERATOR_SEED = 1;
  private static final Duration FLUSH_TIMEOUT = Duration.ofMillis(200);
  private static final Set<String> LOCAL_HOSTS =
      Set.of("localhost", "127.0.0.1", "0.0.0.0", "::", "[::]", "0:0:0:0:0:0:0:0");

  private final PrintStream out;
  private final PrintStream err;
  private final boolean terminal;
  private final CountDownLatch stop = new CountDownLatch(1);
  private volatile @Nullable Observability running;

  Demo(PrintStream out, PrintStream err, boolean terminal) {
    this.out = out;
    this.err = err;
    this.terminal = terminal;
  }

  /** Ends the JVM with code 2 when options or trace are bad. */
  public static void main(String... args) {
    Demo demo = new Demo(System.out, System.err, onTerminal());
    Thread hook = new Thread(demo::stop, "demo-stop");
    Runtime.getRuntime().addShutdownHook(hook);
    int code = demo.run(args);
    if (code != OK) {
      System.exit(code);
    }
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // the JVM is going down, the hook runs
    }
  }

  /** Ends the replay or the serving, from any thread, and closes the library. */
  void stop() {
    stop.countDown();
    Observability observability = running;
    if (observability != null) {
      observability.close();
    }
  }

  /** Runs until it is done or stopped; an interrupt stops it as well. Returns the exit code. */
  int run(String... args) {
    if (DemoOptions.asksForHelp(args)) {
      out.print(DemoOptions.HELP);
      return OK;
    }
    DemoOptions options;
    try {
      options = DemoOptions.parse(ObservabilityConfig.builder(), args);
    } catch (UsageException e) {
      return refuse(String.valueOf(e.getMessage()));
    }
    Path trace = options.trace();
    List<TraceRequest> requests;
    try {
      requests =
          trace == null
              ? TraceGenerator.generate(GENERATOR_SEED, GENERATED_REQUESTS)
              : TraceReader.read(trace);
    } catch (IOException e) {
      return refuse("--trace " + trace + ": " + reason(e));
    }
    Timeline.Clock clock = options.traceTime() ? new Timeline.Clock() : null;
    Observability.Builder builder = Observability.builder().config(options.config());
    if (clock != null) {
      builder.clock(clock);
    }
    Observability observability;
    try {
      observability = builder.start();
    } catch (IllegalArgumentException | IllegalStateException e) {
      return refuse(String.valueOf(e.getMessage()));
    }
    try (observability) {
      running = observability;
      serve(options, requests, observability, clock);
      return OK;
    }
  }

  private void serve(
      DemoOptions options,
      List<TraceRequest> requests,
      Observability observability,
      Timeline.@Nullable Clock clock) {
    observability.prometheusUri().ifPresent(uri -> out.println("metrics: " + address(uri)));
    out.flush();
    EventBus bus = observability.bus();
    Replay.Facades facades =
        new Replay.Facades(observability.l1(), observability.storage(), observability.server());
    TierState state = new TierState(options.l1Chunks());
    state.register(facades);
    Timeline timeline =
        new Timeline(bus, options.config().maxQueueSize(), clock, options.speed(), this::isStopped);
    Replay replay = new Replay(facades, timeline, state, options.l1Chunks(), options.tenants());
    Showcase showcase = new Showcase(facades, timeline);
    int round = 1;
    do {
      playRound(round, requests, bus, timeline, replay, showcase, state);
      round++;
    } while (options.loop() && !isStopped());
    if (!options.exit()) {
      await();
    }
  }

  private void playRound(
      int round,
      List<TraceRequest> requests,
      EventBus bus,
      Timeline timeline,
      Replay replay,
      Showcase showcase,
      TierState state) {
    long startNanos = System.nanoTime();
    long publishedBefore = bus.statistics().published();
    Progress progress = new Progress(out, terminal, requests.size());
    Replay.Result result = replay.play(round, requests, progress::done);
    flush(bus);
    double seconds = (System.nanoTime() - startNanos) / 1e9;
    long published = bus.statistics().published() - publishedBefore;
    long end = timeline.now();
    if (!isStopped()) {
      showcase.play(round);
      state.backgroundWork();
    }
    if (timeline.setsClock()) {
      timeline.skipTo(end + Replay.AFTER_THE_END.toNanos());
    }
    flush(bus);
    if (!isStopped()) {
      summarize(result, seconds, published / seconds, bus.statistics());
      out.println("replay complete: " + result.requests() + " requests");
      out.flush();
    }
  }

  private void summarize(
      Replay.Result result, double seconds, double eventsPerSecond, BusStatistics events) {
    line("requests:  %d in %.2f s", result.requests(), seconds);
    line(
        "hit rate:  %.2f %% (%d of %d tokens)",
        result.requestedChunks() == 0 ? 0.0 : 100.0 * result.hitChunks() / result.requestedChunks(),
        result.hitChunks() * Replay.CHUNK_TOKENS,
        result.requestedChunks() * Replay.CHUNK_TOKENS);
    line("L1:        %d chunks, %d evicted", result.l1Chunks(), result.evictedChunks());
    line("L2:        %d chunks, %d loaded", result.l2Chunks(), result.loadedChunks());
    line(
        "events:    %d published, %d dispatched, %d dropped (%.0f per second)",
        events.published(), events.dispatched(), events.dropped(), eventsPerSecond);
  }

  private void line(String format, Object... values) {
    out.println(String.format(Locale.ROOT, format, values));
  }

  private void flush(EventBus bus) {
    while (!isStopped() && !bus.flush(FLUSH_TIMEOUT)) {
      Thread.onSpinWait();
    }
  }

  private boolean isStopped() {
    return stop.getCount() == 0 || Thread.currentThread().isInterrupted();
  }

  private void await() {
    if (isStopped()) {
      return;
    }
    out.println("serving on, stop with Ctrl-C");
    out.flush();
    try {
      while (!stop.await(1, TimeUnit.DAYS)) {
        Thread.onSpinWait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private int refuse(String message) {
    err.println("demo: " + oneLine(message));
    return BAD_INPUT;
  }

  private static String oneLine(String message) {
    return message
        .strip()
        .replaceFirst("\\s*\\R\\s*", ": ")
        .replaceAll("\\s*\\R\\s*", "; ")
        .replaceAll("\\p{Cntrl}", "?");
  }

  private static String reason(IOException e) {
    if (e instanceof NoSuchFileException) {
      return "no such file";
    }
    if (e instanceof AccessDeniedException) {
      return "may not be read";
    }
    return String.valueOf(e.getMessage());
  }

  /** From Java 22 on there is a console without a terminal; it can be asked then. */
  @SuppressWarnings("SystemConsoleNull")
  private static boolean onTerminal() {
    Console console = System.console();
    if (console == null) {
      return false;
    }
    try {
      return (boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (ReflectiveOperationException e) {
      return true;
    }
  }

  /** Where to scrape from this machine. */
  private static String address(URI uri) {
    String host = LOCAL_HOSTS.contains(uri.getHost()) ? "127.0.0.1" : uri.getHost();
    return "http://" + host + ":" + uri.getPort() + "/metrics";
  }
}
