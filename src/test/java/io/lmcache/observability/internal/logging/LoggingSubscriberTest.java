package io.lmcache.observability.internal.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.event.CustomEvent;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.EventType;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.L2Event;
import io.lmcache.observability.event.ObjectKey;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.testing.Logs;
import io.lmcache.observability.testing.SampleEvents;
import io.lmcache.observability.testing.Samples;
import io.lmcache.observability.testing.Threads;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LoggingSubscriberTest {

  private static final ObjectKey KEY =
      ObjectKey.of("llama-8b", "tenant-a", new byte[] {10, 11, 12}, 0);

  /** A key of a server whose class has gone wrong. */
  private record Broken(boolean throwing) implements ObjectKey {
    @Override
    public String modelName() {
      return throwing ? fail() : Samples.nothing();
    }

    @Override
    public String cacheSalt() {
      return "a";
    }

    @Override
    public byte[] chunkHash() {
      return throwing ? fail() : Samples.nothing();
    }

    @Override
    public int kvRank() {
      return throwing ? fail() : 3;
    }

    @SuppressWarnings("TypeParameterUnusedInFormals")
    private static <T> T fail() {
      throw new AssertionError("a key that fails");
    }
  }

  /** An event of a server's own that answers as it is told. */
  private static final class Foreign implements CustomEvent {

    private final String text;
    private final String session;

    Foreign(String text, String session) {
      this.text = text;
      this.session = session;
    }

    @Override
    public String sessionId() {
      return "throw".equals(session) ? toString() : session;
    }

    @Override
    public String toString() {
      if ("throw".equals(text)) {
        return toString() + toString(); // until the stack is full
      }
      return text;
    }
  }

  @Test
  void everyKindOfEvent_hasOneDebugLine_underItsProducer_withAllFields() {
    SampleEvents events = new SampleEvents(1);
    for (Class<?> producer : Event.class.getPermittedSubclasses()) {
      assertThat(LoggingSubscriber.LOGGERS).containsKey(producer.asSubclass(Event.class));
    }
    try (Backend backend = new Backend()) {
      for (EventType type : EventType.all()) {
        Event event = type == EventType.CUSTOM ? Samples.numbered(7) : events.next(type);
        ILoggingEvent line = backend.log(event);
        assertThat(line.getLevel()).isEqualTo(Level.DEBUG);
        assertThat(line.getLoggerName()).isEqualTo("lmcache." + producer(type.wireName()));
        assertThat(line.getFormattedMessage()).startsWith(type.wireName() + " ");
        assertThat(line.getArgumentArray()).isNull();
        Map<String, Object> pairs = Backend.pairs(line);
        assertThat(pairs)
            .containsEntry("event", type.wireName())
            .containsEntry("time_unix_nano", Backend.STAMP);
        assertThat(pairs.keySet())
            .containsAll(type.fields().stream().map(EventType.Field::name).toList());
        type.fields().stream()
            .filter(field -> field.type().isPrimitive())
            .forEach(field -> assertThat(pairs).containsEntry(field.name(), field.of(event)));
      }
    }
  }

  private static String producer(String wireName) {
    String first = wireName.substring(0, (wireName + ".").indexOf('.'));
    return Map.of("sm", "storage", "mp", "server", "timeout", "server", "cb", "blend")
        .getOrDefault(first, first);
  }

  @Test
  void line_ofFewFields_readsSo() {
    try (Backend backend = new Backend()) {
      assertThat(backend.text(new L1Event.ReadFinished(List.of(KEY))))
          .isEqualTo(
              "l1.read.finished keys=[1:llama-8b/tenant-a/0a0b0c/0] time_unix_nano="
                  + Backend.STAMP);
      assertThat(
              backend.text(
                  new L1Event.AllocationFailed(L1Event.AllocationPurpose.L1_STORE, List.of())))
          .startsWith("l1.allocation.failed during=l1_store keys=[] time_unix_nano=");
      assertThat(
              backend.text(new ServerEvent.StoreEnd("s 1", "cuda:0", "", "meta/llama", 3, 4_000)))
          .startsWith(
              "mp.store.end session_id=\"s 1\" device=cuda:0 engine_id=\"\" model_name=meta/llama"
                  + " stored_count=3 total_bytes=4000 time_unix_nano=");
      assertThat(backend.text(new L2Event.KeysEvicted("fs", 1, Map.of("a:b", 5L))))
          .startsWith("l2.keys.evicted l2_name=fs adapter_index=1 key_count_per_salt=[1:a:b:5] ");
    }
  }

  @Test
  void readme_showsALineAsItIs() throws IOException {
    ObjectKey first =
        ObjectKey.of("llama-8b", "tenant-a", new byte[] {10, 11, 12, 13, 14, 15, 16, 17, 18}, 0);
    ObjectKey second = ObjectKey.of("llama-8b", "", new byte[] {12}, 1);
    try (Backend backend = new Backend()) {
      assertThat(Path.of("README.md"))
          .content()
          .contains("\n" + backend.text(new L1Event.ReadFinished(List.of(first, second))) + "\n");
    }
  }

  @Test
  void longLists_areCountedAndBegun() {
    try (Backend backend = new Backend()) {
      String key = "llama-8b/tenant-a/0a0b0c/0";
      assertThat(backend.text(new L1Event.ReadFinished(Collections.nCopies(256, KEY))))
          .contains("keys=[256:" + String.join(",", Collections.nCopies(5, key)) + ",…] ");
      Map<String, Long> salts = new LinkedHashMap<>();
      for (int i = 0; i < 1_000; i++) {
        salts.put("salt-" + i, 1L);
      }
      assertThat(backend.text(new L2Event.PrefetchLookupSubmitted(1, 1, salts)))
          .containsPattern("key_count_per_salt=\\[1000:(salt-\\d+:1,){5}…\\] ");
      var record = new ServerEvent.AllocationRecord("r/1", new int[] {7}, new int[16]);
      assertThat(backend.text(new ServerEvent.BlockAllocation("i", "m", List.of(record))))
          .contains("records=[1:r\\u002f1/[1:7]/[16:0,0,0,0,0,…]] ");
      assertThat(
              backend.text(
                  new ServerEvent.Lookup(
                      "s",
                      "r",
                      List.of(new byte[32]),
                      "m",
                      256,
                      512,
                      List.of("bf16", "a, b"),
                      List.of(List.of(2, 16, 8), List.of()))))
          .contains("chunk_hashes=[1:0000000000000000…] ")
          .contains("dtypes=[2:bf16,a\\u002c\\u0020b] shapes=[2:[3:2,16,8],[]] ");
    }
  }

  @Test
  void longText_isCut_withItsLength_stackTracesLater() {
    try (Backend backend = new Backend()) {
      assertThat(backend.text(new ServerEvent.EndSession("x".repeat(5_000))))
          .contains("request_id=" + "x".repeat(256) + "…(5000) ");
      assertThat(backend.text(new ServerEvent.EndSession("x".repeat(255) + "🙂y")))
          .contains("x🙂…(258) ");
      String trace = "a.B: late\n\tat a.B.c(B.java:1)\n" + "z".repeat(5_000);
      String line = backend.text(new ServerEvent.TimeoutRaised("", "late", "B", "a.B", trace));
      assertThat(line)
          .contains("stacktrace=\"a.B: late\\n\\tat a.B.c(B.java:1)\\nz")
          .hasSizeLessThan(2_300);
      ObjectKey wide = ObjectKey.of("m".repeat(4_096), "s".repeat(4_096), new byte[4_096], 0);
      assertThat(backend.text(new L1Event.ReadFinished(Collections.nCopies(1_000, wide))))
          .hasSizeLessThan(1_200);
    }
  }

  @Test
  void keys_thatFailOrReturnNull_areTold_asFarAsTheyTell() {
    try (Backend backend = new Backend()) {
      assertThat(
              backend.text(
                  new L1Event.ReadFinished(List.of(new Broken(true), KEY, new Broken(false)))))
          .contains("keys=[3:?/a/?/?,llama-8b/tenant-a/0a0b0c/0,?/a/?/3] ");
      ObjectKey sly = ObjectKey.of("?", "x/y", new byte[0], 1);
      assertThat(backend.text(new L1Event.ReadFinished(List.of(sly))))
          .contains("keys=[1:\\u003f/x\\u002fy//1] ");
    }
  }

  @Test
  void foreignEvents_areTold_whateverTheyAnswer() {
    String own = Foreign.class.getName();
    try (Backend backend = new Backend()) {
      assertThat(backend.text(Samples.numbered(7)))
          .isEqualTo(
              "custom class=io.lmcache.observability.testing.Samples$Own text=\"Own[number=7]\""
                  + " time_unix_nano="
                  + Backend.STAMP);
      assertThat(backend.text(new Foreign("two\nlines", "s")))
          .startsWith("custom class=" + own + " session_id=s text=two\\nlines time_unix_nano=");
      assertThat(backend.text(new Foreign("throw", "throw")))
          .startsWith("custom class=" + own + " session_id=? text=? time_unix_nano=");
      assertThat(backend.text(new Foreign(Samples.nothing(), Samples.nothing())))
          .startsWith("custom class=" + own + " session_id=? text=? time_unix_nano=");
      assertThat(backend.text(new Foreign("x".repeat(10_000_000), "")))
          .startsWith("custom class=" + own + " text=xxx")
          .hasSizeLessThan(600);
    }
  }

  @Test
  void level_ofOneProducer_isSwitchedAtRunTime() {
    try (Logs l1 = Logs.of("lmcache.l1");
        Logs server = Logs.of("lmcache.server")) {
      l1.level(Level.INFO);
      server.level(Level.INFO);
      Event read = new L1Event.ReadFinished(List.of(KEY));
      Event ended = new ServerEvent.RequestEnd("s");
      Backend.publish(read, 1);
      Backend.publish(ended, 1);
      l1.level(Level.DEBUG);
      Backend.publish(read, 2);
      Backend.publish(ended, 2);
      l1.level(Level.INFO);
      Backend.publish(read, 3);
      assertThat(l1.messages()).singleElement().asString().endsWith("time_unix_nano=2");
      assertThat(server.messages()).isEmpty();
    }
  }

  @Test
  void levelOff_allocatesNothing_andAsksNoKey() {
    try (Logs logs = Logs.of("lmcache")) {
      logs.level(Level.INFO);
      SampleEvents samples = new SampleEvents(2);
      Event[] events = new Event[256];
      for (int i = 0; i < events.length; i++) {
        events[i] = i == 0 ? Samples.numbered(1) : samples.next();
      }
      events[1] = new L1Event.ReadFinished(List.of(new Broken(true)));
      LoggingSubscriber[] subscribers =
          Arrays.stream(events).map(Backend::subscriber).toArray(LoggingSubscriber[]::new);
      Runnable some =
          () -> {
            for (int i = 0; i < 100; i++) {
              for (int at = 0; at < events.length; at++) {
                subscribers[at].onEvent(events[at], 1);
              }
            }
          };
      some.run();
      some.run();
      assertThat(Threads.allocatedBy(some)).isZero();
      assertThat(logs.lines()).isEmpty();
    }
  }

  @Test
  void backendThatThrows_isCounted_andHarmsNobody() {
    EventBus bus = EventBus.create(10);
    LoggingSubscriber.all().forEach(bus::register);
    int[] seen = {0};
    bus.subscribe(Event.class, "next", (event, at) -> seen[0]++);
    bus.start();
    try (Logs failing = Logs.failing("lmcache", new AssertionError("the disk is full"))) {
      bus.publish(new L1Event.ReadFinished(List.of(KEY)));
      bus.publish(Samples.tick());
      assertThat(bus.stop(Duration.ofSeconds(30))).isTrue();
      assertThat(failing.debugs()).hasSizeGreaterThanOrEqualTo(2);
    }
    assertThat(bus.subscriberExceptions()).containsEntry("LoggingSubscriber", 2L);
    assertThat(seen[0]).isEqualTo(2);
  }
}
