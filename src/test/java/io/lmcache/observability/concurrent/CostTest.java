package io.lmcache.observability.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.Observability;
import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.bus.EventSink;
import io.lmcache.observability.catalog.Gauges;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.producer.CacheServer;
import io.lmcache.observability.producer.L1Manager;
import io.lmcache.observability.producer.StorageManager;
import io.lmcache.observability.testing.Samples;
import io.lmcache.observability.testing.Threads;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What the bus costs: bytes, processor time at rest, and the time until an event arrives. */
class CostTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int MANY = 10_000_000;

  @Test
  void publish_premadeEvent_allocatesNothing() {
    try (EventBus bus = EventBus.create(100_000)) {
      bus.subscribe(Event.class, "nobody", (event, epochNanos) -> {});
      bus.start();
      Event event = Samples.tick();
      Runnable some =
          () -> {
            for (int i = 0; i < 100_000; i++) {
              bus.publish(event);
            }
          };
      some.run();
      some.run();
      // The first wake-up or drop of a process may load a class or two.
      long least = IntStream.range(0, 3).mapToLong(i -> Threads.allocatedBy(some)).min().orElse(-1);
      assertThat(least).isZero();
      assertThat(bus.stop(PATIENCE)).isTrue();
      some.run();
      assertThat(Threads.allocatedBy(some)).as("on a stopped bus").isZero();
    }
  }

  @Test
  void publish_fullQueue_allocatesNothing() {
    EventBus bus = EventBus.create(1);
    Event event = Samples.tick();
    Runnable some =
        () -> {
          for (int i = 0; i < 100_000; i++) {
            bus.publish(event);
          }
        };
    some.run();
    assertThat(Threads.allocatedBy(some)).isZero();
    assertThat(bus.dropped()).isEqualTo(199_999);
  }

  @Test
  void publish_withATimeOfItsOwn_allocatesOneEnvelope() {
    EventBus bus = EventBus.create(200_000);
    Event event = Samples.tick();
    Runnable some =
        () -> {
          for (int i = 0; i < 100_000; i++) {
            bus.publish(event, 5);
          }
        };
    some.run();
    assertThat(Threads.allocatedBy(some)).isLessThanOrEqualTo(32L * 100_000);
  }

  @Test
  void disabled_tenMillionPublishes_allocateNothing() {
    List<Thread> before = Threads.named("lmcache-");
    EventBus bus = EventBus.disabled();
    bus.start();
    Event event = Samples.tick();
    Runnable many =
        () -> {
          for (int i = 0; i < MANY; i++) {
            bus.publish(event);
          }
        };
    assertThat(Threads.allocatedBy(many)).isLessThan(1_000);
    assertThat(Threads.named("lmcache-")).isEqualTo(before);
  }

  @Test
  void disabled_facades_allocateNothing() {
    EventSink off = EventSink.noop();
    L1Manager l1 = new L1Manager(off, Gauges.noop());
    StorageManager storage = new StorageManager(off, Gauges.noop());
    CacheServer server = new CacheServer(off, Gauges.noop());
    Map<String, Long> counts = Map.of("", 1L);
    Throwable timeout = new IllegalStateException();
    Runnable all =
        () -> {
          l1.readFinished(List.of());
          l1.evictionLoopTicked(true, 0.5, 0.8);
          storage.writeFinished(List.of(), List.of());
          storage.l2StoreSubmitted(1, 2, "fs", counts, 3).completed(1, 0, counts, 3);
          storage.l2LookupSubmitted(1, 2, counts).completed(1);
          storage.l2LoadSubmitted(1, 2, counts).completed(1, counts);
          storage.l2LoadTaskSubmitted(1, 2, 3, "fs", 4, 5).completed();
          server.requestStarted("s").ended();
          server.lookupPrefetchStarted("s", "m", "").ended(1, 2, 3);
          server.storeStarted(Runnable::run, "s", "d", "e", "m").ended(Runnable::run, 1, 2);
          server.retrieveStarted("s", "d", "e", "m", "").ended(1, 2);
          server.timeoutRaised("s", timeout);
          server.blend().requestStarted("s").ended();
          server.blend().lookupStarted("s", 1).ended(1, 2, 3, 4, 5, false);
          server.blend().retrieveStarted("s", "i", 1).ended(true);
          server.blend().storePreComputedStarted("s", "i", 1).ended(1, true);
          server.blend().storeFinalStarted("s", "i", 1).ended(1, true);
        };
    all.run();
    Runnable many =
        () -> {
          for (int i = 0; i < MANY / 10; i++) {
            all.run();
          }
        };
    assertThat(Threads.allocatedBy(many)).isLessThan(10_000);
  }

  @Test
  void idle_allThreadsOfAnInstance_costOnePercentOfACore_withThreefoldRoom() {
    ObservabilityConfig config = ObservabilityConfig.builder().prometheusPort(0).build();
    try (Observability observability = Observability.builder().config(config).start()) {
      assertThat(observability.prometheusUri()).isPresent();
      await(Duration.ofMillis(1_100)); // past the time that it stays alert after its start
      List<Thread> ours = Threads.named("lmcache-");
      assertThat(ours).hasSizeGreaterThanOrEqualTo(2);
      long before = Threads.cpuNanos(ours);
      await(Duration.ofSeconds(3));
      long used = Threads.cpuNanos(ours) - before;
      assertThat(used).isLessThan(3 * TimeUnit.SECONDS.toNanos(3) / 100);
    }
  }

  @Test
  void arrival_afterSilenceAndInTraffic_isPrompt() throws InterruptedException {
    try (EventBus bus = EventBus.create(10_000)) {
      SynchronousQueue<Long> arrivals = new SynchronousQueue<>();
      bus.subscribe(
          Event.class,
          "arrivals",
          (event, epochNanos) -> arrivals.offer(System.nanoTime(), 5, TimeUnit.SECONDS));
      bus.start();
      await(Duration.ofMillis(1_200));
      assertThat(latency(bus, arrivals)).isLessThan(Duration.ofMillis(300));
      long worst = 0;
      long sum = 0;
      for (int i = 0; i < 50; i++) {
        long took = latency(bus, arrivals).toNanos();
        worst = Math.max(worst, took);
        sum += took;
      }
      assertThat(Duration.ofNanos(sum / 50)).isLessThan(Duration.ofMillis(15));
      assertThat(Duration.ofNanos(worst)).isLessThan(Duration.ofMillis(300));
      assertThat(bus.stop(PATIENCE)).isTrue();
    }
  }

  private static Duration latency(EventBus bus, SynchronousQueue<Long> arrivals)
      throws InterruptedException {
    long start = System.nanoTime();
    assertThat(bus.publish(Samples.tick())).isTrue();
    Long arrival = arrivals.poll(5, TimeUnit.SECONDS);
    assertThat(arrival).isNotNull();
    return Duration.ofNanos(arrival - start);
  }

  /** Lets wall time pass, which is what these measurements are about. */
  private static void await(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
