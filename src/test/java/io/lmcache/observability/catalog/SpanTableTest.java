package io.lmcache.observability.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.event.BlendEvent;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.EventType;
import io.lmcache.observability.event.ServerEvent;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SpanTableTest {

  @Test
  void rows_areTheContracts_toTheLetter() {
    assertThat(SpanTable.all().stream().map(SpanTableTest::text))
        .containsExactly(
            "request|lmcache_mp.server|-|-|MP_REQUEST_START|MP_REQUEST_END|",
            "mp.lookup_prefetch|lmcache_mp.server|request|-"
                + "|MP_LOOKUP_PREFETCH_START|MP_LOOKUP_PREFETCH_END|",
            "mp.retrieve|lmcache_mp.server|request|MP_RETRIEVE_SUBMITTED"
                + "|MP_RETRIEVE_START|MP_RETRIEVE_END|device",
            "mp.store|lmcache_mp.server|request|MP_STORE_SUBMITTED"
                + "|MP_STORE_START|MP_STORE_END|device",
            "cb.request|lmcache_mp.blend|request|-|CB_REQUEST_START|CB_REQUEST_END|",
            "cb.lookup|lmcache_mp.blend|cb.request|-|CB_LOOKUP_START|CB_LOOKUP_END|",
            "cb.retrieve|lmcache_mp.blend|cb.request|CB_RETRIEVE_SUBMITTED"
                + "|CB_RETRIEVE_START|CB_RETRIEVE_END|instance_id",
            "cb.store_pre_computed|lmcache_mp.blend|cb.request|CB_STORE_PRE_COMPUTED_SUBMITTED"
                + "|CB_STORE_PRE_COMPUTED_START|CB_STORE_PRE_COMPUTED_END|instance_id",
            "cb.store_final|lmcache_mp.blend|cb.request|CB_STORE_FINAL_SUBMITTED"
                + "|CB_STORE_FINAL_START|CB_STORE_FINAL_END|instance_id",
            "cb.fingerprints.registered|lmcache_mp.blend|cb.request|-"
                + "|CB_FINGERPRINTS_REGISTERED|-|",
            "cb.chunks.evicted|lmcache_mp.blend|cb.request|-|CB_CHUNKS_EVICTED|-|",
            "timeout|lmcache_mp.server|-|-|TIMEOUT_RAISED|-|");
  }

  private static String text(SpanTable.Row row) {
    SpanTable.Row parent = row.parent();
    return String.join(
        "|",
        row.name(),
        row.scope(),
        parent == null ? "-" : parent.name(),
        name(row.submitted()),
        name(row.opens()),
        name(row.closes()),
        row.pairedBy());
  }

  private static String name(@Nullable Class<? extends Event> event) {
    return event == null ? "-" : EventType.of(event).name();
  }

  @Test
  void everyStartEndAndSubmitted_ofTheServer_isInTheTable() {
    Set<Class<?>> used =
        SpanTable.all().stream()
            .flatMap(row -> Stream.of(row.submitted(), row.opens(), row.closes()))
            .filter(Objects::nonNull)
            .collect(Collectors.toSet());
    List<Class<?>> spans =
        EventType.all().stream()
            .<Class<?>>map(EventType::eventClass)
            .filter(event -> Set.of(ServerEvent.class, BlendEvent.class).contains(outer(event)))
            .filter(event -> event.getSimpleName().matches(".*(Start|End|Submitted)"))
            .toList();
    assertThat(spans).hasSizeGreaterThan(20);
    assertThat(used).containsAll(spans);
  }

  private static Class<?> outer(Class<?> event) {
    return event.getDeclaringClass() == null ? Object.class : event.getDeclaringClass();
  }

  @Test
  void fieldsThatTheTableNames_areFieldsOfItsEvents() {
    for (SpanTable.Row row : SpanTable.all()) {
      Stream.of(row.submitted(), row.opens(), row.closes())
          .filter(Objects::nonNull)
          .forEach(
              event ->
                  assertThat(fields(event))
                      .as(row.name())
                      .contains(SpanTable.SESSION_ID)
                      .containsAll(row.pairedBy().isEmpty() ? Set.of() : Set.of(row.pairedBy())));
    }
    assertThat(fields(ServerEvent.RequestStart.class)).containsAll(SpanTable.LEFT_OUT);
    assertThat(fields(ServerEvent.TimeoutRaised.class))
        .containsAll(SpanTable.EXCEPTION_ATTRIBUTES.keySet());
    for (Class<? extends Event> end :
        List.of(ServerEvent.LookupPrefetchEnd.class, BlendEvent.LookupEnd.class)) {
      assertThat(fields(end)).contains(SpanTable.REQUESTED_TOKENS, SpanTable.HIT_TOKENS);
    }
  }

  private static Set<String> fields(Class<? extends Event> event) {
    return EventType.of(event).fields().stream()
        .map(EventType.Field::name)
        .collect(Collectors.toSet());
  }
}
