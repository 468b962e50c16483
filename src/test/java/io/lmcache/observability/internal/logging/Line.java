package io.lmcache.observability.internal.logging;

import java.util.LinkedHashMap;
import java.util.Map;

/** A line read back by the rules that its page states, and by nothing that made it. */
record Line(String name, Map<String, String> values) {

  /** Reads {@code name key=value …}; refuses what does not follow the rules. */
  static Line parse(String text) {
    int end = text.indexOf(' ');
    return end < 0
        ? new Line(text, Map.of())
        : new Line(text.substring(0, end), pairs(text.substring(end + 1)));
  }

  /** Reads {@code key=value …}; refuses what does not follow the rules. */
  static Map<String, String> pairs(String text) {
    Map<String, String> values = new LinkedHashMap<>();
    int at = 0;
    while (at < text.length()) {
      int equals = text.indexOf('=', at);
      String key = equals < 0 ? "" : text.substring(at, equals);
      if (!key.matches("[a-z0-9_]+")) {
        throw new IllegalArgumentException("no key at " + at + " of " + text);
      }
      boolean quoted = equals + 1 < text.length() && text.charAt(equals + 1) == '"';
      int end = quoted ? quote(text, equals + 2) + 1 : word(text, equals + 1);
      String value = text.substring(equals + 1, end);
      if (values.put(key, unescape(quoted ? inside(value) : value)) != null) {
        throw new IllegalArgumentException("twice " + key + " in " + text);
      }
      if (end < text.length() && text.charAt(end) != ' ') {
        throw new IllegalArgumentException("no blank at " + end + " of " + text);
      }
      at = end + 1;
    }
    return values;
  }

  private static String inside(String quoted) {
    return quoted.substring(1, quoted.length() - 1);
  }

  private static int word(String text, int from) {
    int end = text.indexOf(' ', from);
    return end < 0 ? text.length() : end;
  }

  private static int quote(String text, int from) {
    for (int i = from; i < text.length(); i++) {
      if (text.charAt(i) == '\\') {
        i++;
      } else if (text.charAt(i) == '"') {
        return i;
      }
    }
    throw new IllegalArgumentException("no closing quote in " + text);
  }

  private static String unescape(String text) {
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c != '\\') {
        plain.append(c);
        continue;
      }
      char kind = text.charAt(++i);
      if (kind == 'u') {
        plain.append((char) Integer.parseInt(text.substring(i + 1, i + 5), 16));
        i += 4;
      } else {
        plain.append(
            switch (kind) {
              case 'n' -> '\n';
              case 'r' -> '\r';
              case 't' -> '\t';
              case '\\', '"' -> kind;
              default -> throw new IllegalArgumentException("unknown escape in " + text);
            });
      }
    }
    return plain.toString();
  }
}
