package io.lmcache.observability.internal.support;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waiting for a condition for a bounded time, whatever the interrupt flag of the caller. */
public final class Await {

  private static final long FIRST_PARK_NANOS = 50_000;
  private static final long LONGEST_PARK_NANOS = 2_000_000;

  private Await() {}

  /**
   * Waits until the condition holds; true when it did. An interrupt neither ends the wait nor is
   * lost: the flag is set again on return.
   */
  public static boolean until(BooleanSupplier condition, long timeoutNanos) {
    long start = System.nanoTime();
    long park = FIRST_PARK_NANOS;
    boolean interrupted = false;
    try {
      while (!condition.getAsBoolean()) {
        long waited = System.nanoTime() - start;
        if (waited >= timeoutNanos) {
          return condition.getAsBoolean();
        }
        interrupted |= Thread.interrupted();
        LockSupport.parkNanos(Math.min(park, timeoutNanos - waited));
        park = Math.min(park * 2, LONGEST_PARK_NANOS);
      }
      return true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
