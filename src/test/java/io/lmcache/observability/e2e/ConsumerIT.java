package io.lmcache.observability.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.testing.Skip;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A project of its own, outside this build, that depends on the installed jar. */
class ConsumerIT {

  private static final Path CONSUMER = Path.of("src/test/consumer");
  private static final long LIMIT_MINUTES = 5;

  @TempDir private Path folder;

  @BeforeAll
  static void installTheJar() throws Exception {
    String jar = System.getProperty("project.jar");
    assertThat(jar).as("run by mvn verify, which hands in the jar").isNotNull();
    maven(
        Path.of(""),
        Path.of(System.getProperty("java.home")),
        "org.apache.maven.plugins:maven-install-plugin:3.1.4:install-file",
        "-Dfile=" + jar,
        "-DpomFile=pom.xml");
  }

  @ParameterizedTest(name = "Java {0}, module path {1}")
  @CsvSource({"17,false", "17,true", "25,false", "25,true"})
  void consumer_onThatJavaAndPath_passesItsTests(int version, boolean module) throws Exception {
    Optional<Path> home = Jdks.home(version);
    Skip.unless(home.isPresent(), "no JDK " + version + " here: set JAVA" + version + "_HOME");
    copy(CONSUMER, folder);
    if (module) {
      Files.copy(
          folder.resolve("module/module-info.java"),
          folder.resolve("src/main/java/module-info.java"));
    }
    String output =
        maven(
            folder,
            home.get(),
            "test",
            "-Dobservability.version=" + System.getProperty("project.version"),
            "-DargLine=-Don.module.path=" + module);
    assertThat(output).contains("Tests run: 5, Failures: 0, Errors: 0, Skipped: 0");
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path target = to.resolve(from.relativize(file).toString());
        Files.createDirectories(target.getParent());
        Files.copy(file, target);
      }
    }
  }

  private static String maven(Path directory, Path javaHome, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("maven.home"), "bin", "mvn").toString());
    command.addAll(List.of("-B", "-ntp", "-Dmaven.repo.local=" + System.getProperty("maven.repo")));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    File output = File.createTempFile("consumer", ".log");
    builder.directory(directory.toAbsolutePath().toFile());
    builder.environment().put("JAVA_HOME", javaHome.toString());
    builder.redirectErrorStream(true).redirectOutput(output);
    Process process = builder.start();
    assertThat(process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)).isTrue();
    String text = Files.readString(output.toPath());
    assertThat(process.exitValue()).as(text).isZero();
    return text;
  }
}
