package io.lmcache.observability.config;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Collects what is wrong, so that all of it is told at once. Faults of our own settings stop {@code
 * build()}; those that stem from {@code OTEL_*} alone are kept for whoever starts the exporters.
 */
final class Faults {
  private static final int LONGEST_ECHO = 200;

  private final Set<String> ours = new LinkedHashSet<>();
  private final Set<String> otel = new LinkedHashSet<>();
  private final Set<String> open = new LinkedHashSet<>();

  void add(Setting<?> setting, Origin origin, String reason) {
    ours.add(setting.label(origin) + ": " + reason);
  }

  void add(String name, String reason) {
    ours.add(name + ": " + reason);
  }

  void addOtel(String name, String reason) {
    otel.add(name + ": " + reason);
  }

  /** What is a fault unless the start brings what is missing; told along with others only. */
  void addOpen(Setting<?> setting, Origin origin, String reason) {
    open.add(setting.label(origin) + ": " + reason);
  }

  List<String> otel() {
    return List.copyOf(otel);
  }

  /** Throws if a setting of ours is at fault; the message then lists the other faults as well. */
  void throwIfAny() {
    if (ours.isEmpty()) {
      return;
    }
    StringBuilder message = new StringBuilder("invalid observability configuration");
    ours.forEach(fault -> message.append("\n  ").append(fault));
    otel.forEach(fault -> message.append("\n  ").append(fault));
    open.forEach(fault -> message.append("\n  ").append(fault));
    throw new IllegalArgumentException(message.toString());
  }

  /**
   * The text in quotes, control characters escaped and overlong text cut: it may come from afar.
   */
  static String quote(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length() && i < LONGEST_ECHO; i++) {
      char c = text.charAt(i);
      if (isControl(c)) {
        quoted.append(String.format("\\u%04x", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append(text.length() > LONGEST_ECHO ? "…\"" : "\"").toString();
  }

  /** Whether the character could break a line or steer a terminal. */
  static boolean isControl(char c) {
    int type = Character.getType(c);
    return type == Character.CONTROL
        || type == Character.FORMAT
        || type == Character.LINE_SEPARATOR
        || type == Character.PARAGRAPH_SEPARATOR;
  }
}
