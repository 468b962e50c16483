package io.lmcache.observability.event;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The kind of an event: one value for each record of the contract, and {@link #CUSTOM} for every
 * {@link CustomEvent}.
 *
 * <p>The values are read off the records themselves, so that a new event is declared in one place.
 * All methods may be called from any thread.
 */
public final class EventType {

  /** Stands for every {@link CustomEvent}. */
  public static final EventType CUSTOM;

  private static final RecordComponent[] NO_COMPONENTS = {};
  private static final List<EventType> ALL;
  private static final ClassValue<EventType> BY_CLASS;

  static {
    List<EventType> types = new ArrayList<>();
    collect(Event.class, types);
    CUSTOM = new EventType(CustomEvent.class, types.size());
    types.add(CUSTOM);
    ALL = List.copyOf(types);
    BY_CLASS =
        new ClassValue<>() {
          @Override
          protected EventType computeValue(Class<?> eventClass) {
            return ALL.stream()
                .filter(type -> type.eventClass == eventClass)
                .findFirst()
                .orElse(CUSTOM);
          }
        };
  }

  private final Class<? extends Event> eventClass;
  private final int index;
  private volatile @Nullable String wireName;
  private volatile @Nullable List<Field> fields;

  /** A field of an event, under the contract's name, such as {@code session_id}. */
  public static final class Field {

    private final String name;
    private final Class<?> type;
    private final MethodHandle reader;

    private Field(String name, Class<?> type, MethodHandle reader) {
      this.name = name;
      this.type = type;
      this.reader = reader;
    }

    /** The contract's name. */
    public String name() {
      return name;
    }

    /** The type of its values. */
    public Class<?> type() {
      return type;
    }

    /**
     * Its value in an event of the kind that it belongs to.
     *
     * @throws ClassCastException if the event is of another kind
     */
    public Object of(Event event) {
      try {
        return (Object) reader.invokeExact(event);
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new IllegalStateException(name, e);
      }
    }
  }

  private EventType(Class<? extends Event> eventClass, int index) {
    this.eventClass = eventClass;
    this.index = index;
  }

  private static void collect(Class<?> sealed, List<EventType> types) {
    Class<?> @Nullable [] permitted = sealed.getPermittedSubclasses();
    if (permitted == null) {
      return;
    }
    for (Class<?> next : permitted) {
      if (next.isRecord()) {
        types.add(new EventType(next.asSubclass(Event.class), types.size()));
      }
      collect(next, types);
    }
  }

  /** The kind of the events of a class. */
  public static EventType of(Class<? extends Event> eventClass) {
    return BY_CLASS.get(eventClass);
  }

  /** All kinds, in the order of their declaration, {@link #CUSTOM} last. */
  public static List<EventType> all() {
    return ALL;
  }

  /** The contract's name, such as {@code L1_READ_FINISHED}. */
  public String name() {
    return wireName().toUpperCase(Locale.ROOT).replace('.', '_');
  }

  /** The dotted name, such as {@code l1.read.finished}. */
  public String wireName() {
    String name = wireName;
    if (name == null) {
      // Read when it is first asked for: annotations are slow to read, and starting must be quick.
      EventSpec spec = eventClass.getAnnotation(EventSpec.class);
      name = spec == null ? "custom" : spec.wireName();
      wireName = name;
    }
    return name;
  }

  /** The record class, or {@link CustomEvent} itself for {@link #CUSTOM}. */
  public Class<? extends Event> eventClass() {
    return eventClass;
  }

  /** The fields, in the order of their declaration; none for {@link #CUSTOM}. */
  public List<Field> fields() {
    List<Field> known = fields;
    if (known == null) {
      List<Field> read = new ArrayList<>();
      RecordComponent @Nullable [] components = eventClass.getRecordComponents();
      for (RecordComponent component : components == null ? NO_COMPONENTS : components) {
        read.add(field(component));
      }
      known = List.copyOf(read);
      fields = known;
    }
    return known;
  }

  private static Field field(RecordComponent component) {
    String name =
        component.getName().replaceAll("([a-z0-9])([A-Z])", "$1_$2").toLowerCase(Locale.ROOT);
    try {
      MethodHandle reader = MethodHandles.lookup().unreflect(component.getAccessor());
      MethodType type = MethodType.methodType(Object.class, Event.class);
      return new Field(name, component.getType(), reader.asType(type));
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(name, e);
    }
  }

  /** The position in {@link #all()}. */
  public int index() {
    return index;
  }

  @Override
  public String toString() {
    return name();
  }
}
