package io.lmcache.observability.testing;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** What the tests want to know of threads. */
public final class Threads {

  private static final long PATIENCE_SECONDS = 30;

  private Threads() {}

  /** The live threads whose name starts so. */
  public static List<Thread> named(String prefix) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.isAlive() && thread.getName().startsWith(prefix))
        .toList();
  }

  /** Waits for a latch, whatever the interrupt flag; gives up loudly after half a minute. */
  public static void await(CountDownLatch latch) {
    boolean interrupted = false;
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    try {
      while (true) {
        try {
          if (!latch.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
            throw new AssertionError("waited in vain for " + PATIENCE_SECONDS + " s");
          }
          return;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Waits for the end of a thread; gives up loudly after half a minute. */
  public static void join(Thread thread) {
    try {
      thread.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    if (thread.isAlive()) {
      throw new AssertionError(thread + " does not end");
    }
  }

  /** Runs the same on several threads, which start at once; returns when all are done. */
  public static void together(int count, IndexedTask task) {
    CountDownLatch gate = new CountDownLatch(1);
    List<Thread> threads =
        IntStream.range(0, count)
            .mapToObj(
                index ->
                    new Thread(
                        () -> {
                          await(gate);
                          task.run(index);
                        },
                        "test-" + index))
            .toList();
    threads.forEach(Thread::start);
    gate.countDown();
    threads.forEach(Threads::join);
  }

  /** What {@link #together} runs. */
  @FunctionalInterface
  public interface IndexedTask {

    /** Runs as the thread of that number, from 0. */
    void run(int index);
  }

  /** The bytes that the calling thread allocates while it runs something. */
  public static long allocatedBy(Runnable task) {
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long self = Thread.currentThread().getId();
    long before = threads.getThreadAllocatedBytes(self);
    long empty = threads.getThreadAllocatedBytes(self) - before;
    before = threads.getThreadAllocatedBytes(self);
    task.run();
    return threads.getThreadAllocatedBytes(self) - before - empty;
  }

  /** The processor time that some threads have used. */
  public static long cpuNanos(List<Thread> of) {
    return of.stream()
        .mapToLong(thread -> ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.getId()))
        .sum();
  }
}
