package io.lmcache.observability.internal.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.testing.Logs;
import io.lmcache.observability.testing.Threads;
import org.junit.jupiter.api.Test;

class WarningsTest {

  private final Warnings warnings = new Warnings();

  @Test
  void once_sameKindAgain_isDebug() {
    Throwable first = new IllegalStateException("1");
    try (Logs logs = Logs.of(Warnings.LOGGER)) {
      warnings.once("a", "one", first);
      warnings.once("a", "two", new IllegalStateException("2"));
      warnings.once("a", "three");
      warnings.once("b", "four");
      assertThat(logs.warnings()).hasSize(2);
      assertThat(logs.warnings().get(0)).startsWith("one ");
      assertThat(logs.warnings().get(1)).startsWith("four ");
      assertThat(logs.thrown()).containsExactly(first);
      assertThat(logs.debugs()).containsExactly("two", "three");
    }
  }

  @Test
  void once_braces_areNotFilledIn() {
    try (Logs logs = Logs.of(Warnings.LOGGER)) {
      warnings.once("a", "{} and {}", new IllegalStateException());
      assertThat(logs.warnings()).singleElement().asString().startsWith("{} and {} (");
    }
  }

  @Test
  void once_manyKinds_isBounded() {
    try (Logs logs = Logs.of(Warnings.LOGGER)) {
      for (int i = 0; i < 3_000; i++) {
        warnings.once("kind " + i, "text");
      }
      assertThat(logs.warnings()).hasSize(1_000);
      assertThat(logs.debugs()).hasSize(2_000);
    }
  }

  @Test
  void once_manyThreads_warnsOnce() {
    try (Logs logs = Logs.of(Warnings.LOGGER)) {
      Threads.together(
          8,
          index -> {
            for (int i = 0; i < 100; i++) {
              warnings.once("kind " + i, "text");
            }
          });
      assertThat(logs.warnings()).hasSize(100);
    }
  }

  @Test
  void once_backendThatThrows_isSwallowed() {
    try (Logs logs = Logs.failing(Warnings.LOGGER, new StackOverflowError())) {
      warnings.once("a", "one");
      warnings.once("a", "two", new IllegalStateException());
      assertThat(logs.warnings()).hasSize(1);
    }
  }

  @Test
  void once_causeWhoseMessageThrows_isSwallowed() {
    @SuppressWarnings("serial")
    class Mute extends RuntimeException {
      @Override
      public String getMessage() {
        throw new IllegalStateException("no message");
      }
    }
    warnings.once("a", "one", new Mute());
    warnings.once("a", "two", new Mute());
  }
}
