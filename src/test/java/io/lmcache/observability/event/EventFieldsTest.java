package io.lmcache.observability.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.lmcache.observability.testing.Samples;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What each field of each event refuses and takes. */
class EventFieldsTest {

  private static final long MOST = 1L << 53;
  private static final Set<String> ANY_LONG = Set.of("requestId", "taskId");
  private static final ObjectKey KEY = ObjectKey.of("m", "", new byte[] {1}, 0);

  static Stream<Arguments> fields() {
    return EventType.all().stream()
        .map(EventType::eventClass)
        .filter(Class::isRecord)
        .flatMap(
            type ->
                Arrays.stream(type.getRecordComponents())
                    .map(c -> arguments(type, c.getName(), c.getType())));
  }

  static Stream<Arguments> fieldsOf(Class<?> type) {
    return fields().filter(field -> field.get()[2] == type);
  }

  static Stream<Arguments> references() {
    return fields().filter(field -> !((Class<?>) field.get()[2]).isPrimitive());
  }

  static Stream<Arguments> longs() {
    return fieldsOf(long.class);
  }

  static Stream<Arguments> ints() {
    return fieldsOf(int.class);
  }

  static Stream<Arguments> doubles() {
    return fieldsOf(double.class);
  }

  static Stream<Arguments> lists() {
    return fieldsOf(List.class);
  }

  static Stream<Arguments> maps() {
    return fieldsOf(Map.class);
  }

  @ParameterizedTest
  @MethodSource("references")
  void reference_null_isRefusedByName(Class<? extends Event> type, String field) {
    refuses(type, field, Samples.nothing());
  }

  @ParameterizedTest
  @MethodSource("longs")
  void long_atTheEdges_isTakenOrRefusedByName(Class<? extends Event> type, String field) {
    takes(type, field, 0L);
    takes(type, field, MOST);
    for (long odd : new long[] {-1, MOST + 1, Long.MIN_VALUE, Long.MAX_VALUE}) {
      if (ANY_LONG.contains(field)) {
        takes(type, field, odd);
      } else {
        refuses(type, field, odd);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("ints")
  void int_atTheEdges_isTakenOrRefusedByName(Class<? extends Event> type, String field) {
    takes(type, field, 0);
    takes(type, field, Integer.MAX_VALUE);
    refuses(type, field, -1);
    refuses(type, field, Integer.MIN_VALUE);
  }

  @ParameterizedTest
  @MethodSource("doubles")
  void double_atTheEdges_isTakenOrRefusedByName(Class<? extends Event> type, String field) {
    takes(type, field, 0.0);
    takes(type, field, 1.0);
    for (double odd :
        new double[] {
          -Double.MIN_VALUE,
          Math.nextUp(1.0),
          Double.NaN,
          Double.POSITIVE_INFINITY,
          Double.NEGATIVE_INFINITY
        }) {
      refuses(type, field, odd);
    }
  }

  @ParameterizedTest
  @MethodSource("lists")
  void list_withNullElement_isRefusedByName(Class<? extends Event> type, String field) {
    refuses(type, field, Arrays.asList(element(field), null));
  }

  @ParameterizedTest
  @MethodSource("lists")
  void list_mutable_isCopied(Class<? extends Event> type, String field) {
    Object[] backing = {element(field), element(field)};
    Object kept = Samples.get(Samples.with(type, field, Arrays.asList(backing)), field);
    assertThat(kept).asInstanceOf(InstanceOfAssertFactories.LIST).hasSize(2);
    backing[1] = new Object();
    assertThat(kept).isEqualTo(List.of(element(field), backing[0]));
  }

  @ParameterizedTest
  @MethodSource("lists")
  void list_immutable_isTakenAsItIs(Class<? extends Event> type, String field) {
    if (field.equals("shapes")) {
      return; // a list of lists is always copied
    }
    List<Object> given = List.of(element(field));
    assertThat(Samples.get(Samples.with(type, field, given), field)).isSameAs(given);
  }

  @ParameterizedTest
  @MethodSource("maps")
  void map_withBadEntry_isRefusedByName(Class<? extends Event> type, String field) {
    refuses(type, field, Map.of("", -1L));
    refuses(type, field, Map.of("", MOST + 1));
    refuses(type, field, Collections.singletonMap("", null));
    refuses(type, field, Collections.singletonMap(null, 1L));
  }

  @ParameterizedTest
  @MethodSource("maps")
  void map_mutableOrNot_isCopiedOrTakenAsItIs(Class<? extends Event> type, String field) {
    Map<String, Long> mutable = new HashMap<>(Map.of("a", 1L));
    Event event = Samples.with(type, field, mutable);
    mutable.put("b", 2L);
    assertThat(Samples.get(event, field)).isEqualTo(Map.of("a", 1L));
    Map<String, Long> immutable = Map.of("a", 0L, "", MOST);
    assertThat(Samples.get(Samples.with(type, field, immutable), field)).isSameAs(immutable);
  }

  @Test
  void reason_ofFailedPrefetch_isAnyTextButEmpty() {
    takes(L2Event.PrefetchFailed.class, "reason", "serde_failure");
    refuses(L2Event.PrefetchFailed.class, "reason", "");
  }

  @Test
  void shapes_innerList_isCopiedAndMayHoldNoNull() {
    Integer[] inner = {1, 2};
    Event event = Samples.with(ServerEvent.Lookup.class, "shapes", List.of(Arrays.asList(inner)));
    inner[0] = 9;
    assertThat(((ServerEvent.Lookup) event).shapes()).containsExactly(List.of(1, 2));
    refuses(ServerEvent.Lookup.class, "shapes", List.of(Arrays.asList(1, null)));
  }

  @Test
  void allocationRecord_arrays_areCopied() {
    int[] blocks = {1};
    int[] tokens = {2};
    var allocation = new ServerEvent.AllocationRecord("r", blocks, tokens);
    blocks[0] = 9;
    tokens[0] = 9;
    assertThat(allocation.newBlockIds()).containsExactly(1);
    assertThat(allocation.newTokenIds()).containsExactly(2);
  }

  @Test
  void allocationRecord_null_isRefusedByName() {
    int[] none = {};
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ServerEvent.AllocationRecord(Samples.nothing(), none, none))
        .withMessageStartingWith("req_id ");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ServerEvent.AllocationRecord("", Samples.nothing(), none))
        .withMessageStartingWith("new_block_ids ");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ServerEvent.AllocationRecord("", none, Samples.nothing()))
        .withMessageStartingWith("new_token_ids ");
  }

  @Test
  void requestStart_withoutTrace_hasAnEmptyOne() {
    assertThat(new ServerEvent.RequestStart("s"))
        .isEqualTo(new ServerEvent.RequestStart("s", "", ""));
  }

  private static Object element(String field) {
    return switch (field) {
      case "keys", "succeededKeys", "failedKeys" -> KEY;
      case "shapes" -> List.of(1, 2);
      default -> "element";
    };
  }

  private static void takes(Class<? extends Event> type, String field, Object value) {
    assertThat(Samples.get(Samples.with(type, field, value), field)).isEqualTo(value);
  }

  private static void refuses(Class<? extends Event> type, String field, Object value) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Samples.with(type, field, value))
        .withMessageStartingWith(Samples.snake(field) + " ");
  }
}
