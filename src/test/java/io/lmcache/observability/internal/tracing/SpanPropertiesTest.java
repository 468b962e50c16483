package io.lmcache.observability.internal.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.catalog.SpanTable;
import io.lmcache.observability.event.BlendEvent;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.EventType;
import io.lmcache.observability.event.ServerEvent;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** What holds whatever the events are and in whatever order they come. */
class SpanPropertiesTest {

  private static final List<Class<? extends Event>> EVENTS =
      EventType.all().stream()
          .<Class<? extends Event>>map(EventType::eventClass)
          .filter(
              event ->
                  event.getDeclaringClass() == ServerEvent.class
                      || event.getDeclaringClass() == BlendEvent.class)
          .toList();

  /** An event of one of few sessions on one of few devices; a tick if there is no event. */
  private record Step(int event, int session, int device, int millis) {}

  @Provide
  Arbitrary<List<Step>> steps() {
    return Combinators.combine(
            Arbitraries.integers().between(0, EVENTS.size()),
            Arbitraries.integers().between(0, 4),
            Arbitraries.integers().between(0, 2),
            Arbitraries.integers().between(-3, 20))
        .as(Step::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(400);
  }

  @Property(tries = 300)
  void anyEvents_inAnyOrder_leaveWholeTrees(
      @ForAll("steps") List<Step> steps,
      @ForAll Random values,
      @ForAll boolean small,
      @ForAll boolean stops) {
    int max = small ? 6 : 10_000;
    try (TracingFixture tracing =
        new TracingFixture(
            TracingFixture.config().maxOpenSpans(max).openSpanTimeout(Duration.ofMillis(1)))) {
      long now = 1_000_000;
      for (Step step : steps) {
        now += step.millis * 10_000L;
        if (step.event == EVENTS.size()) {
          tracing.tick(now);
        } else {
          tracing.at(now, event(EVENTS.get(step.event), step, values));
        }
        assertThat(tracing.subscriber.openSpans()).isLessThanOrEqualTo(max);
      }
      if (stops) {
        tracing.stop();
      } else {
        tracing.tick(now + 2_000_000); // past all ages
      }
      assertThat(tracing.isEmpty()).isTrue();
      assertWhole(tracing.spans());
    }
  }

  @Property(tries = 200)
  void wholeRequests_interleaved_areWholeAndComplete(
      @ForAll Random order, @ForAll("sessions") int sessions) {
    List<List<Event>> scripts = new ArrayList<>();
    for (int i = 0; i < sessions; i++) {
      scripts.add(script("s" + i, order));
    }
    try (TracingFixture tracing = new TracingFixture()) {
      int expected = scripts.stream().mapToInt(SpanPropertiesTest::spansOf).sum();
      long now = 1_000;
      while (!scripts.isEmpty()) {
        List<Event> next = scripts.get(order.nextInt(scripts.size()));
        tracing.at(now++, next.remove(0));
        scripts.remove(List.of());
      }
      assertThat(tracing.isEmpty()).isTrue();
      assertThat(tracing.subscriber.violations().values()).containsOnly(0L);
      assertThat(tracing.subscriber.incompleteSpans().values().stream().mapToLong(n -> n).sum())
          .as("lookups of blending, which have no end here")
          .isEqualTo(tracing.names().stream().filter("cb.lookup"::equals).count());
      assertThat(tracing.spans()).hasSize(expected);
      assertWhole(tracing.spans());
      assertThat(tracing.spans().stream().map(SpanData::getTraceId).distinct()).hasSize(sessions);
    }
  }

  @Provide
  Arbitrary<Integer> sessions() {
    return Arbitraries.integers().between(1, 12);
  }

  /** A request with stores, retrieves and perhaps blending, whose ends may come before theirs. */
  private static List<Event> script(String session, Random order) {
    List<Event> events = new ArrayList<>();
    events.add(new ServerEvent.RequestStart(session));
    events.add(new ServerEvent.LookupPrefetchStart(session));
    events.add(new ServerEvent.LookupPrefetchEnd(session, 1, 16, 16, "m", ""));
    List<Event> rest = new ArrayList<>();
    int copies = order.nextInt(4);
    for (int i = 0; i < copies; i++) {
      String device = "d" + i;
      events.add(new ServerEvent.StoreSubmitted(session, device));
      rest.add(new ServerEvent.StoreStart(session, device, "e", "m"));
      rest.add(new ServerEvent.StoreEnd(session, device, "e", "m", 1, 1));
      events.add(new ServerEvent.RetrieveSubmitted(session, device));
      rest.add(new ServerEvent.RetrieveStart(session, device, "e", "m"));
      rest.add(new ServerEvent.RetrieveEnd(session, device, "e", "m", "", 1, 1));
    }
    if (order.nextBoolean()) {
      events.add(new BlendEvent.RequestStart(session));
      events.add(new BlendEvent.LookupStart(session, 16));
      events.add(new BlendEvent.RetrieveSubmitted(session, "i"));
      rest.add(new BlendEvent.RetrieveStart(session, "i", 1));
      rest.add(new BlendEvent.RetrieveEnd(session, "i", 1, true));
      rest.add(new BlendEvent.StoreFinalSubmitted(session, "i"));
      rest.add(new BlendEvent.StoreFinalStart(session, "i", 1));
      rest.add(new BlendEvent.StoreFinalEnd(session, "i", 1, 1, false));
      rest.add(order.nextInt(rest.size() + 1), new BlendEvent.RequestEnd(session));
    }
    rest.add(order.nextInt(rest.size() + 1), new ServerEvent.RequestEnd(session));
    events.addAll(rest);
    return events;
  }

  private static int spansOf(List<Event> script) {
    return (int)
        script.stream().filter(event -> event.getClass().getSimpleName().endsWith("Start")).count();
  }

  private static void assertWhole(List<SpanData> spans) {
    Map<String, SpanData> byId = new HashMap<>();
    for (SpanData span : spans) {
      assertThat(byId.put(span.getSpanId(), span)).as("exported once").isNull();
      assertThat(span.hasEnded()).isTrue();
      assertThat(span.getEndEpochNanos()).isGreaterThanOrEqualTo(span.getStartEpochNanos());
    }
    List<String> names = SpanTable.all().stream().map(SpanTable.Row::name).toList();
    for (SpanData span : spans) {
      assertThat(names).contains(span.getName());
      if (span.getParentSpanContext().isValid()) {
        SpanData parent = Objects.requireNonNull(byId.get(span.getParentSpanId()), span.getName());
        assertThat(span.getEndEpochNanos()).isLessThanOrEqualTo(parent.getEndEpochNanos());
        assertThat(span.getTraceId()).isEqualTo(parent.getTraceId());
      }
    }
  }

  private static Event event(Class<? extends Event> type, Step step, Random values) {
    RecordComponent[] components = type.getRecordComponents();
    Object[] arguments =
        Arrays.stream(components).map(component -> value(component, step, values)).toArray();
    try {
      return type.getDeclaredConstructor(
              Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new))
          .newInstance(arguments);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  private static Object value(RecordComponent component, Step step, Random values) {
    Class<?> type = component.getType();
    if (type == String.class) {
      return switch (component.getName()) {
        case "sessionId" -> step.session == 0 ? "" : "session-" + step.session;
        case "device", "instanceId" -> "device-" + step.device;
        case "traceparent", "tracestate" -> "";
        default -> "text";
      };
    }
    if (type == long.class) {
      return (long) values.nextInt(100);
    }
    return type == boolean.class ? (Object) values.nextBoolean() : List.of();
  }
}
