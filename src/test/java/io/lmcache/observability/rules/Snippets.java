package io.lmcache.observability.rules;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Code blocks of documents, and a compiler for them. */
final class Snippets {

  private static final Pattern BLOCK = Pattern.compile("```(\\w+)\n(.*?)```", Pattern.DOTALL);
  private static final Pattern CLASS = Pattern.compile("class (\\w+)");

  private Snippets() {}

  /** The blocks of a language, in order. */
  static List<String> of(Path document, String language) {
    try {
      List<String> blocks = new ArrayList<>();
      Matcher matcher = BLOCK.matcher(Files.readString(document));
      while (matcher.find()) {
        if (matcher.group(1).equals(language)) {
          blocks.add(matcher.group(2));
        }
      }
      return blocks;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes each block to a file named by its class. */
  static List<Path> write(List<String> blocks, Path folder) throws IOException {
    List<Path> files = new ArrayList<>();
    for (String block : blocks) {
      Matcher matcher = CLASS.matcher(block);
      if (!matcher.find()) {
        throw new IllegalArgumentException("no class in: " + block);
      }
      files.add(Files.writeString(folder.resolve(matcher.group(1) + ".java"), block));
    }
    return files;
  }

  /** Compiles files into a folder; what the compiler complains about. */
  static List<String> compile(List<Path> files, Path output) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
    try (StandardJavaFileManager manager = compiler.getStandardFileManager(problems, null, null)) {
      List<String> options =
          List.of(
              "-d", output.toString(), "-cp", classPath(), "-parameters", "-Xlint:all,-processing");
      compiler
          .getTask(
              null, manager, problems, options, null, manager.getJavaFileObjectsFromPaths(files))
          .call();
    }
    return problems.getDiagnostics().stream()
        .filter(problem -> problem.getKind() == Diagnostic.Kind.ERROR)
        .map(problem -> problem.getLineNumber() + ": " + problem.getMessage(Locale.ROOT))
        .toList();
  }

  private static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }
}
