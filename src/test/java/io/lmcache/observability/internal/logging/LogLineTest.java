package io.lmcache.observability.internal.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.lmcache.observability.event.ServerEvent;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;

/** What layouts and backends of several kinds make of a line. */
class LogLineTest {

  /** A backend that knows no key-value pairs, such as slf4j-simple. */
  private static final class Plain extends LegacyAbstractLogger {

    private static final long serialVersionUID = 1L;
    private final transient List<String> lines = new ArrayList<>();

    @Override
    public boolean isTraceEnabled() {
      return false;
    }

    @Override
    public boolean isDebugEnabled() {
      return true;
    }

    @Override
    public boolean isInfoEnabled() {
      return true;
    }

    @Override
    public boolean isWarnEnabled() {
      return true;
    }

    @Override
    public boolean isErrorEnabled() {
      return true;
    }

    @Override
    protected String getFullyQualifiedCallerName() {
      return "";
    }

    @Override
    protected void handleNormalizedLoggingCall(
        Level level, Marker marker, String pattern, Object[] arguments, Throwable thrown) {
      lines.add(level + " " + pattern);
    }
  }

  private static final ServerEvent.StoreSubmitted EVENT =
      new ServerEvent.StoreSubmitted("x session_id=admin", "a=\"b\"");

  @Test
  void layouts_ofLogback_withAndWithoutPairs_areComplete() {
    try (Backend backend = new Backend()) {
      ILoggingEvent line = backend.log(EVENT);
      assertThat(Backend.print("%msg", line))
          .isEqualTo(
              "mp.store.submitted session_id=\"x session_id=admin\" device=\"a=\\\"b\\\"\""
                  + " time_unix_nano="
                  + Backend.STAMP);
      assertThat(Backend.print("%kvp", line))
          .isEqualTo(
              "event=\"mp.store.submitted\" session_id=\"x session_id\\u003dadmin\""
                  + " device=\"a\\u003d\\\"b\\\"\" time_unix_nano=\""
                  + Backend.STAMP
                  + "\"");
      assertThat(Backend.print("%kvp{NONE}", line)).doesNotContain("session_id=admin");
    }
  }

  @Test
  void backendWithoutPairs_isGivenTheTextOnly_bracesAsTheyAre() {
    Plain plain = new Plain();
    new LogLine(plain, Level.DEBUG, "name").add("text", "{} {}").add("n", 5L).log();
    assertThat(plain.lines).containsExactly("DEBUG name text=\"{} {}\" n=5");
  }

  @Test
  void values_keepTheirType() {
    try (Backend backend = new Backend()) {
      ILoggingEvent line = backend.log(new ServerEvent.StoreEnd("5", "true", "", "", 5, 6));
      assertThat(Backend.pairs(line))
          .containsEntry("session_id", "5")
          .containsEntry("device", "true")
          .containsEntry("stored_count", 5L);
    }
  }
}
