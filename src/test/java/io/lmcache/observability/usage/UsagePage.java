package io.lmcache.observability.usage;

import io.lmcache.observability.usage.UsageMessage.Sent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The messages on docs/usage-telemetry.md, written from their records. */
public final class UsagePage {

  private static final String START = "<!-- messages: generated -->\n";
  private static final String END = "<!-- messages: end -->\n";
  private static final Path SOURCE =
      Path.of("src/main/java/io/lmcache/observability/usage/UsageMessage.java");
  private static final String ID = "0f8fad5b-d9cb-469f-a165-70867728950e";
  private static final String SESSION = "7c9e6679-7425-40de-944b-e07fc1f90ae7";

  /** One of each, in the order of the page. */
  private static final List<UsageMessage> EXAMPLES =
      List.of(
          new UsageMessage.EnvMessage(
              "AWS",
              96,
              "Intel(R) Xeon(R) Platinum 8275CL CPU @ 3.00GHz",
              "6,85,7",
              1_204_000_000_000L,
              "64bit,ELF",
              "Linux-6.1.0-amd64",
              8,
              "NVIDIA H100 80GB HBM3",
              0,
              "DOCKER"),
          UsageFixture.engine().message(),
          new UsageMessage.MetadataMessage("2026-05-06 07:08:09", 0.041),
          UsageFixture.server().message(),
          new UsageMessage.ContinuousContextMessage(51_200, 46_080, 6_710_886_400L, 7, 4_200.012),
          new UsageMessage.CacheLifespanMessage(
              EngineUsage.histogram(new long[] {0, 4, 9, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}),
              7,
              4_200.012),
          new UsageMessage.L2ConnectorUsageMessage(
              "fs", 600.003, 1_048_576, 64, 0, 32, 524_288, 8_589_934_592L, 0, 1, 7, 4_200.012),
          new UsageMessage.L1UsageMessage(600.003, 8_589_934_592L, 68_719_476_736L, 7, 4_200.012));

  private UsagePage() {}

  /** The document with the part between the two marks written anew. */
  public static String into(String document) {
    int start = document.indexOf(START);
    int end = document.indexOf(END);
    if (start < 0 || end < start) {
      return document + START + messages() + END;
    }
    return document.substring(0, start + START.length()) + messages() + document.substring(end);
  }

  private static String messages() {
    String source = read();
    StringBuilder page = new StringBuilder();
    for (UsageMessage message : EXAMPLES) {
      append(page, message, comments(source, message.getClass().getSimpleName()));
    }
    return page.toString();
  }

  private static void append(
      StringBuilder page, UsageMessage message, Map<String, String> comments) {
    Sent sent = message.getClass().getAnnotation(Sent.class);
    page.append("### ").append(message.getClass().getSimpleName()).append("\n\n");
    page.append(comments.get("")).append(" To `").append(sent.to()).append("`, ");
    page.append(sent.when()).append(", to learn ").append(sent.why()).append(".\n\n");
    page.append("| field | type | meaning |\n|---|---|---|\n");
    for (RecordComponent component : message.getClass().getRecordComponents()) {
      String comment = comments.get(component.getName());
      if (comment == null) {
        throw new IllegalStateException("no @param for " + component);
      }
      page.append("| `").append(UsageMessage.wireName(component.getName())).append("` | ");
      page.append(type(component.getType())).append(" | ").append(comment).append(" |\n");
    }
    page.append("\n```json\n").append(json(message)).append("\n```\n\n");
  }

  private static String type(Class<?> type) {
    if (type == double.class) {
      return "decimal";
    }
    if (type == boolean.class) {
      return "boolean";
    }
    if (type == Map.class) {
      return "object of integers";
    }
    return type == String.class ? "string" : "integer";
  }

  /** The message as it is sent, with ids that are always the same. */
  private static String json(UsageMessage message) {
    boolean engine = message.getClass().getAnnotation(Sent.class).when().contains("single process");
    try {
      Path home = Path.of("target", "usage-page");
      Path file = Files.createDirectories(home.resolve(".config/lmcache")).resolve("machine_id");
      Files.writeString(file, ID);
      Reports reports = new Reports();
      UsageTelemetry.Options options =
          UsageTelemetry.options()
              .environment(Map.<String, String>of()::get)
              .home(home)
              .sender(reports);
      new Outbox(options, engine ? "single_process" : "mp_server").send(message);
      return reports.all().get(0).json().replace(Identity.SESSION_ID, SESSION);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The comment of a record, under "", and those of its components. */
  private static Map<String, String> comments(String source, String record) {
    String before = source.substring(0, source.indexOf("record " + record + "("));
    String comment =
        before
            .substring(before.lastIndexOf("/**") + 3, before.lastIndexOf("*/"))
            .replaceAll("\\s*\n\\s*\\* ?", "\n")
            .strip();
    Map<String, String> comments = new LinkedHashMap<>();
    String[] parts = comment.split("\n@param ", -1);
    comments.put("", line(parts[0]));
    for (int i = 1; i < parts.length; i++) {
      Matcher part = Pattern.compile("(\\w+)\\s+(.*)", Pattern.DOTALL).matcher(parts[i]);
      if (part.matches()) {
        comments.put(part.group(1), line(part.group(2)));
      }
    }
    return comments;
  }

  private static String line(String text) {
    return text.strip().replaceAll("\\s+", " ");
  }

  private static String read() {
    try {
      return Files.readString(SOURCE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
