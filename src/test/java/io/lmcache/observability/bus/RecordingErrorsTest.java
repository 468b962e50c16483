package io.lmcache.observability.bus;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.bus.RecordingErrors.Reason;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RecordingErrorsTest {

  private final RecordingErrors errors = new RecordingErrors();

  @Test
  void byReason_untouched_hasAllReasonsAtZero() {
    assertThat(errors.byReason())
        .isEqualTo(Map.of("invalid_field", 0L, "invalid_value", 0L, "stream_failed", 0L));
  }

  @Test
  void count_oneReason_leavesTheOthers() {
    errors.count(Reason.INVALID_VALUE);
    errors.count(Reason.INVALID_VALUE);
    errors.count(Reason.STREAM_FAILED);
    assertThat(errors.of(Reason.INVALID_VALUE)).isEqualTo(2);
    assertThat(errors.byReason())
        .isEqualTo(Map.of("invalid_field", 0L, "invalid_value", 2L, "stream_failed", 1L));
  }
}
