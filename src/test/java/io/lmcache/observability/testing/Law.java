package io.lmcache.observability.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.bus.BusStatistics;
import io.lmcache.observability.bus.EventBus;

/** Checks that no event is lost or counted twice. */
public final class Law {

  private Law() {}

  /** Checks what a bus says against the number of calls of publish, none of which is under way. */
  public static BusStatistics holds(EventBus bus, long published) {
    BusStatistics now = bus.statistics();
    assertThat(now.published()).as("published of %s", now).isEqualTo(published);
    assertThat(now.dispatched() + now.inDispatch() + now.queued() + now.dropped())
        .as("sum of %s", now)
        .isEqualTo(published);
    assertThat(now.inDispatch()).as("in dispatch of %s", now).isBetween(0L, 1L);
    assertThat(now.dispatched()).as("dispatched of %s", now).isNotNegative();
    assertThat(now.queued()).as("queued of %s", now).isNotNegative();
    return now;
  }
}
