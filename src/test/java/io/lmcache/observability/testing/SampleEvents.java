package io.lmcache.observability.testing;

import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.EventType;
import io.lmcache.observability.event.ObjectKey;
import io.lmcache.observability.event.ServerEvent.AllocationRecord;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Makes valid events of every kind with random contents; the same seed makes the same events. */
public final class SampleEvents {

  private static final List<String> WORDS = List.of("", "a", "b", "tenant \"c\"\n", "d\\e", "🙂");
  private static final int MAX_ITEMS = 5;
  private static final int MAX_NUMBER = 1_000;

  private final Random random;
  private final List<String> words;
  private final String reason;

  public SampleEvents(long seed) {
    this(seed, WORDS, "because");
  }

  private SampleEvents(long seed, List<String> words, String reason) {
    this.random = new Random(seed);
    this.words = words;
    this.reason = reason;
  }

  /** All text of whose events is the given one, but where it may not be empty. */
  public static SampleEvents saying(String text, long seed) {
    return new SampleEvents(seed, List.of(text), text.isEmpty() ? "because" : text);
  }

  /** An event of a random kind. */
  public Event next() {
    List<EventType> types = EventType.all();
    return next(types.get(random.nextInt(types.size() - 1)));
  }

  /** An event of one kind of the contract. */
  public Event next(EventType type) {
    return (Event) record(type.eventClass());
  }

  private Object record(Class<?> record) {
    RecordComponent[] components = record.getRecordComponents();
    Class<?>[] types = new Class<?>[components.length];
    Object[] values = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      types[i] = components[i].getType();
      values[i] = value(components[i].getGenericType(), components[i].getName());
    }
    try {
      return record.getDeclaredConstructor(types).newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("no sample of " + record, e);
    }
  }

  private Object value(Type type, String name) {
    if (type instanceof WildcardType wildcard) {
      return value(wildcard.getUpperBounds()[0], name);
    }
    if (type instanceof ParameterizedType generic) {
      return generic.getRawType() == Map.class
          ? countPerSalt()
          : list(generic.getActualTypeArguments()[0], name);
    }
    Class<?> plain = (Class<?>) type;
    if (plain == String.class) {
      return name.equals("reason") ? reason : word();
    } else if (plain == long.class) {
      return (long) random.nextInt(MAX_NUMBER);
    } else if (plain == int.class || plain == Integer.class) {
      return random.nextInt(MAX_NUMBER);
    } else if (plain == double.class) {
      return random.nextDouble();
    } else if (plain == boolean.class) {
      return random.nextBoolean();
    } else if (plain == int[].class) {
      return random.ints(MAX_ITEMS).toArray();
    } else if (plain == byte[].class) {
      return bytes();
    } else if (plain == ObjectKey.class) {
      return ObjectKey.of(word(), word(), bytes(), random.nextInt(MAX_ITEMS));
    } else if (plain == AllocationRecord.class) {
      return new AllocationRecord(
          word(), random.ints(MAX_ITEMS).toArray(), random.ints(MAX_ITEMS).toArray());
    } else if (plain.isEnum()) {
      return plain.getEnumConstants()[random.nextInt(plain.getEnumConstants().length)];
    }
    throw new IllegalStateException("no sample of " + type);
  }

  private List<Object> list(Type element, String name) {
    List<Object> values = new ArrayList<>();
    for (int i = random.nextInt(MAX_ITEMS); i > 0; i--) {
      values.add(value(element, name));
    }
    return List.copyOf(values);
  }

  private Map<String, Long> countPerSalt() {
    Map<String, Long> counts = new TreeMap<>();
    for (int i = random.nextInt(MAX_ITEMS); i > 0; i--) {
      counts.put(word(), (long) random.nextInt(MAX_NUMBER));
    }
    return Map.copyOf(counts);
  }

  private byte[] bytes() {
    byte[] bytes = new byte[32];
    random.nextBytes(bytes);
    return bytes;
  }

  private String word() {
    return words.get(random.nextInt(words.size()));
  }
}
