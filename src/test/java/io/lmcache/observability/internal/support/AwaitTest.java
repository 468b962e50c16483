package io.lmcache.observability.internal.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AwaitTest {

  private static final long SHORT = TimeUnit.MILLISECONDS.toNanos(20);

  private final AtomicInteger looks = new AtomicInteger();

  @AfterEach
  @SuppressWarnings("ResultOfMethodCallIgnored")
  void forgetInterrupt() {
    Thread.interrupted();
  }

  @Test
  void until_conditionHolds_looksOnce() {
    assertThat(Await.until(() -> looks.incrementAndGet() == 1, 0)).isTrue();
    assertThat(looks).hasValue(1);
  }

  @Test
  void until_noTime_looksAndGivesUp() {
    for (long none : new long[] {0, -1, Long.MIN_VALUE + 1}) {
      assertThat(Await.until(() -> false, none)).isFalse();
    }
  }

  @Test
  void until_conditionComesAtTheLastLook_isTrue() {
    assertThat(Await.until(() -> looks.incrementAndGet() == 2, 0)).isTrue();
  }

  @Test
  void until_conditionComesLater_isTrueWithEndlessPatience() {
    assertThat(Await.until(() -> looks.incrementAndGet() == 20, Long.MAX_VALUE)).isTrue();
  }

  @Test
  void until_neverTrue_waitsTheWholeTime() {
    long start = System.nanoTime();
    assertThat(Await.until(() -> false, SHORT)).isFalse();
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(SHORT);
  }

  @Test
  void until_interruptedBefore_waitsAndKeepsTheFlag() {
    Thread.currentThread().interrupt();
    long start = System.nanoTime();
    assertThat(Await.until(() -> looks.incrementAndGet() < 0, SHORT)).isFalse();
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(SHORT);
    assertThat(Thread.currentThread().isInterrupted()).isTrue();
    assertThat(looks.get()).isLessThan(200); // an interrupt that is left standing spins
  }

  @Test
  void until_interruptedAmid_keepsTheFlag() {
    Thread self = Thread.currentThread();
    assertThat(
            Await.until(
                () -> {
                  if (looks.incrementAndGet() == 3) {
                    self.interrupt();
                  }
                  return looks.get() == 6;
                },
                Long.MAX_VALUE))
        .isTrue();
    assertThat(self.isInterrupted()).isTrue();
  }

  @Test
  void until_notInterrupted_setsNoFlag() {
    Await.until(() -> looks.incrementAndGet() == 3, Long.MAX_VALUE);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void until_conditionThrows_keepsTheFlag() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(
            () ->
                Await.until(
                    () -> {
                      if (looks.incrementAndGet() == 2) {
                        throw new IllegalStateException("no answer");
                      }
                      return false;
                    },
                    Long.MAX_VALUE))
        .hasMessage("no answer");
    assertThat(Thread.currentThread().isInterrupted()).isTrue();
  }
}
