package io.lmcache.observability.internal.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DurationsTest {

  @Test
  void toNanos_ordinary_isExact() {
    assertThat(Durations.toNanos(Duration.ofSeconds(3, 7))).isEqualTo(3_000_000_007L);
    assertThat(Durations.toNanos(Duration.ZERO)).isZero();
  }

  @Test
  void toNanos_tooLong_isTheLongest() {
    assertThat(Durations.toNanos(Duration.ofDays(365 * 300))).isEqualTo(Long.MAX_VALUE);
    assertThat(Durations.toNanos(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void toNanos_negative_isNothing() {
    assertThat(Durations.toNanos(Duration.ofNanos(-1))).isZero();
    assertThat(Durations.toNanos(Duration.ofSeconds(Long.MIN_VALUE))).isZero();
  }
}
