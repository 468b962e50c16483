package io.lmcache.observability.usage;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.internal.support.Warnings;
import io.lmcache.observability.testing.FakeClock;
import io.lmcache.observability.testing.Logs;
import io.lmcache.observability.testing.Samples;
import io.lmcache.observability.testing.Threads;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a telemetry that fails does to its server: nothing. */
class NeverInTheWayTest {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  @TempDir private Path home;
  private final FakeClock clock = FakeClock.create();
  private final EventBus bus = EventBus.create(100_000);

  @AfterEach
  void end() {
    bus.close();
  }

  private UsageTelemetry.Options options(UsageSender sender) {
    return UsageFixture.on(home, sender, clock);
  }

  private MpServerUsage server(UsageSender sender) {
    return UsageTelemetry.startMpServer(bus, UsageFixture.server(), options(sender)).orElseThrow();
  }

  private void awaitNoThreads() {
    Awaitility.await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(Threads.named("lmcache-usage")).isEmpty());
  }

  @Test
  void sender_thatThrows_isNotedOncePerKind_andChangesNothing() {
    try (Logs logs = Logs.of(Warnings.LOGGER)) {
      bus.start();
      AtomicInteger sends = new AtomicInteger();
      MpServerUsage usage =
          server(
              (target, json) -> {
                switch (sends.getAndIncrement() % 3) {
                  case 0 -> throw new IllegalStateException("closed");
                  case 1 -> throw new NoClassDefFoundError();
                  default -> throw new StackOverflowError();
                }
              });
      bus.publish(UsageFixture.stored(1, 1));
      assertThat(bus.stop(PATIENCE)).isTrue();
      assertThat(bus.subscriberExceptions().values()).containsExactly(0L, 0L, 0L);
      assertThat(usage.close(PATIENCE)).isTrue();
      assertThat(sends).hasValue(4);
      assertThat(logs.warnings()).isEmpty();
      assertThat(logs.debugs()).hasSize(3).allMatch(note -> note.contains("a report failed"));
    }
  }

  @Test
  void nullsInEveryPlace_areSwallowed() {
    UsageTelemetry.Options options = options(new Reports());
    assertThat(UsageTelemetry.startEngine(Samples.nothing(), options)).isEmpty();
    assertThat(UsageTelemetry.startEngine(UsageFixture.engine(), Samples.nothing())).isEmpty();
    assertThat(UsageTelemetry.startMpServer(Samples.nothing(), UsageFixture.server(), options))
        .isEmpty();
    assertThat(UsageTelemetry.startMpServer(bus, Samples.nothing(), options)).isEmpty();
    assertThat(bus.subscriberExceptions()).as("nobody is left behind").isEmpty();
    awaitNoThreads();
  }

  @Test
  void sender_thatHangs_holdsUpNeitherStartNorTicksNorTheBus() {
    CountDownLatch released = new CountDownLatch(1);
    UsageSender hanging = (target, json) -> released.await();
    long start = System.nanoTime();
    EngineUsage engine =
        UsageTelemetry.startEngine(UsageFixture.engine(), options(hanging)).orElseThrow();
    MpServerUsage usage = server(hanging);
    bus.start();
    AtomicInteger heard = new AtomicInteger();
    bus.subscribe(Samples.Own.class, "own", (event, epochNanos) -> heard.incrementAndGet());
    for (int i = 0; i < 1_000; i++) {
      engine.tick(1, 1);
      clock.advance(Duration.ofMinutes(10));
      bus.publish(Samples.numbered(i));
      bus.publish(UsageFixture.stored(1, 1));
    }
    assertThat(bus.flush(PATIENCE)).isTrue();
    assertThat(heard).hasValue(1_000);
    assertThat(bus.stop(Duration.ofSeconds(5))).as("the stop of the bus").isTrue();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    assertThat(usage.close(Duration.ofMillis(1))).as("abandoned").isFalse();
    assertThat(engine.close(Duration.ofMillis(1))).isFalse();
    usage.close();
    awaitNoThreads(); // though the latch is shut: the close has interrupted the senders
    released.countDown();
  }

  /** A telemetry whose reports, once the first has begun, wait until they are released. */
  private MpServerUsage serverThatWaits(
      int maxBufferedSamples, CountDownLatch entered, CountDownLatch released, Reports reports) {
    UsageSender sender =
        (target, json) -> {
          entered.countDown();
          released.await();
          reports.send(target, json);
        };
    return UsageTelemetry.startMpServer(
            bus, UsageFixture.server().maxBufferedSamples(maxBufferedSamples), options(sender))
        .orElseThrow();
  }

  @Test
  void buffer_thatIsFull_dropsAndCounts_andAsksForOneFlushPerFill() {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    Reports reports = new Reports();
    MpServerUsage usage = serverThatWaits(64, entered, released, reports);
    bus.start();
    Threads.await(entered);
    for (int i = 0; i < 50; i++) {
      bus.publish(UsageFixture.stored(1, 1)); // two samples each
    }
    assertThat(bus.flush(PATIENCE)).isTrue();
    assertThat(usage.droppedSamples()).isEqualTo(36);
    released.countDown();
    reports.await(3);
    bus.publish(UsageFixture.stored(1, 1));
    assertThat(bus.flush(PATIENCE)).isTrue();
    assertThat(reports.all()).as("no second early flush").hasSize(3);
    assertThat(reports.of("ContinuousContextMessage").get(0))
        .containsEntry("interval_stored_kv_size", 32L);
    assertThat(bus.stop(PATIENCE)).isTrue();
    assertThat(usage.close(PATIENCE)).isTrue();
    assertThat(reports.of("ContinuousContextMessage"))
        .extracting(fields -> fields.get("interval_stored_kv_size"))
        .containsExactly(32L, 1L);
    assertThat(usage.droppedSamples()).isEqualTo(36);
  }

  @Test
  void buffer_thatIsFullWhenTheIntervalIsOver_isSentOnce() {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    Reports reports = new Reports();
    MpServerUsage usage = serverThatWaits(2, entered, released, reports);
    bus.start();
    Threads.await(entered);
    bus.publish(UsageFixture.stored(1, 7));
    assertThat(bus.flush(PATIENCE)).isTrue();
    clock.advance(Duration.ofMinutes(10));
    released.countDown();
    reports.await(4);
    assertThat(usage.close(PATIENCE)).isTrue();
    assertThat(reports.of("ContinuousContextMessage"))
        .extracting(fields -> fields.get("interval_stored_kv_size"))
        .as("the interval, the end, and no early flush between them")
        .containsExactly(7L, 0L);
  }

  @Test
  void start_onABusThatHasStopped_leavesNoThread() {
    bus.start();
    assertThat(bus.stop(PATIENCE)).isTrue();
    Reports reports = new Reports();
    server(reports);
    reports.await(2);
    awaitNoThreads();
  }

  @Test
  void silentServer_doesNotDelayTheBus_andOneNoteIsWritten() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        Logs logs = Logs.of(Warnings.LOGGER)) {
      UsageTelemetry.Options options =
          UsageTelemetry.options()
              .environment(Map.<String, String>of()::get)
              .home(home)
              .url("http://127.0.0.1:" + silent.getLocalPort());
      long start = System.nanoTime();
      MpServerUsage usage =
          UsageTelemetry.startMpServer(bus, UsageFixture.server(), options).orElseThrow();
      bus.start();
      bus.publish(UsageFixture.stored(1, 1));
      assertThat(bus.stop(Duration.ofSeconds(3))).isTrue();
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
      usage.close(Duration.ofMillis(1));
      awaitNoThreads();
      assertThat(logs.warnings()).isEmpty();
      assertThat(logs.debugs()).hasSizeLessThanOrEqualTo(1);
    }
  }

  @Test
  void refusedPort_costsANote() throws Exception {
    try (Logs logs = Logs.of(Warnings.LOGGER)) {
      UsageTelemetry.Options options =
          UsageTelemetry.options().environment(Map.<String, String>of()::get).home(home);
      try (ServerSocket gone = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
        options.url("http://127.0.0.1:" + gone.getLocalPort());
      }
      EngineUsage usage = UsageTelemetry.startEngine(UsageFixture.engine(), options).orElseThrow();
      assertThat(usage.close(PATIENCE)).isTrue();
      assertThat(logs.debugs()).hasSize(1);
    }
  }

  @Test
  void stop_ofABusThatNeverStarted_orIsOff_endsItToo() {
    Reports reports = new Reports();
    MpServerUsage usage = server(reports);
    assertThat(bus.stop(PATIENCE)).isTrue();
    assertThat(usage.close(PATIENCE)).isTrue();
    assertThat(reports.types())
        .containsExactly(
            "EnvMessage", "MPServerMessage", "ContinuousContextMessage", "L1UsageMessage");
    Reports ofDisabled = new Reports();
    UsageTelemetry.startMpServer(EventBus.disabled(), UsageFixture.server(), options(ofDisabled));
    ofDisabled.await(2);
    awaitNoThreads();
  }

  @Test
  void close_beforeTheBus_sendsWhatIsLeft_andLeavesTheBusAlone() {
    Reports reports = new Reports();
    bus.start();
    MpServerUsage usage = server(reports);
    bus.publish(UsageFixture.stored(2, 7));
    assertThat(bus.flush(PATIENCE)).isTrue();
    assertThat(usage.close(PATIENCE)).isTrue();
    assertThat(usage.close(PATIENCE)).isTrue();
    assertThat(reports.of("ContinuousContextMessage"))
        .singleElement()
        .satisfies(fields -> assertThat(fields).containsEntry("interval_stored_kv_size", 7L));
    assertThat(bus.subscriberExceptions()).isEmpty();
    assertThat(bus.publish(UsageFixture.stored(2, 7))).isTrue();
    assertThat(bus.stop(PATIENCE)).isTrue();
  }

  @Test
  void tenThousandRounds_leaveNoThread_andNoGrowth() {
    rounds(1_000);
    long before = used();
    rounds(9_000);
    awaitNoThreads();
    assertThat(used() - before).isLessThan(2L << 20);
    assertThat(bus.subscriberExceptions()).isEmpty();
  }

  private void rounds(int count) {
    UsageSender nowhere = (target, json) -> {};
    for (int i = 0; i < count; i++) {
      MpServerUsage usage =
          UsageTelemetry.startMpServer(
                  bus, UsageFixture.server().maxBufferedSamples(100), options(nowhere))
              .orElseThrow();
      EngineUsage engine =
          UsageTelemetry.startEngine(UsageFixture.engine(), options(nowhere)).orElseThrow();
      engine.tick(1, 1, 2);
      assertThat(engine.close(PATIENCE)).isTrue();
      assertThat(usage.close(PATIENCE)).isTrue();
    }
  }

  private static long used() {
    Runtime runtime = Runtime.getRuntime();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      System.gc();
      least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
    }
    return least;
  }

  @Test
  void roundsByHttp_leaveNoThread() throws Exception {
    try (StatsServer server = new StatsServer()) {
      UsageTelemetry.Options options =
          UsageTelemetry.options()
              .environment(Map.<String, String>of()::get)
              .home(home)
              .url(server.url());
      List<String> before = names();
      for (int i = 0; i < 50; i++) {
        EngineUsage usage =
            UsageTelemetry.startEngine(UsageFixture.engine(), options).orElseThrow();
        assertThat(usage.close(PATIENCE)).isTrue();
      }
      assertThat(server.requests()).hasSize(150);
      awaitNoThreads();
      Awaitility.await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(names().stream().filter(name -> !before.contains(name)))
                      .allMatch(
                          name -> name.startsWith("pool-") || name.startsWith("awaitility"),
                          "a thread of the test"));
    }
  }

  private static List<String> names() {
    return Thread.getAllStackTraces().keySet().stream().map(Thread::getName).toList();
  }

  @Test
  void eventsInTraffic_allocateNothing() throws Exception {
    Outbox outbox = new Outbox(options(new Reports()), "mp_server");
    Worker worker =
        new Worker(
            outbox, () -> {}, due -> {}, Worker.NEVER, options(new Reports()).telemetryClock());
    var time = options(new Reports()).telemetryClock();
    var skipped = new AtomicLong();
    var continuous =
        new ContinuousUsageReporter(
            outbox, worker, time, skipped, MpServerUsage.MetricSpec.defaults(256), 1_000);
    var l2 = new Reporters.L2ConnectorUsageReporter(outbox, worker, time, skipped, List::of);
    var stored = UsageFixture.stored(1, 1);
    var retrieved = UsageFixture.retrieved(1);
    var l2Stored = UsageFixture.l2Stored("fs", 1, 0, 1);
    Runnable some =
        () -> {
          for (int i = 0; i < 100_000; i++) {
            continuous.onEvent(stored, 1);
            continuous.onEvent(retrieved, 1);
            l2.onEvent(l2Stored, 1);
          }
        };
    some.run();
    some.run();
    assertThat(Threads.allocatedBy(some)).isLessThan(1_000);
  }
}
