package io.lmcache.observability.internal.logging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.lmcache.observability.event.CustomEvent;
import io.lmcache.observability.event.EventType;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.testing.SampleEvents;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever text comes from outside, a line stays one line and has the keys that it should. */
class ForgingTest {

  private static final String EVIL =
      " ==\"\"'`[](){}<>,;:/\\?|&%$#\n\r\t\0\u001b\u007f\u0085\u00a0\u00ad\u2003\u200b\u2028\u2029"
          + "\u202a\u202e\u2066\u2069\ufeff\ud83d\ude42ab";

  private record Says(String text, String sessionId) implements CustomEvent {
    @Override
    public String toString() {
      return text;
    }
  }

  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.oneOf(
        Arbitraries.strings().ofMaxLength(400),
        Arbitraries.strings().withChars(EVIL.toCharArray()).ofMaxLength(40),
        Arbitraries.of(
            "x session_id=admin",
            "x\" session_id=\"admin",
            "x' session_id='admin",
            "x\\\" session_id=admin",
            "\\",
            "]\nlmcache.l1 - l1.read.finished keys=[]",
            "{} {}",
            "…(3)"));
  }

  @Property(tries = 300)
  void line_withAnyTextInEveryField_hasItsKeysAndNoOthers(
      @ForAll("texts") String text, @ForAll long seed) {
    SampleEvents events = SampleEvents.saying(text, seed);
    try (Backend backend = new Backend()) {
      for (EventType type : EventType.all()) {
        if (type == EventType.CUSTOM) {
          continue;
        }
        List<String> keys = new ArrayList<>();
        type.fields().forEach(field -> keys.add(field.name()));
        keys.add("time_unix_nano");
        holds(backend.log(events.next(type)), type.wireName(), keys);
      }
    }
  }

  @Property(tries = 300)
  void line_ofAForeignEvent_hasItsKeysAndNoOthers(
      @ForAll("texts") String text, @ForAll("texts") String session) {
    try (Backend backend = new Backend()) {
      List<String> keys =
          session.isEmpty()
              ? List.of("class", "text", "time_unix_nano")
              : List.of("class", "session_id", "text", "time_unix_nano");
      holds(backend.log(new Says(text, session)), "custom", keys);
    }
  }

  @Property(tries = 1_000)
  void value_readBack_isWhatItWas(@ForAll("texts") String text) {
    String whole = text.length() > 200 ? text.substring(0, 200) : text;
    try (Backend backend = new Backend()) {
      ILoggingEvent line = backend.log(new ServerEvent.EndSession(whole));
      assertThat(Line.parse(line.getFormattedMessage()).values())
          .containsEntry("request_id", whole);
      assertThat(Line.pairs(Backend.print("%kvp", line))).containsEntry("request_id", whole);
    }
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        0x34f, 0x115f, 0x1160, 0x17b4, 0x180b, 0x2800, 0x3164, 0xe000, 0xfe0f, 0xffa0, 0xfffe,
        0xe0100, 0xe01ef, 0x10ffff
      })
  void blank_isSeen(int point) {
    try (Backend backend = new Backend()) {
      String name = "admin" + Character.toString(point);
      String line = backend.log(new ServerEvent.EndSession(name)).getFormattedMessage();
      assertThat(line).contains("request_id=admin\\u");
      assertThat(Line.parse(line).values()).containsEntry("request_id", name);
    }
  }

  @Test
  void grammar_ofTheTest_refusesWhatIsForged() {
    assertThat(Line.parse("a b=c d=e").values()).containsOnlyKeys("b", "d");
    assertThatIllegalArgumentException().isThrownBy(() -> Line.parse("a b=c d e=f"));
  }

  private static void holds(ILoggingEvent line, String name, List<String> keys) {
    String message = line.getFormattedMessage();
    isOnOneLine(message);
    Line read = Line.parse(message);
    assertThat(read.name()).isEqualTo(name);
    assertThat(read.values().keySet()).as(message).containsExactlyElementsOf(keys);
    Map<String, Object> pairs = Backend.pairs(line);
    List<String> paired = new ArrayList<>(keys);
    paired.add(0, "event");
    assertThat(pairs.keySet()).containsExactlyElementsOf(paired);
    pairs.values().stream()
        .filter(String.class::isInstance)
        .forEach(value -> assertThat(isOnOneLine((String) value)).doesNotContain("="));
    assertThat(Line.pairs(Backend.print("%kvp", line)).keySet()).containsExactlyElementsOf(paired);
    for (String quotes : List.of("NONE", "SINGLE")) {
      String printed = Backend.print("%kvp{" + quotes + "}", line);
      assertThat(printed.chars().filter(c -> c == '=').count()).isEqualTo(paired.size());
    }
  }

  private static String isOnOneLine(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean loneHigh =
          Character.isHighSurrogate(c)
              && (i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1)));
      boolean loneLow =
          Character.isLowSurrogate(c) && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
      boolean breaks = Character.isISOControl(c) || c == '\u2028' || c == '\u2029';
      boolean turns = (c >= '\u202a' && c <= '\u202e') || (c >= '\u2066' && c <= '\u2069');
      assertThat(loneHigh || loneLow || breaks || turns).as("%04x in %s", (int) c, text).isFalse();
    }
    return text;
  }
}
