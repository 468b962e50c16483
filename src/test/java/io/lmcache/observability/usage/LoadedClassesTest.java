package io.lmcache.observability.usage;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an engine has to load, in a JVM of its own. */
class LoadedClassesTest {

  @TempDir private Path folder;

  /** Starts an engine's telemetry, ticks and ends it. */
  public static final class Program {
    private Program() {}

    public static void main(String[] args) {
      EngineUsage usage =
          UsageTelemetry.startEngine(
                  EngineUsage.setup().chunkSize(256),
                  UsageTelemetry.options()
                      .environment(Map.<String, String>of()::get)
                      .home(Path.of(args[0]))
                      .url(args[1]))
              .orElseThrow();
      usage.tick(1, 2, 3);
      System.exit(usage.close(Duration.ofSeconds(30)) ? 0 : 1);
    }
  }

  @Test
  void engine_loadsNothingOfOpenTelemetry_norOfTheBus() throws Exception {
    Path log = folder.resolve("classes");
    try (StatsServer server = new StatsServer()) {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xlog:class+load:file=" + log,
                  "-cp",
                  System.getProperty(
                      "surefire.test.class.path", System.getProperty("java.class.path")),
                  Program.class.getName(),
                  folder.toString(),
                  server.url())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("output").toFile())
              .start();
      assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
      assertThat(process.exitValue()).as(Files.readString(folder.resolve("output"))).isZero();
      assertThat(server.requests()).hasSize(5);
    }
    List<String> loaded = Files.readAllLines(log);
    assertThat(loaded)
        .anyMatch(line -> line.contains(EngineUsage.class.getName()))
        .noneMatch(line -> line.contains("io.opentelemetry"))
        .noneMatch(line -> line.contains("io.lmcache.observability.bus."))
        .noneMatch(line -> line.contains("io.lmcache.observability.event."));
  }
}
