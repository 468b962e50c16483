package io.lmcache.observability.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.bus.BusStatistics;
import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.bus.Subscriber;
import io.lmcache.observability.catalog.Gauges;
import io.lmcache.observability.producer.CacheServer;
import io.lmcache.observability.producer.L1Manager;
import io.lmcache.observability.producer.StorageManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Replays on a bus of its own, by the trace's time, and checks that no event was lost. */
final class ReplayRun {

  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final int queueSize;
  private final int l1Chunks;
  private final int tenants;
  private int rounds = 1;
  private boolean showcase;

  ReplayRun(int queueSize, int l1Chunks, int tenants) {
    this.queueSize = queueSize;
    this.l1Chunks = l1Chunks;
    this.tenants = tenants;
  }

  ReplayRun rounds(int count) {
    this.rounds = count;
    return this;
  }

  ReplayRun withShowcase() {
    this.showcase = true;
    return this;
  }

  /** The results of the rounds. */
  List<Replay.Result> run(List<TraceRequest> requests, Subscriber subscriber) {
    Timeline.Clock clock = new Timeline.Clock();
    List<Replay.Result> results = new ArrayList<>();
    try (EventBus bus = EventBus.create(queueSize, clock)) {
      bus.register(subscriber);
      bus.start();
      Replay.Facades facades =
          new Replay.Facades(
              new L1Manager(bus, Gauges.noop()),
              new StorageManager(bus, Gauges.noop()),
              new CacheServer(bus, Gauges.noop()));
      Timeline timeline = new Timeline(bus, queueSize, clock, 0, () -> false);
      TierState state = new TierState(l1Chunks);
      Replay replay = new Replay(facades, timeline, state, l1Chunks, tenants);
      for (int round = 1; round <= rounds; round++) {
        results.add(replay.play(round, requests, done -> {}));
        if (showcase) {
          new Showcase(facades, timeline).play(round);
        }
      }
      timeline.skipTo(timeline.now() + Replay.AFTER_THE_END.toNanos());
      assertThat(bus.stop(TIMEOUT)).isTrue();
      BusStatistics statistics = bus.statistics();
      assertThat(statistics.dropped()).isZero();
      assertThat(statistics.dispatched()).isEqualTo(statistics.published());
      assertThat(bus.subscriberExceptions().values()).containsOnly(0L);
      assertThat(bus.recordingErrors().byReason().values()).containsOnly(0L);
    }
    return results;
  }
}
