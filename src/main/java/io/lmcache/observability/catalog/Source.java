package io.lmcache.observability.catalog;

import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * How the events of one class move a metric: by how much, and under which attribute values.
 *
 * @param event the class of events
 * @param calculation the same in words, for METRICS.md
 * @param labels the attributes that are fields of the event
 * @param amount what is added; null where a correlator records instead
 */
public record Source<E extends Event>(
    Class<E> event, String calculation, List<Label<E>> labels, @Nullable Amount<E> amount) {

  /** The name of the attribute that carries the tenant. */
  public static final String CACHE_SALT = "cache_salt";

  /** The name of the attribute that carries the model. */
  public static final String MODEL_NAME = "model_name";

  /**
   * An attribute whose value is a field of the event.
   *
   * @param values all values that it can take where the set is closed, else empty
   */
  public record Label<E extends Event>(
      String name, Function<? super E, String> value, List<String> values) {}

  /** An attribute whose value is a fact of each key. */
  @SuppressWarnings("ImmutableEnumChecker") // the functions are method references
  public enum KeyLabel {
    /** The key's tenant. */
    BY_SALT(CACHE_SALT, ObjectKey::cacheSalt),
    /** The key's model. */
    BY_MODEL(MODEL_NAME, ObjectKey::modelName);

    private final String attribute;
    private final Function<ObjectKey, String> value;

    KeyLabel(String attribute, Function<ObjectKey, String> value) {
      this.attribute = attribute;
      this.value = value;
    }

    /** The attribute's name. */
    public String attribute() {
      return attribute;
    }

    /** The attribute's value for a key. */
    public String valueOf(ObjectKey key) {
      return value.apply(key);
    }
  }

  /** What is added. */
  public sealed interface Amount<E extends Event> {}

  /** One number for each event. */
  public record PerEvent<E extends Event>(ToLongFunction<E> value) implements Amount<E> {}

  /** One for each key, under the key's own attribute value. */
  public record PerKey<E extends Event>(Function<E, List<? extends ObjectKey>> keys, KeyLabel label)
      implements Amount<E> {}

  /** The count of each salt, under that salt. */
  public record PerSalt<E extends Event>(Function<E, Map<String, Long>> counts)
      implements Amount<E> {}

  /** One for each event. */
  static <E extends Event> Source<E> each(Class<E> event) {
    return new Source<>(event, "+1 per event", List.of(), new PerEvent<>(e -> 1));
  }

  /** A field of each event. */
  static <E extends Event> Source<E> value(Class<E> event, String field, ToLongFunction<E> value) {
    return new Source<>(event, "+" + field, List.of(), new PerEvent<>(value));
  }

  /** One for each event whose boolean field has a value. */
  static <E extends Event> Source<E> when(
      Class<E> event, String field, boolean value, Predicate<E> flag) {
    String calculation = "+1 when " + field + " is " + value;
    return new Source<>(
        event, calculation, List.of(), new PerEvent<>(e -> flag.test(e) == value ? 1 : 0));
  }

  /** One for each key of each event. */
  static <E extends Event> Source<E> keys(
      Class<E> event, Function<E, List<? extends ObjectKey>> keys, KeyLabel label) {
    String calculation = "+1 per key, under the key's " + label.attribute;
    return new Source<>(event, calculation, List.of(), new PerKey<>(keys, label));
  }

  /** The key counts of each event. */
  static <E extends Event> Source<E> salts(Class<E> event, Function<E, Map<String, Long>> counts) {
    String calculation = "+count per cache_salt of key_count_per_salt";
    return new Source<>(event, calculation, List.of(), new PerSalt<>(counts));
  }

  /** An event that a correlator works with. */
  static <E extends Event> Source<E> correlated(Class<E> event) {
    return new Source<>(event, "", List.of(), null);
  }

  /** The same with one more attribute of an open set of values. */
  Source<E> label(String name, Function<? super E, String> value) {
    return label(name, value, List.of());
  }

  /** The same with one more attribute of a closed set of values. */
  Source<E> label(String name, Function<? super E, String> value, List<String> values) {
    List<Label<E>> more = new ArrayList<>(labels);
    more.add(new Label<>(name, value, values));
    return new Source<>(event, calculation, List.copyOf(more), amount);
  }

  /** The names of all attributes, those of the event first. */
  public List<String> attributes() {
    List<String> names = new ArrayList<>();
    labels.forEach(label -> names.add(label.name()));
    if (amount instanceof PerKey<E> perKey) {
      names.add(perKey.label().attribute());
    } else if (amount instanceof PerSalt<E>) {
      names.add(CACHE_SALT);
    }
    return names;
  }
}
