package io.lmcache.observability.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadmeTest {

  private static final Path README = Path.of("README.md");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)[^)]*\\)");
  private static final int FIRST_SCREEN = 40;
  private static final int LONGEST_PROGRAM = 15;

  @TempDir private Path folder;

  @Test
  void snippets_compile() throws Exception {
    List<String> snippets = Snippets.of(README, "java");
    assertThat(snippets).hasSizeGreaterThanOrEqualTo(3);
    assertThat(Snippets.compile(Snippets.write(snippets, folder), folder)).isEmpty();
  }

  @Test
  void firstProgram_isShort_onTheFirstScreen_andPrintsWhatItSays() throws Exception {
    String program = Snippets.of(README, "java").get(0);
    String wanted = Snippets.of(README, "text").get(0);
    String body = program.substring(program.indexOf("public class"));
    assertThat(body.lines().count()).isLessThanOrEqualTo(LONGEST_PROGRAM);
    List<String> lines = Files.readAllLines(README);
    assertThat(lines.indexOf(wanted.strip())).isBetween(0, FIRST_SCREEN);
    Snippets.compile(Snippets.write(List.of(program), folder), folder);
    assertThat(run("Hello")).contains(wanted.strip());
  }

  /** Runs it on a free port: the port that it would take may be in use where the tests run. */
  private String run(String main) throws Exception {
    String port = "lmcache.observability.prometheus.port";
    PrintStream out = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
      System.setProperty(port, Integer.toString(freePort()));
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      loader.loadClass(main).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
    } finally {
      System.setOut(out);
      System.clearProperty(port);
    }
    return printed.toString(StandardCharsets.UTF_8);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  @Test
  void links_leadSomewhere() throws Exception {
    try (var documents = Files.walk(Path.of("docs"))) {
      for (Path document :
          java.util.stream.Stream.concat(
                  documents.filter(path -> path.toString().endsWith(".md")),
                  java.util.stream.Stream.of(README))
              .toList()) {
        Matcher links = LINK.matcher(Files.readString(document));
        while (links.find()) {
          Path target = document.toAbsolutePath().getParent().resolve(links.group(1));
          assertThat(target).as("a link in %s", document).exists();
        }
      }
    }
  }
}
