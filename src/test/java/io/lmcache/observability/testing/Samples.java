package io.lmcache.observability.testing;

import io.lmcache.observability.event.CustomEvent;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.L1Event;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Valid events and what they are made of. */
public final class Samples {

  /** An event of the embedder's own. */
  public record Own(int number) implements CustomEvent {}

  private Samples() {}

  /** A small event that can be told from others. */
  public static Event numbered(int number) {
    return new Own(number);
  }

  /** A small event of the contract. */
  public static L1Event.EvictionLoopTick tick() {
    return new L1Event.EvictionLoopTick(true, 0.5, 0.8);
  }

  /** A null that the compiler takes for anything. */
  @SuppressWarnings("TypeParameterUnusedInFormals")
  public static <T> T nothing() {
    return null;
  }

  /** The name of a component as the contract spells it. */
  public static String snake(String camel) {
    return camel.replaceAll("([a-z0-9])([A-Z])", "$1_$2").toLowerCase(Locale.ROOT);
  }

  /** A valid event of a class. */
  public static Event of(Class<? extends Event> type) {
    return make(type, values(type));
  }

  /** The same, but for one component. */
  public static Event with(Class<? extends Event> type, String component, Object value) {
    Object[] values = values(type);
    RecordComponent[] components = type.getRecordComponents();
    for (int i = 0; i < components.length; i++) {
      if (components[i].getName().equals(component)) {
        values[i] = value;
      }
    }
    return make(type, values);
  }

  /** Reads a component. */
  public static Object get(Event event, String component) {
    try {
      var accessor = event.getClass().getMethod(component);
      accessor.setAccessible(true);
      return accessor.invoke(event);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  private static Object[] values(Class<? extends Event> type) {
    return Arrays.stream(type.getRecordComponents()).map(c -> valid(c.getType())).toArray();
  }

  private static Event make(Class<? extends Event> type, Object[] values) {
    Class<?>[] types =
        Arrays.stream(type.getRecordComponents())
            .map(RecordComponent::getType)
            .toArray(Class<?>[]::new);
    try {
      Constructor<? extends Event> constructor = type.getDeclaredConstructor(types);
      return constructor.newInstance(values);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new AssertionError(e);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  private static Object valid(Class<?> type) {
    if (type.isEnum()) {
      return type.getEnumConstants()[0];
    }
    return Map.<Class<?>, Object>of(
            String.class,
            "text",
            long.class,
            1L,
            int.class,
            1,
            double.class,
            0.5,
            boolean.class,
            true,
            List.class,
            List.of(),
            Map.class,
            Map.of("", 1L))
        .get(type);
  }
}
