package io.lmcache.observability.config;

import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The {@code otel.*} properties over the {@code OTEL_*} variables, under lower-case dotted keys;
 * values are trimmed and blank ones left out, so that an empty property uncovers the variable.
 */
final class OtelSettings {

  /** A value and where it stands. */
  record Entry(String text, Origin origin) {}

  private final Map<String, Entry> entries = new TreeMap<>();

  OtelSettings(Map<String, String> properties, Map<String, String> environment) {
    read(properties, Origin.Level.PROPERTY, '-');
    read(environment, Origin.Level.ENVIRONMENT, '_');
  }

  private void read(Map<String, String> from, Origin.Level level, char separator) {
    // Sorted, so that of two spellings of one key the same one wins each time.
    new TreeMap<>(from)
        .forEach(
            (name, value) -> {
              String key = name.toLowerCase(Locale.ROOT).replace(separator, '.');
              if (key.startsWith("otel.") && value != null && !value.isBlank()) {
                entries.putIfAbsent(key, new Entry(value.strip(), new Origin(level, name)));
              }
            });
  }

  @Nullable Entry find(String key) {
    return entries.get(key);
  }

  Map<String, String> values() {
    Map<String, String> values = new TreeMap<>();
    entries.forEach((key, entry) -> values.put(key, entry.text()));
    return Collections.unmodifiableMap(values);
  }
}
