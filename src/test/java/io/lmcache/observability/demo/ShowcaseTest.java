package io.lmcache.observability.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.EventType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ShowcaseTest {

  private static final List<TraceRequest> REQUESTS = TraceGenerator.generate(4, 150);

  @Test
  void play_afterAReplay_leavesNoEventOut() {
    EventTotals counted = new EventTotals();
    new ReplayRun(10_000, 200, 1).withShowcase().run(REQUESTS, counted);
    Set<EventType> seen = counted.events.stream().map(Event::type).collect(Collectors.toSet());
    List<EventType> all = new ArrayList<>(EventType.all());
    all.remove(EventType.CUSTOM);
    assertThat(seen).containsExactlyInAnyOrderElementsOf(all);
  }

  @Test
  void play_afterAReplay_movesNoneOfItsMetrics() {
    EventTotals with = new EventTotals();
    EventTotals without = new EventTotals();
    new ReplayRun(10_000, 200, 1).withShowcase().run(REQUESTS, with);
    new ReplayRun(10_000, 200, 1).run(REQUESTS, without);
    assertThat(with.totals.asMap()).isEqualTo(without.totals.asMap());
    assertThat(with.events).hasSizeGreaterThan(without.events.size());
  }
}
