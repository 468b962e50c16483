package io.lmcache.observability.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.testing.Samples;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The events against the contract, which is copied into {@code golden/events.txt}. */
class EventContractTest {

  private static final Map<Type, String> SIMPLE =
      Map.of(
          String.class, "string",
          long.class, "long",
          int.class, "int",
          Integer.class, "int",
          Long.class, "long",
          double.class, "double",
          boolean.class, "bool",
          byte[].class, "bytes",
          int[].class, "int[]");

  @Test
  void events_all_haveTheNamesAndFieldsOfTheContract() throws IOException {
    assertThat(declared().map(EventContractTest::line).toList())
        .containsExactlyInAnyOrderElementsOf(golden());
  }

  @Test
  void types_all_areIndexedInOrderAndUnique() {
    List<EventType> all = EventType.all();
    for (int i = 0; i < all.size(); i++) {
      assertThat(all.get(i).index()).isEqualTo(i);
    }
    assertThat(all).extracting(EventType::name).doesNotHaveDuplicates();
    assertThat(all).extracting(EventType::wireName).doesNotHaveDuplicates();
    assertThat(all).extracting(EventType::eventClass).doesNotHaveDuplicates();
    assertThat(all.get(all.size() - 1)).isSameAs(EventType.CUSTOM);
  }

  @Test
  void type_ofEachEvent_isThatOfItsClass() {
    assertThat(declared())
        .allSatisfy(
            type -> {
              assertThat(EventType.of(type.eventClass())).isSameAs(type);
              assertThat(Samples.of(type.eventClass()).type()).isSameAs(type);
              assertThat(type).hasToString(type.name());
            });
  }

  @Test
  void type_ofCustomEvent_isCustom() {
    assertThat(Samples.numbered(1).type()).isSameAs(EventType.CUSTOM);
    assertThat(EventType.CUSTOM.name()).isEqualTo("CUSTOM");
    assertThat(EventType.CUSTOM.wireName()).isEqualTo("custom");
    assertThat(EventType.CUSTOM.eventClass()).isEqualTo(CustomEvent.class);
  }

  @Test
  void types_list_cannotBeChanged() {
    assertThat(EventType.all()).isUnmodifiable();
  }

  @Test
  void sessionId_ofEachEvent_isItsFieldElseEmpty() {
    assertThat(declared())
        .allSatisfy(
            type ->
                assertThat(Samples.of(type.eventClass()).sessionId())
                    .isEqualTo(has(type, "sessionId") ? "text" : ""));
  }

  @Test
  void ofModel_exactlyThoseWithTheField_implementIt() {
    assertThat(declared())
        .allSatisfy(
            type ->
                assertThat(Event.OfModel.class.isAssignableFrom(type.eventClass()))
                    .isEqualTo(has(type, "modelName")));
  }

  @Test
  void fields_ofEveryType_haveTheContractsNamesAndTheValues() {
    assertThat(declared())
        .allSatisfy(
            type -> {
              Event event = Samples.of(type.eventClass());
              RecordComponent[] components = type.eventClass().getRecordComponents();
              assertThat(type.fields()).hasSameSizeAs(components);
              for (int i = 0; i < components.length; i++) {
                EventType.Field field = type.fields().get(i);
                assertThat(field.name()).isEqualTo(Samples.snake(components[i].getName()));
                assertThat(field.type()).isEqualTo(components[i].getType());
                assertThat(field.of(event)).isEqualTo(components[i].getAccessor().invoke(event));
              }
            });
    assertThat(EventType.CUSTOM.fields()).isEmpty();
  }

  private static Stream<EventType> declared() {
    return EventType.all().stream().filter(type -> type != EventType.CUSTOM);
  }

  private static boolean has(EventType type, String component) {
    return Arrays.stream(type.eventClass().getRecordComponents())
        .anyMatch(c -> c.getName().equals(component));
  }

  private static List<String> golden() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(EventContractTest.class.getResourceAsStream("/golden/events.txt"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  private static String line(EventType type) {
    String fields = fields(type.eventClass());
    return (type.name() + " " + type.wireName() + " " + fields).strip();
  }

  private static String fields(Class<?> record) {
    return Arrays.stream(record.getRecordComponents())
        .map(c -> Samples.snake(c.getName()) + ":" + spell(c))
        .collect(Collectors.joining(","));
  }

  private static String spell(RecordComponent component) {
    return spell(component.getGenericType());
  }

  private static String spell(Type type) {
    if (SIMPLE.containsKey(type)) {
      return Objects.requireNonNull(SIMPLE.get(type));
    }
    if (type instanceof Class<?> plain && plain.isEnum()) {
      return Arrays.stream(plain.getEnumConstants())
          .map(EventContractTest::wireName)
          .collect(Collectors.joining("|", "enum<", ">"));
    }
    if (type instanceof Class<?> plain && plain.isRecord()) {
      return fields(plain);
    }
    ParameterizedType generic = (ParameterizedType) type;
    Type[] arguments = generic.getActualTypeArguments();
    if (generic.getRawType() == Map.class) {
      return "map<" + spell(arguments[0]) + "," + spell(arguments[1]) + ">";
    }
    assertThat(generic.getRawType()).isEqualTo(List.class);
    return arguments[0] instanceof WildcardType wildcard
            && wildcard.getUpperBounds()[0] == ObjectKey.class
        ? "keys"
        : "list<" + spell(arguments[0]) + ">";
  }

  private static String wireName(Object constant) {
    try {
      Method wireName = constant.getClass().getMethod("wireName");
      return String.valueOf(wireName.invoke(constant));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }
}
