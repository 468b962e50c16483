package io.lmcache.observability.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.usage.UsagePage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * Holds the generated documents to the code. With {@code -Ddocs.update=true} it writes them
 * instead.
 */
class DocsTest {

  private static final boolean UPDATE = Boolean.getBoolean("docs.update");

  /** Each document and how the code would write it, given what stands there now. */
  private static final Map<Path, UnaryOperator<String>> DOCUMENTS =
      new TreeMap<>(
          Map.of(
              Path.of("METRICS.md"), now -> MetricsPage.text(),
              Path.of("EVENTS.md"), now -> EventsPage.text(Path.of("src/main/java")),
              Path.of("README.md"), SettingsTable::into,
              Path.of("docs/usage-telemetry.md"), UsagePage::into,
              Path.of("src/test/resources/golden/api.txt"), now -> ApiListing.text()));

  @Test
  void documents_sayWhatTheCodeSays() {
    DOCUMENTS.forEach(
        (path, write) -> {
          String now = read(path);
          String wanted = write.apply(now);
          if (UPDATE) {
            write(path, wanted);
          } else {
            assertThat(now)
                .as("%s; mvn test -Dtest=DocsTest -Ddocs.update=true writes it anew", path)
                .isEqualTo(wanted);
          }
        });
  }

  private static String read(Path path) {
    try {
      return Files.exists(path) ? Files.readString(path) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(Path path, String text) {
    try {
      if (path.getParent() != null) {
        Files.createDirectories(path.getParent());
      }
      Files.writeString(path, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
