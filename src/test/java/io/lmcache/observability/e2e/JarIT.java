package io.lmcache.observability.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;

class JarIT {

  private static final long MAX_BYTES = 550_000;

  private final Path jar = Path.of(System.getProperty("project.jar", "missing"));

  @Test
  void jar_isSmall() throws Exception {
    assertThat(Files.size(jar)).isLessThan(MAX_BYTES);
  }

  @Test
  void jar_namesItsModule_andHoldsTheLibraryAlone() throws Exception {
    try (JarFile file = new JarFile(jar.toFile())) {
      assertThat(file.getManifest().getMainAttributes().getValue("Automatic-Module-Name"))
          .isEqualTo("io.lmcache.observability");
      assertThat(file.stream().map(entry -> entry.getName()))
          .allMatch(name -> name.startsWith("io/") || name.startsWith("META-INF/"))
          .noneMatch(name -> name.contains("/demo/"));
    }
  }
}
