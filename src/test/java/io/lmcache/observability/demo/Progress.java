package io.lmcache.observability.demo;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Shows how far a replay is: a bar on a terminal, elsewhere a line now and then. */
final class Progress {

  private static final int WIDTH = 40;
  private static final long BAR_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LINE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int LINE_PERCENT = 25;

  private final PrintStream out;
  private final boolean terminal;
  private final int total;
  private long lastNanos = System.nanoTime();
  private int lastPercent;

  Progress(PrintStream out, boolean terminal, int total) {
    this.out = out;
    this.terminal = terminal;
    this.total = total;
  }

  /** So many requests are done. */
  void done(int requests) {
    long now = System.nanoTime();
    int percent = (int) (100L * requests / total);
    boolean last = requests == total;
    if (terminal) {
      if (last || now - lastNanos >= BAR_NANOS) {
        lastNanos = now;
        bar(requests, percent);
      }
    } else if (last || percent >= lastPercent + LINE_PERCENT || now - lastNanos >= LINE_NANOS) {
      lastNanos = now;
      lastPercent = percent;
      out.println("replayed " + of(requests, percent));
    }
  }

  private void bar(int requests, int percent) {
    int filled = WIDTH * percent / 100;
    out.print(
        "\r[" + "#".repeat(filled) + "-".repeat(WIDTH - filled) + "] " + of(requests, percent));
    if (requests == total) {
      out.println();
    }
    out.flush();
  }

  private String of(int requests, int percent) {
    return String.format(Locale.ROOT, "%d of %d requests (%d %%)", requests, total, percent);
  }
}
