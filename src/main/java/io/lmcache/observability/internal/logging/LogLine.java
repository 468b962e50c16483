package io.lmcache.observability.internal.logging;

import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.spi.DefaultLoggingEventBuilder;
import org.slf4j.spi.LoggingEventAware;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * One line, said twice: as text, {@code name key=value key=value}, and as key-value pairs.
 *
 * <p>A layout that prints the message alone is complete, and so is one that prints the pairs alone:
 * there the name is the pair {@code event}. A backend that knows no pairs is given the text only,
 * since SLF4J would put them in front of it. Numbers and booleans keep their type as pairs; strings
 * are escaped, and quoted in the text where they must be.
 */
final class LogLine {

  private static final int LONGEST_VALUE = 256;
  private static final int LONGEST_TRACE = 2_048;

  private final StringBuilder text;
  private final boolean pairs;
  private LoggingEventBuilder line;

  LogLine(Logger logger, Level level, String name) {
    this.text = new StringBuilder(name);
    this.line = logger.atLevel(level);
    this.pairs =
        logger instanceof LoggingEventAware || line.getClass() != DefaultLoggingEventBuilder.class;
    addPair("event", name);
  }

  /** Adds a pair, whatever the value: text, a number, a boolean, or what {@link Digest} tells. */
  LogLine add(String key, Object value) {
    if (value instanceof String string) {
      boolean trace = key.equals("stacktrace");
      String safe = SafeText.value(string, trace ? LONGEST_TRACE : LONGEST_VALUE);
      addText(key, SafeText.quoted(safe));
      addPair(key, SafeText.withoutKeys(safe));
    } else if (value instanceof Number || value instanceof Boolean) {
      addText(key, value);
      addPair(key, value);
    } else {
      addSafe(key, Digest.of(value));
    }
    return this;
  }

  /** Adds a pair whose value is safe already. */
  LogLine addSafe(String key, String value) {
    addText(key, value);
    addPair(key, value);
    return this;
  }

  private void addText(String key, Object value) {
    text.append(' ').append(key).append('=').append(value);
  }

  private void addPair(String key, Object value) {
    if (pairs) {
      line = line.addKeyValue(key, value);
    }
  }

  void log() {
    line.log(text.toString());
  }
}
