package io.lmcache.observability.usage;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads reports: objects of simple values, at most one level deep. */
final class Json {

  private Json() {}

  /** The fields in their order; numbers as long or double, as they are written. */
  static Map<String, Object> object(String text) {
    try (JsonParser json = new JsonFactory().createParser(text)) {
      json.nextToken();
      Map<String, Object> fields = object(json);
      if (json.nextToken() != null) {
        throw new IllegalArgumentException("more than an object: " + text);
      }
      return fields;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, Object> object(JsonParser json) throws IOException {
    Map<String, Object> fields = new LinkedHashMap<>();
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      json.nextToken();
      fields.put(name, value(json));
    }
    return fields;
  }

  private static Object value(JsonParser json) throws IOException {
    return switch (json.currentToken()) {
      case START_OBJECT -> object(json);
      case VALUE_NUMBER_INT -> json.getLongValue();
      case VALUE_NUMBER_FLOAT -> json.getDoubleValue();
      case VALUE_TRUE, VALUE_FALSE -> json.getBooleanValue();
      case VALUE_STRING -> json.getText();
      default -> throw new IllegalArgumentException("not a simple value: " + json.currentToken());
    };
  }
}
