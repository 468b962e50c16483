package io.lmcache.observability.e2e;

import io.lmcache.observability.Observability;
import io.lmcache.observability.event.EventType;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.producer.L2Gauges;
import io.lmcache.observability.testing.SampleEvents;
import java.time.Duration;
import java.util.List;

/** Moves every metric that events and callbacks can move. */
final class EveryMetric {

  private static final int ROUNDS = 20;
  private static final Duration SOON = Duration.ofSeconds(30);

  private EveryMetric() {}

  static void move(Observability observability) {
    registerGauges(observability);
    SampleEvents samples = new SampleEvents(1);
    for (int i = 0; i < ROUNDS; i++) {
      EventType.all().stream()
          .filter(type -> type != EventType.CUSTOM)
          .forEach(type -> observability.sink().publish(samples.next(type)));
    }
    observability
        .sink()
        .publish(new ServerEvent.TimeoutRaised("s", "late", "LMCacheTimeout", "a.B", "at …"));
    observability.bus().flush(SOON);
  }

  private static void registerGauges(Observability observability) {
    observability.l1().registerUsageRatio(() -> 1, () -> 2);
    observability.l1().registerMemoryUsage(() -> 1 << 20);
    observability.server().registerActivePrefetchJobs(() -> 3);
    L2Gauges l2 = observability.storage().gauges();
    l2.registerUsage(() -> List.of(new L2Gauges.Usage("fs", () -> 7)));
    l2.registerInflightStores(() -> List.of(new L2Gauges.InflightStores("fs", 0, 2)));
    l2.registerInflightLoads(() -> List.of(new L2Gauges.InflightLoads("fs", 0, 2, 64)));
    l2.registerInflightLoadBytes(() -> List.of(new L2Gauges.InflightLoads("fs", 0, 2, 64)));
  }
}
