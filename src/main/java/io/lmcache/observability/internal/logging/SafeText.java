package io.lmcache.observability.internal.logging;

/**
 * Text from outside, in a form that stays on its line and in its place.
 *
 * <p>A backslash, whatever breaks lines, steers a terminal, turns the direction of text or cannot
 * be seen, and halves of surrogate pairs are written as escapes of Java: {@code \\}, {@code \n},
 * {@code \r}, {@code \t}, {@code \}{@code uXXXX}. Text beyond a limit is cut, and ends in {@code …}
 * with its full length in parentheses. Nothing here throws.
 */
final class SafeText {

  /** What makes a value need quotes: it could be taken for several tokens, or for a list. */
  private static final String QUOTED = " \"'`=[]{},;";

  /** What would end an item of a list, or the list, or could be taken for a key. */
  private static final String ENDS_AN_ITEM = QUOTED + "?";

  private static final String BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0";

  private SafeText() {}

  /** A value of its own, not quoted yet; its quotes are escaped. */
  static String value(String text, int limit) {
    return escape(text, limit, "");
  }

  /** A part of an item: no quotes are needed around it, whatever the layout. */
  static String item(String text, int limit) {
    return escape(text, limit, ENDS_AN_ITEM);
  }

  /** A part of an item that slashes separate from others. */
  static String part(String text, int limit) {
    return escape(text, limit, ENDS_AN_ITEM + "/");
  }

  /** A value for layouts that put no quotes around it: it cannot be taken for another key. */
  static String withoutKeys(String value) {
    return value.replace("=", "\\u003d");
  }

  /** A value for a line of text, quoted if it must be. */
  static String quoted(String value) {
    boolean bare = !value.isEmpty() && value.chars().noneMatch(c -> QUOTED.indexOf(c) >= 0);
    return bare ? value : '"' + value + '"';
  }

  private static String escape(String text, int limit, String special) {
    StringBuilder out = new StringBuilder(Math.min(text.length(), limit) + 16);
    int next = 0;
    while (next < text.length() && next < limit) {
      int point = text.codePointAt(next);
      next += Character.charCount(point);
      append(out, point, special);
    }
    if (next < text.length()) {
      out.append("…(").append(text.length()).append(')');
    }
    return out.toString();
  }

  private static void append(StringBuilder out, int point, String special) {
    if (special.indexOf(point) >= 0 || isUnsafe(point)) {
      appendEscape(out, point);
    } else if (point == '\\' || point == '"') {
      out.append('\\').append((char) point);
    } else {
      out.appendCodePoint(point);
    }
  }

  private static void appendEscape(StringBuilder out, int point) {
    int shorter = "\n\r\t".indexOf(point);
    if (shorter >= 0) {
      out.append('\\').append("nrt".charAt(shorter));
      return;
    }
    for (char c : Character.toChars(point)) {
      out.append("\\u");
      for (int shift = 12; shift >= 0; shift -= 4) {
        out.append(Character.forDigit(c >> shift & 0xf, 16));
      }
    }
  }

  private static boolean isUnsafe(int point) {
    return switch (Character.getType(point)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      case Character.SPACE_SEPARATOR -> point != ' ';
      default -> point > 0x7f && isBlank(point);
    };
  }

  /** Letters, marks and symbols that show nothing: fillers, joiners, variation selectors. */
  private static boolean isBlank(int point) {
    return BLANK.indexOf(point) >= 0
        || (point >= 0x180b && point <= 0x180f)
        || (point >= 0xfe00 && point <= 0xfe0f)
        || (point >= 0xe0100 && point <= 0xe01ef);
  }
}
