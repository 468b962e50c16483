package io.lmcache.observability.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The queries that a document shows. */
public final class PromQl {

  private static final Pattern BLOCK = Pattern.compile("```promql\n(.*?)```", Pattern.DOTALL);
  private static final Pattern COMMENT = Pattern.compile("#.*");

  private PromQl() {}

  /** The queries of all blocks, which blank lines part. */
  public static List<String> of(Path document) throws IOException {
    List<String> queries = new ArrayList<>();
    Matcher blocks = BLOCK.matcher(Files.readString(document));
    while (blocks.find()) {
      for (String query : COMMENT.matcher(blocks.group(1)).replaceAll("").split("\n\\s*\n", -1)) {
        if (!query.isBlank()) {
          queries.add(query.strip());
        }
      }
    }
    return queries;
  }
}
