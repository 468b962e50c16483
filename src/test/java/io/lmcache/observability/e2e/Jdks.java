package io.lmcache.observability.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds the JDKs that the tests run on. */
final class Jdks {

  private static final Path DEBIAN = Path.of("/usr/lib/jvm");

  private Jdks() {}

  /** The home of a JDK of a version: {@code JAVA<version>_HOME}, this one, or Debian's folder. */
  static Optional<Path> home(int version) {
    String named = System.getenv("JAVA" + version + "_HOME");
    if (named != null) {
      return Optional.of(Path.of(named));
    }
    if (Runtime.version().feature() == version) {
      return Optional.of(Path.of(System.getProperty("java.home")));
    }
    if (!Files.isDirectory(DEBIAN)) {
      return Optional.empty();
    }
    try (Stream<Path> homes = Files.list(DEBIAN)) {
      return homes.sorted().filter(home -> isOf(home, version)).findFirst();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isOf(Path home, int version) {
    Path release = home.resolve("release");
    try {
      return Files.exists(home.resolve("bin/javac"))
          && Files.exists(release)
          && Files.readString(release).contains("JAVA_VERSION=\"" + version);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
