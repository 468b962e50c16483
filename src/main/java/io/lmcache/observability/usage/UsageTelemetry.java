package io.lmcache.observability.usage;

import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.internal.support.Clock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Usage telemetry: tells the maintainers of the cache what deployments look like. It runs only when
 * the embedding server starts it here, and never when the operator has switched it off.
 *
 * <p><b>What is sent.</b> The kind of machine, the configuration, and every ten minutes how many
 * tokens and bytes were stored and served, as JSON; never prompts, keys, salts, paths, host names.
 * {@code docs/usage-telemetry.md} has every field.
 *
 * <p><b>Where.</b> {@code http://stats.lmcache.ai:8080}, or the server that {@code
 * LMCACHE_USAGE_TRACK_URL} or {@link Options#url} names.
 *
 * <p><b>How to stop it.</b> {@code LMCACHE_TRACK_USAGE=false} or {@code DO_NOT_TRACK=1} in the
 * environment, or {@link Options#enabled enabled(false)} in code; any of them is enough. Then no
 * file is made, no thread is started and no socket is opened.
 *
 * <p>Any thread may start it. It never throws, blocks for no network or file, and sends on a daemon
 * thread of its own; what fails is logged once at DEBUG and lost.
 */
public final class UsageTelemetry {

  private static final String DEFAULT_URL = "http://stats.lmcache.ai:8080";
  private static final Duration DEFAULT_INTERVAL = Duration.ofMinutes(10);

  private UsageTelemetry() {}

  /**
   * Starts it for a cache inside a serving engine, as the environment says.
   *
   * @return where to report what the cache does; empty when it is off or cannot run
   */
  public static Optional<EngineUsage> startEngine(EngineUsage.Setup setup) {
    return startEngine(setup, options());
  }

  /** Starts it for a cache inside a serving engine. */
  public static Optional<EngineUsage> startEngine(EngineUsage.Setup setup, Options options) {
    try {
      return options.isOn()
          ? Optional.of(new EngineUsage(setup, options.copy()))
          : Optional.empty();
    } catch (Throwable fault) {
      return failed(fault);
    }
  }

  /**
   * Starts it for a cache server, as the environment says. It subscribes to the bus; start it
   * before registering subscribers of one's own, which then come after it. Stopping the bus sends
   * what is left and stops it.
   *
   * @param bus the bus of the server's events; of a disabled one nothing is counted
   * @return the handle; empty when it is off or cannot run
   */
  public static Optional<MpServerUsage> startMpServer(EventBus bus, MpServerUsage.Setup setup) {
    return startMpServer(bus, setup, options());
  }

  /** Starts it for a cache server. */
  public static Optional<MpServerUsage> startMpServer(
      EventBus bus, MpServerUsage.Setup setup, Options options) {
    try {
      return options.isOn()
          ? Optional.of(MpServerUsage.start(bus, setup, options.copy()))
          : Optional.empty();
    } catch (Throwable fault) {
      return failed(fault);
    }
  }

  private static <T> Optional<T> failed(Throwable fault) {
    Outbox.debug("could not be started", fault);
    return Optional.empty();
  }

  /** How it runs; everything has a default. */
  public static Options options() {
    return new Options();
  }

  /** How usage telemetry runs. Code wins over the environment, but for the two opt-outs. */
  public static final class Options {

    private static final Pattern SECONDS = Pattern.compile("[+-]?\\d{1,15}(\\.\\d{0,15})?");
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofDays(365);

    private boolean enabled = true;
    private Function<String, @Nullable String> environment = System::getenv;
    private @Nullable String url;
    private @Nullable Duration interval;
    private @Nullable Path localLog;
    private @Nullable Path home;
    private @Nullable InstantSource clock;
    @Nullable UsageSender sender;

    private Options() {}

    private Options copy() {
      Options copy = new Options();
      copy.enabled = enabled;
      copy.environment = environment;
      copy.url = url;
      copy.interval = interval;
      copy.localLog = localLog;
      copy.home = home;
      copy.clock = clock;
      copy.sender = sender;
      return copy;
    }

    /** False switches it off; true, the default, leaves the decision to the environment. */
    public Options enabled(boolean enabled) {
      this.enabled = enabled;
      return this;
    }

    /** Where the variables are read; the process's environment by default. */
    public Options environment(Function<String, @Nullable String> environment) {
      this.environment = Objects.requireNonNull(environment, "environment");
      return this;
    }

    /** The base URL of the statistics server, http or https; its path is kept. */
    public Options url(String url) {
      this.url = Objects.requireNonNull(url, "url");
      return this;
    }

    /** How long an interval is, at least 1 s; ten minutes by default. */
    public Options interval(Duration interval) {
      this.interval = Objects.requireNonNull(interval, "interval");
      return this;
    }

    /** A file to which every report is appended as well; {@code ~/} at its start is the home. */
    public Options localLog(Path localLog) {
      this.localLog = Objects.requireNonNull(localLog, "localLog");
      return this;
    }

    /** The folder below which {@code .config/lmcache/machine_id} lies; the user's by default. */
    public Options home(Path home) {
      this.home = Objects.requireNonNull(home, "home");
      return this;
    }

    /** The clock, which any thread may read at any time; the machine's by default. */
    public Options clock(InstantSource clock) {
      this.clock = Objects.requireNonNull(clock, "clock");
      return this;
    }

    /** Who takes the reports instead of the statistics server. */
    public Options sender(UsageSender sender) {
      this.sender = Objects.requireNonNull(sender, "sender");
      return this;
    }

    boolean isOn() {
      return enabled && Identity.isEnabled(environment);
    }

    String baseUrl() {
      String set = url == null ? Identity.value(environment, "LMCACHE_USAGE_TRACK_URL") : url;
      return set.isBlank() ? DEFAULT_URL : set.strip();
    }

    long intervalNanos() {
      Duration set = interval == null ? environmentInterval() : interval;
      Duration least = set.compareTo(SHORTEST) < 0 ? SHORTEST : set;
      return (least.compareTo(LONGEST) > 0 ? LONGEST : least).toNanos();
    }

    private Duration environmentInterval() {
      String text = Identity.value(environment, "LMCACHE_USAGE_TRACK_INTERVAL");
      return SECONDS.matcher(text).matches()
          ? Duration.ofMillis((long) (Double.parseDouble(text) * TimeUnit.SECONDS.toMillis(1)))
          : DEFAULT_INTERVAL;
    }

    @Nullable Path localLogPath() {
      return localLog != null && localLog.startsWith("~")
          ? home().resolve(localLog.subpath(1, localLog.getNameCount()))
          : localLog;
    }

    Path home() {
      return home == null ? Path.of(System.getProperty("user.home")) : home;
    }

    String environmentValue(String name) {
      return Identity.value(environment, name);
    }

    Clock telemetryClock() {
      return clock == null ? Clock.system() : Clock.of(clock);
    }
  }
}
