package io.lmcache.observability.demo;

import io.lmcache.observability.config.ObservabilityConfig;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the demo was asked to do.
 *
 * @param trace the file to replay; null for a trace of its own
 * @param l1Chunks the capacity of L1, 0 for none
 * @param speed 0 for as fast as it can, else a multiple of the trace's pace
 */
record DemoOptions(
    @Nullable Path trace,
    int l1Chunks,
    int tenants,
    double speed,
    boolean traceTime,
    boolean loop,
    boolean exit,
    ObservabilityConfig config) {

  static final String HELP =
      """
      Replays a request trace through a small two-tier cache and serves the metrics of it.

        --trace FILE     JSON lines: timestamp, input_length, output_length, hash_ids
                         (default: a generated trace)
        --l1-chunks N    capacity of L1 in chunks, 0 = unlimited (default: 8000)
        --tenants T      number of cache salts (default: 1)
        --speed S        0 = as fast as it can, 1 = the trace's own pace, 10 = ten times that
                         (default: 0)
        --trace-time     stamp events with the trace's time
        --loop           start over at the end, until stopped
        --exit           leave when the replay is done instead of serving on
        --help           show this

      All flags of the library are taken too, such as --prometheus-port P or --otlp-endpoint URL.
      """;

  /** A bad command line; the message lists all faults. */
  static final class UsageException extends Exception {

    private static final long serialVersionUID = 1;

    UsageException(String message) {
      super(message);
    }
  }

  static boolean asksForHelp(String... args) {
    return Arrays.asList(args).contains("--help");
  }

  /**
   * Reads a command line; the library's flags come first, what it does not know is the demo's. An
   * option is {@code --option value} or {@code --option=value}; given twice, the last holds.
   */
  static DemoOptions parse(ObservabilityConfig.Builder library, String... args)
      throws UsageException {
    Parser parser = new Parser(library.parse(args));
    parser.run();
    ObservabilityConfig config = null;
    try {
      config = library.build();
    } catch (IllegalArgumentException e) {
      parser.faults.add(String.valueOf(e.getMessage()));
    }
    if (parser.loop && parser.exit) {
      parser.faults.add("--loop and --exit exclude each other");
    }
    if (config == null || !parser.faults.isEmpty()) {
      throw new UsageException(String.join("; ", parser.faults));
    }
    return new DemoOptions(
        parser.trace,
        parser.l1Chunks,
        parser.tenants,
        parser.speed,
        parser.traceTime,
        parser.loop,
        parser.exit,
        config);
  }

  /** The demo's own options. */
  private static final class Parser {

    private final List<String> args;
    private final List<String> faults = new ArrayList<>();
    private int next;
    private @Nullable Path trace;
    private int l1Chunks = 8000;
    private int tenants = 1;
    private double speed;
    private boolean traceTime;
    private boolean loop;
    private boolean exit;

    Parser(List<String> args) {
      this.args = args;
    }

    void run() {
      while (next < args.size()) {
        String arg = args.get(next++);
        int equals = arg.indexOf('=');
        String name = equals < 0 ? arg : arg.substring(0, equals);
        String inline = equals < 0 ? null : arg.substring(equals + 1);
        switch (name) {
          case "--trace" -> take(name, inline, this::trace);
          case "--l1-chunks" ->
              take(name, inline, value -> l1Chunks = number(name, value, 0, l1Chunks));
          case "--tenants" ->
              take(name, inline, value -> tenants = number(name, value, 1, tenants));
          case "--speed" -> take(name, inline, this::speed);
          case "--trace-time" -> traceTime = turnOn(name, inline);
          case "--loop" -> loop = turnOn(name, inline);
          case "--exit" -> exit = turnOn(name, inline);
          default -> faults.add("unknown option " + quote(arg) + ", try --help");
        }
      }
    }

    private void take(String name, @Nullable String inline, Consumer<String> option) {
      if (inline != null) {
        option.accept(inline);
      } else if (next < args.size() && !args.get(next).startsWith("--")) {
        option.accept(args.get(next++));
      } else {
        faults.add(name + " needs a value");
      }
    }

    private boolean turnOn(String name, @Nullable String inline) {
      if (inline != null) {
        faults.add(name + " takes no value, but was given " + quote(inline));
      }
      return true;
    }

    private void trace(String value) {
      try {
        trace = Path.of(value);
      } catch (InvalidPathException e) {
        faults.add("--trace is not a file name: " + quote(value));
      }
      if (value.isEmpty()) {
        faults.add("--trace is empty");
      }
    }

    private void speed(String value) {
      try {
        speed = Double.parseDouble(value);
      } catch (NumberFormatException e) {
        speed = Double.NaN;
      }
      if (!(speed >= 0 && speed < Double.POSITIVE_INFINITY)) {
        faults.add("--speed must be a number from 0, not " + quote(value));
      }
    }

    private int number(String name, String value, int least, int otherwise) {
      try {
        int number = Integer.parseInt(value);
        if (number >= least) {
          return number;
        }
      } catch (NumberFormatException e) {
        // the same answer as to a number out of range
      }
      faults.add(
          name + " must be a whole number from " + least + " to 2147483647, not " + quote(value));
      return otherwise;
    }

    private static String quote(String text) {
      return '"' + text + '"';
    }
  }
}
