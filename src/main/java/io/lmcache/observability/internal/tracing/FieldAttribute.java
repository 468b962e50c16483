package io.lmcache.observability.internal.tracing;

import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.EventType.Field;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A field of an event as an attribute of a span, typed as it is: whole numbers, fractions,
 * booleans, else text; bytes are hex. A list of one of these is an array; a list of lists is an
 * array of text such as {@code [2, 32]}.
 */
final class FieldAttribute {

  private static final Map<Class<?>, Class<?>> BOXES =
      Map.of(
          long.class, Long.class,
          int.class, Integer.class,
          double.class, Double.class,
          boolean.class, Boolean.class);

  private final Field field;

  /** The key of all values; null where each value has its own. */
  private final @Nullable AttributeKey<Object> fixed;

  private final String name;

  FieldAttribute(Field field) {
    this.field = field;
    this.name = field.name();
    Class<?> type = BOXES.getOrDefault(field.type(), field.type());
    boolean asItIs = BOXES.containsValue(type) || type == String.class;
    this.fixed = asItIs && type != Integer.class ? key(type) : null;
  }

  void write(SpanBuilder span, Event event) {
    Object value = value(event);
    span.setAttribute(key(value), value);
  }

  void write(Span span, Event event) {
    Object value = value(event);
    span.setAttribute(key(value), value);
  }

  private Object value(Event event) {
    Object value = field.of(event);
    return fixed == null ? converted(value) : value;
  }

  private AttributeKey<Object> key(Object value) {
    AttributeKey<Object> key = fixed;
    if (key != null) {
      return key;
    }
    return value instanceof List<?> list
        ? arrayKey(list.isEmpty() ? String.class : list.get(0).getClass())
        : key(value.getClass());
  }

  private static Object converted(Object value) {
    if (value instanceof List<?> list) {
      return list.stream().map(FieldAttribute::scalar).toList();
    }
    if (value instanceof int[] numbers) {
      return Arrays.stream(numbers).asLongStream().boxed().toList();
    }
    return scalar(value);
  }

  private static Object scalar(Object value) {
    if (value instanceof Integer number) {
      return number.longValue();
    }
    if (value instanceof byte[] bytes) {
      return HexFormat.of().formatHex(bytes);
    }
    return BOXES.containsValue(value.getClass()) ? value : value.toString();
  }

  private AttributeKey<Object> arrayKey(Class<?> item) {
    if (item == Long.class) {
      return untyped(AttributeKey.longArrayKey(name));
    }
    if (item == Double.class) {
      return untyped(AttributeKey.doubleArrayKey(name));
    }
    return untyped(
        item == Boolean.class
            ? AttributeKey.booleanArrayKey(name)
            : AttributeKey.stringArrayKey(name));
  }

  private AttributeKey<Object> key(Class<?> type) {
    if (type == Long.class) {
      return untyped(AttributeKey.longKey(name));
    }
    if (type == Double.class) {
      return untyped(AttributeKey.doubleKey(name));
    }
    return untyped(
        type == Boolean.class ? AttributeKey.booleanKey(name) : AttributeKey.stringKey(name));
  }

  @SuppressWarnings("unchecked") // the values that go with it are of its type
  private static AttributeKey<Object> untyped(AttributeKey<?> key) {
    return (AttributeKey<Object>) key;
  }
}
