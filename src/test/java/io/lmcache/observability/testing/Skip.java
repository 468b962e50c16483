package io.lmcache.observability.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Skips a test for want of something, and says so where the build is watched. */
public final class Skip {

  private Skip() {}

  /** Skips the test unless the condition holds. */
  public static void unless(boolean condition, String reason) {
    if (!condition) {
      System.err.println("SKIPPED: " + reason);
    }
    assumeTrue(condition, reason);
  }
}
