package io.lmcache.observability.producer;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.bus.EventSink;
import io.lmcache.observability.bus.RecordingErrors.Reason;
import io.lmcache.observability.catalog.Gauges;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.ServerEvent.TimeoutRaised;
import io.lmcache.observability.testing.RecordingSubscriber;
import io.lmcache.observability.testing.Samples;
import io.lmcache.observability.testing.Threads;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LMCacheTimeoutExceptionTest {

  private static final Duration SOON = Duration.ofSeconds(30);

  private final EventBus bus = EventBus.create(1_000);
  private final RecordingSubscriber recorder = RecordingSubscriber.create();

  /** A subclass whose own methods fail while it is being made. */
  @SuppressWarnings("serial")
  private static final class TransferTimeout extends LMCacheTimeoutException {

    private final String peer;

    TransferTimeout(EventSink sink, String peer) {
      super(sink, "transfer timed out", "s");
      this.peer = peer;
    }

    @Override
    public String getMessage() {
      return super.getMessage() + " from " + peer.strip();
    }

    @Override
    public String toString() {
      return "TransferTimeout of " + peer.strip();
    }

    @Override
    public synchronized Throwable initCause(Throwable cause) {
      throw new IllegalStateException("no cause for " + peer.strip());
    }
  }

  /** A sink that fails at every turn. */
  private static final class Failing implements EventSink {

    private final boolean throwsAtOnce;
    private int refusals;

    Failing(boolean throwsAtOnce) {
      this.throwsAtOnce = throwsAtOnce;
    }

    @Override
    public boolean isEnabled() {
      if (throwsAtOnce) {
        throw new IllegalStateException("isEnabled");
      }
      return true;
    }

    @Override
    public boolean publish(Event event) {
      throw new StackOverflowError("publish");
    }

    @Override
    public boolean publish(Event event, long epochNanos) {
      throw new StackOverflowError("publish");
    }

    @Override
    public boolean publishOnStream(Executor stream, Event event) {
      throw new StackOverflowError("publish");
    }

    @Override
    public void refused(Class<? extends Event> eventClass, Throwable fault) {
      refusals++;
      throw new StackOverflowError("refused");
    }
  }

  @AfterEach
  void close() {
    DefaultSink.clear(bus);
    bus.close();
  }

  /** What arrived. */
  private List<TimeoutRaised> raised() {
    bus.register(recorder);
    bus.start();
    assertThat(bus.flush(SOON)).isTrue();
    return recorder.received().stream().map(TimeoutRaised.class::cast).toList();
  }

  @Test
  void constructed_publishesWhatItIs_once() {
    Throwable cause = new IllegalStateException("the peer is gone");
    LMCacheTimeoutException timeout =
        new LMCacheTimeoutException(bus, "late by 5 s", "session-1", cause);
    assertThat(timeout)
        .isInstanceOf(TimeoutException.class)
        .hasMessage("late by 5 s")
        .hasCause(cause)
        .returns("session-1", LMCacheTimeoutException::sessionId);
    assertThat(raised())
        .singleElement()
        .returns("session-1", TimeoutRaised::sessionId)
        .returns("late by 5 s", TimeoutRaised::message)
        .returns("LMCacheTimeoutException", TimeoutRaised::exceptionType)
        .returns(LMCacheTimeoutException.class.getName(), TimeoutRaised::exceptionClass)
        .extracting(TimeoutRaised::stacktrace)
        .asString()
        .startsWith(LMCacheTimeoutException.class.getName() + ": late by 5 s\n\tat ")
        .contains(".constructed_publishesWhatItIs_once(")
        .contains("\nCaused by: java.lang.IllegalStateException: the peer is gone");
  }

  @Test
  void stackTrace_withoutOverrides_isThatOfTheJdk() {
    LMCacheTimeoutException timeout = new LMCacheTimeoutException(bus, "late", "");
    java.io.StringWriter printed = new java.io.StringWriter();
    timeout.printStackTrace(new java.io.PrintWriter(printed));
    assertThat(raised())
        .singleElement()
        .extracting(TimeoutRaised::stacktrace)
        .isEqualTo(printed.toString().strip());
  }

  @Test
  void subclasses_areReportedByTheirOwnNames_anonymousOnesByWhatTheyExtend() {
    var unused = new TransferTimeout(bus, "peer");
    LMCacheTimeoutException anonymous =
        new LMCacheTimeoutException(bus, null, "") {
          private static final long serialVersionUID = 1L;
        };
    assertThat(anonymous.getClass().getSimpleName()).isEmpty();
    assertThat(raised())
        .extracting(TimeoutRaised::exceptionType)
        .containsExactly("TransferTimeout", "LMCacheTimeoutException");
    assertThat(raised().get(1).exceptionClass()).isEqualTo(anonymous.getClass().getName());
    assertThat(raised().get(1).message()).isEmpty();
  }

  @Test
  void overridesThatFail_costNothing() {
    assertThat(new TransferTimeout(bus, "peer").getMessage()).endsWith("from peer");
    assertThat(raised()).singleElement().returns("transfer timed out", TimeoutRaised::message);
    assertThat(bus.recordingErrors().byReason().values()).containsOnly(0L);
    assertThat(
            new LMCacheTimeoutException(bus, "m", "s", null) {
              private static final long serialVersionUID = 1L;

              @Override
              public synchronized Throwable initCause(Throwable cause) {
                throw new IllegalStateException("no");
              }
            })
        .hasNoCause();
  }

  @Test
  void stackTraceThatFails_isCounted_andACauseThatFails_isNamed() {
    Throwable foreign =
        new Error() {
          private static final long serialVersionUID = 1L;

          @Override
          public String getMessage() {
            throw new IllegalStateException("no");
          }
        };
    assertThat(new LMCacheTimeoutException(bus, "m", "s", foreign)).hasMessage("m");
    assertThat(
            new LMCacheTimeoutException(bus, "m", "s") {
              private static final long serialVersionUID = 1L;

              @Override
              public StackTraceElement[] getStackTrace() {
                throw new IllegalStateException("no");
              }
            })
        .isNotNull();
    assertThat(raised())
        .singleElement()
        .extracting(TimeoutRaised::stacktrace)
        .asString()
        .endsWith("Caused by: " + foreign.getClass().getName());
    assertThat(bus.recordingErrors().of(Reason.INVALID_FIELD)).isEqualTo(1);
  }

  @Test
  void nullsAndSinksThatFail_throwNothing() {
    Failing failing = new Failing(false);
    assertThat(new LMCacheTimeoutException(failing, "late", "s")).hasMessage("late");
    assertThat(failing.refusals).isEqualTo(1);
    assertThat(new LMCacheTimeoutException(new Failing(true), "late", "s")).hasMessage("late");
    assertThat(new LMCacheTimeoutException(Samples.nothing(), "late", "s")).hasMessage("late");
    assertThat(new LMCacheTimeoutException(bus, null, Samples.nothing()))
        .hasMessage(null)
        .returns("", LMCacheTimeoutException::sessionId);
    assertThat(raised()).singleElement().returns("", TimeoutRaised::message);
  }

  @Test
  void defaultSink_isOffUntilSet_theLastHolds_othersCannotClearIt() {
    EventBus other = EventBus.create(10);
    assertThat(DefaultSink.current().isEnabled()).isFalse();
    assertThat(new LMCacheTimeoutException("nowhere").sessionId()).isEmpty();
    DefaultSink.set(other);
    DefaultSink.set(bus);
    DefaultSink.clear(other);
    Throwable cause = new Error("why");
    assertThat(List.of(new LMCacheTimeoutException("a"), new LMCacheTimeoutException("b", "s")))
        .hasSize(2);
    assertThat(new LMCacheTimeoutException("c", "s", cause)).hasCause(cause);
    assertThat(raised()).extracting(TimeoutRaised::message).containsExactly("a", "b", "c");
    assertThat(other.statistics().published()).isZero();
    DefaultSink.clear(bus);
    assertThat(new LMCacheTimeoutException("late").sessionId()).isEmpty();
    assertThat(bus.statistics().published()).isEqualTo(3);
  }

  @Test
  void sinkThatIsOff_costsNoMoreThanTheExceptionItself() {
    LMCacheTimeoutException[] kept = new LMCacheTimeoutException[1];
    long plain = bytes(() -> kept[0] = new LMCacheTimeoutException(bus, "m", "s"));
    long off = bytes(() -> kept[0] = new LMCacheTimeoutException("m", "s"));
    long jdk = bytes(() -> new TimeoutException("m").fillInStackTrace());
    assertThat(kept[0]).isNotNull();
    assertThat(off).isLessThan(2 * jdk + 64 * 1_000);
    assertThat(plain).isGreaterThan(2 * off);
  }

  private static long bytes(Runnable construct) {
    Runnable some =
        () -> {
          for (int i = 0; i < 1_000; i++) {
            construct.run();
          }
        };
    some.run();
    return Threads.allocatedBy(some);
  }

  @Test
  void exception_holdsNoSink() {
    EventBus shortLived = EventBus.create(10);
    WeakReference<EventBus> reference = new WeakReference<>(shortLived);
    DefaultSink.set(shortLived);
    LMCacheTimeoutException timeout = new LMCacheTimeoutException("late");
    DefaultSink.clear(shortLived);
    shortLived.close();
    shortLived = EventBus.disabled();
    Awaitility.await()
        .atMost(SOON)
        .until(
            () -> {
              System.gc();
              return reference.get() == null;
            });
    assertThat(timeout).hasMessage("late");
    assertThat(shortLived.isEnabled()).isFalse();
  }

  @Test
  void handedToTheFacade_isPublishedOnce_andAForeignOneEachTime() {
    CacheServer server = new CacheServer(bus, Gauges.noop());
    LMCacheTimeoutException published = new LMCacheTimeoutException(bus, "published", "s");
    LMCacheTimeoutException silent = new LMCacheTimeoutException("silent");
    TimeoutException foreign = new TimeoutException("foreign");
    for (int i = 0; i < 2; i++) {
      server.timeoutRaised("s", published);
      server.timeoutRaised("s", silent);
      server.timeoutRaised("s", foreign);
    }
    assertThat(raised())
        .extracting(TimeoutRaised::message)
        .containsExactly("published", "silent", "foreign", "foreign");
  }

  @Test
  void exception_travelsAsAnyOther() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(new LMCacheTimeoutException(bus, "late", "s"));
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      LMCacheTimeoutException back = (LMCacheTimeoutException) in.readObject();
      assertThat(back).hasMessage("late").returns("s", LMCacheTimeoutException::sessionId);
      new CacheServer(bus, Gauges.noop()).timeoutRaised("s", back);
    }
    assertThat(raised()).hasSize(1);
  }

  @Test
  void longChainOfCauses_isCut() {
    Throwable cause = new IllegalStateException("the first");
    for (int i = 0; i < 2_000; i++) {
      cause = new IllegalStateException("on the way", cause);
    }
    assertThat(new LMCacheTimeoutException(bus, "late", "s", cause)).hasCause(cause);
    assertThat(TimeoutRaised.of("s", cause).stacktrace()).hasSize(32_769).endsWith("…");
    assertThat(raised().get(0).stacktrace())
        .hasSize(32_769)
        .endsWith("…")
        .startsWith(LMCacheTimeoutException.class.getName() + ": late\n\tat ");
  }
}
