package io.lmcache.observability.internal.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.lmcache.observability.testing.FakeClock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ClockTest {

  private final AtomicLong monotonic = new AtomicLong(-5_000);
  private final AtomicLong wall = new AtomicLong(1_000_000_000_000_000_000L);
  private final Clock clock = Clock.of(monotonic::get, wall::get);

  @Test
  void epochNanos_wallSteps_followsTheMonotonicClockUntilRenewed() {
    long start = wall.get();
    assertThat(clock.epochNanos()).isEqualTo(start);
    monotonic.addAndGet(300);
    wall.addAndGet(-1_000_000);
    assertThat(clock.epochNanos()).isEqualTo(start + 300);
    clock.renew();
    assertThat(clock.epochNanos()).isEqualTo(start - 1_000_000);
    monotonic.addAndGet(7);
    assertThat(clock.epochNanos()).isEqualTo(start - 999_993);
  }

  @Test
  void renew_aYearOfDrift_staysWithTheWallClock() {
    for (int minute = 0; minute < 365 * 24 * 60; minute++) {
      monotonic.addAndGet(Duration.ofMinutes(1).toNanos());
      wall.addAndGet(Duration.ofMinutes(1).toNanos() + 3_000_000);
      clock.renew();
      if (clock.epochNanos() != wall.get()) {
        throw new AssertionError("off by " + (clock.epochNanos() - wall.get()));
      }
    }
  }

  @Test
  void renew_disturbedReadings_takesTheShortest() {
    // What the monotonic clock gains between the two looks at it around each look at the wall.
    long[] gains = {5_000, 40, 900, 5_000, 40, 900};
    AtomicInteger reading = new AtomicInteger();
    AtomicLong time = new AtomicLong();
    Clock disturbed =
        Clock.of(
            time::get,
            () -> {
              long gain = gains[reading.getAndIncrement() % gains.length];
              time.addAndGet(gain / 2);
              long seen = time.get() + 1_000_000 + (gain == 40 ? 0 : 777);
              time.addAndGet(gain - gain / 2);
              return seen;
            });
    assertThat(disturbed.epochNanos() - time.get()).isEqualTo(1_000_000);
  }

  @Test
  void system_now_isTheWallClock() {
    long before = Instant.now().toEpochMilli() - 1_000;
    long now = Clock.system().epochNanos() / 1_000_000;
    assertThat(now).isBetween(before, Instant.now().toEpochMilli() + 1_000);
  }

  @Test
  void of_source_readsItEachTime() {
    FakeClock source = FakeClock.create();
    Clock own = Clock.of(source);
    own.renew();
    assertThat(own.epochNanos()).isEqualTo(source.epochNanos());
    source.advance(Duration.ofNanos(1));
    assertThat(own.epochNanos()).isEqualTo(source.epochNanos());
  }

  @Test
  void of_sourceThatThrows_isTheWallClockUntilItRecovers() {
    FakeClock source = FakeClock.create();
    AtomicInteger calls = new AtomicInteger();
    Clock own =
        Clock.of(
            () -> {
              if (calls.getAndIncrement() < 2) {
                throw new StackOverflowError("for a test");
              }
              return source.instant();
            });
    for (int i = 0; i < 2; i++) {
      assertThat(own.epochNanos() / 1_000_000)
          .isCloseTo(Instant.now().toEpochMilli(), within(60_000L));
    }
    assertThat(own.epochNanos()).isEqualTo(source.epochNanos());
  }
}
