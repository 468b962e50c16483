package io.lmcache.observability.testing;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that stands still until it is told to move; any thread may read and move it. */
public final class FakeClock implements InstantSource {

  private final AtomicReference<Instant> now;

  private FakeClock(Instant start) {
    this.now = new AtomicReference<>(start);
  }

  /** A clock that shows some ordinary time of day. */
  public static FakeClock create() {
    return at(Instant.parse("2024-05-06T07:08:09.123456789Z"));
  }

  /** A clock that shows a given time. */
  public static FakeClock at(Instant start) {
    return new FakeClock(start);
  }

  @Override
  public Instant instant() {
    return now.get();
  }

  /** The time that it shows, in nanoseconds since the epoch. */
  public long epochNanos() {
    Instant shown = instant();
    return Math.addExact(
        Math.multiplyExact(shown.getEpochSecond(), 1_000_000_000L), shown.getNano());
  }

  /** Moves it, backwards too. */
  public void advance(Duration step) {
    now.updateAndGet(time -> time.plus(step));
  }

  /** Sets it. */
  public void set(Instant time) {
    now.set(time);
  }
}
