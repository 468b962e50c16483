package io.lmcache.observability.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.Observability;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/contributing.md shows, done to a copy of the sources. */
class AddingAnEventTest {

  private static final Path GUIDE = Path.of("docs/contributing.md");
  private static final Path MAIN = Path.of("src/main/java");
  private static final Path PAGES = Path.of("src/test/java/io/lmcache/observability/rules");
  private static final String PACKAGE = "io/lmcache/observability";

  private static final String PROGRAM =
      """
      package io.lmcache.observability.rules;

      import io.lmcache.observability.Observability;
      import io.lmcache.observability.event.L1Event;
      import io.lmcache.observability.event.ObjectKey;
      import java.nio.file.Path;
      import java.time.Duration;
      import java.util.List;

      public final class Program {
        public static String run(Path sources) {
          var observability = Observability.builder().servePrometheus(false).start();
          try (observability) {
            var key = ObjectKey.of("m", "a", new byte[1], 0);
            observability.sink().publish(new L1Event.KeysPinned(List.of(key, key)));
            observability.bus().flush(Duration.ofSeconds(30));
            return observability.prometheusPage(null).text()
                + MetricsPage.text()
                + EventsPage.text(sources);
          }
        }
      }
      """;

  @TempDir private Path folder;

  @Test
  void recordAndRow_asTheGuideShows_areAllThatItTakes() throws Exception {
    List<String> blocks = Snippets.of(GUIDE, "java");
    Path sources = folder.resolve("sources");
    copy(MAIN, sources);
    insert(
        sources.resolve(PACKAGE + "/event/L1Event.java"),
        "  /** Memory was reserved",
        blocks.get(0));
    insert(sources.resolve(PACKAGE + "/catalog/L1Metrics.java"), "  // spotless:on", blocks.get(1));
    Path rules = Files.createDirectories(sources.resolve(PACKAGE + "/rules"));
    Files.copy(PAGES.resolve("MetricsPage.java"), rules.resolve("MetricsPage.java"));
    Files.copy(PAGES.resolve("EventsPage.java"), rules.resolve("EventsPage.java"));
    Files.writeString(rules.resolve("Program.java"), PROGRAM);
    Path classes = Files.createDirectories(folder.resolve("classes"));
    assertThat(Snippets.compile(javaFiles(sources), classes)).isEmpty();
    assertThat(run("rules.Program", classes, sources))
        .contains("lmcache_mp_l1_pinned_chunks_total{cache_salt=\"a\"} 2.0")
        .contains("### lmcache_mp.l1_pinned")
        .contains("### L1_KEYS_PINNED");
  }

  static void insert(Path file, String before, String block) throws IOException {
    String text = Files.readString(file);
    assertThat(text).as(file.toString()).contains(before);
    int at = text.indexOf(before);
    Files.writeString(file, text.substring(0, at) + block + "\n" + text.substring(at));
  }

  static void copy(Path from, Path to) throws IOException {
    for (Path file : javaFiles(from)) {
      Path target = to.resolve(from.relativize(file).toString());
      Files.createDirectories(target.getParent());
      Files.copy(file, target);
    }
  }

  static List<Path> javaFiles(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(".java")).toList();
    }
  }

  /** Runs the program on the changed library: its classes go before those of this build. */
  static String run(String main, Path classes, Path argument) throws Exception {
    ClassLoader dependencies = Observability.class.getClassLoader();
    URL[] own = {classes.toUri().toURL()};
    try (URLClassLoader loader =
        new URLClassLoader(own, dependencies) {
          @Override
          protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("io.lmcache.")) {
              return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
              Class<?> loaded = findLoadedClass(name);
              return loaded == null ? findClass(name) : loaded;
            }
          }
        }) {
      Class<?> program = loader.loadClass("io.lmcache.observability." + main);
      return (String) program.getMethod("run", Path.class).invoke(null, argument);
    }
  }
}
