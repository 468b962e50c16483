package io.lmcache.observability.config;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Our own names in all sources, best first: code, flag, property, environment. A blank property or
 * variable is unset; a blank text given by code or flag is a value, and a wrong one.
 */
record Sources(
    Map<Setting<?>, @Nullable Object> code,
    Flags flags,
    Map<String, String> properties,
    Map<String, String> environment) {

  /**
   * What a source holds for a setting.
   *
   * @param value typed if it came from code, which may have handed in null; else text
   */
  record Given(Origin origin, @Nullable Object value) {

    @SuppressWarnings("unchecked") // code's values are put through typed setters only
    <T> T read(Kind<T> kind) {
      if (value == null) {
        throw new Kind.Refused("null is not a value");
      }
      return origin.level() == Origin.Level.CODE
          ? kind.check().apply((T) value)
          : kind.parse((String) value);
    }
  }

  /** The value that wins; null if no source has one. */
  @Nullable Given find(Setting<?> setting) {
    if (code.containsKey(setting)) {
      return new Given(Origin.CODE, code.get(setting));
    }
    Given flag = flags.find(setting, flagOrigin(setting));
    if (flag != null) {
      return flag;
    }
    Given property = text(properties, Origin.Level.PROPERTY, setting.property());
    return property != null
        ? property
        : text(environment, Origin.Level.ENVIRONMENT, setting.environmentVariable());
  }

  static Origin flagOrigin(Setting<?> setting) {
    return new Origin(Origin.Level.FLAG, String.valueOf(setting.flag()));
  }

  /** The system properties of now, those with text as key and value. */
  static Map<String, String> systemProperties() {
    Map<String, String> properties = new HashMap<>();
    for (String name : System.getProperties().stringPropertyNames()) {
      properties.put(name, System.getProperty(name, ""));
    }
    return properties;
  }

  private static @Nullable Given text(Map<String, String> from, Origin.Level level, String name) {
    String text = from.get(name);
    return text == null || text.isBlank() ? null : new Given(new Origin(level, name), text);
  }
}
