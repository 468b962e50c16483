package io.lmcache.observability.internal.export;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One member of a header such as {@code Accept} or {@code Accept-Encoding}. What cannot be read is
 * left out; a quality that cannot be read is 0.
 *
 * @param name in lower case
 * @param parameters by name in lower case, without {@code q} and quotes
 * @param quality 0 to 1; 0 is a refusal
 */
record WeightedToken(String name, Map<String, String> parameters, double quality) {

  static List<WeightedToken> parse(@Nullable String header) {
    List<WeightedToken> tokens = new ArrayList<>();
    for (String member : split(header == null ? "" : header, ',')) {
      List<String> parts = split(member, ';');
      String name = parts.get(0).strip().toLowerCase(Locale.ROOT);
      if (name.isEmpty()) {
        continue;
      }
      Map<String, String> parameters = new HashMap<>();
      for (String part : parts.subList(1, parts.size())) {
        int equals = part.indexOf('=');
        if (equals > 0) {
          String value = part.substring(equals + 1).strip().replace("\"", "");
          parameters.putIfAbsent(part.substring(0, equals).strip().toLowerCase(Locale.ROOT), value);
        }
      }
      String quality = parameters.remove("q");
      tokens.add(new WeightedToken(name, parameters, quality == null ? 1 : quality(quality)));
    }
    return tokens;
  }

  private static double quality(String text) {
    try {
      double value = Double.parseDouble(text);
      return value >= 0 && value <= 1 ? value : 0;
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  private static List<String> split(String text, char separator) {
    List<String> parts = new ArrayList<>();
    boolean quoted = false;
    int start = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"') {
        quoted = !quoted;
      } else if (c == separator && !quoted) {
        parts.add(text.substring(start, i));
        start = i + 1;
      }
    }
    parts.add(text.substring(start));
    return parts;
  }
}
