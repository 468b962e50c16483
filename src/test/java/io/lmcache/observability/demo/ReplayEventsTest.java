package io.lmcache.observability.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.bus.Subscriber;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.L2Event;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.event.StorageEvent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Three requests through an L1 of two chunks, every event and its time worked out by hand. */
class ReplayEventsTest {

  private static final long MIB = 1 << 20;
  private static final String SALT = "tenant-0";

  private record Stamped(long micros, Event event) {}

  /** Keeps all events with their stamps, from the start of the trace. */
  private static final class Recorder implements Subscriber {

    private final List<Stamped> events = new ArrayList<>();

    @Override
    public void onEvent(Event event, long epochNanos) {
      long nanos = epochNanos - Timeline.START_NANOS;
      assertThat(nanos % 1000).isZero();
      events.add(new Stamped(nanos / 1000, event));
    }
  }

  private static List<ChunkKey> keys(long... ids) {
    return Arrays.stream(ids).mapToObj(id -> new ChunkKey(SALT, id)).toList();
  }

  private static Stamped at(long micros, Event event) {
    return new Stamped(micros, event);
  }

  private static Map<String, Long> count(long count) {
    return Map.of(SALT, count);
  }

  private static List<TraceRequest> requests() {
    return List.of(
        new TraceRequest(0, 1024, 1, List.of(1L, 2L)),
        new TraceRequest(1, 512, 1, List.of(3L)),
        new TraceRequest(1000, 1536, 1, List.of(1L, 2L, 4L)));
  }

  private static Recorder record(int rounds) {
    Recorder recorder = new Recorder();
    new ReplayRun(100, 2, 1).rounds(rounds).run(requests(), recorder);
    return recorder;
  }

  /** Finds nothing, stores two chunks. */
  private static List<Stamped> first() {
    return List.of(
        at(0, new ServerEvent.RequestStart("req-0")),
        at(0, new ServerEvent.LookupPrefetchStart("req-0")),
        at(0, new L2Event.PrefetchLookupSubmitted(0, 1, count(2))),
        at(0, new L2Event.PrefetchLookupCompleted(0, 0)),
        at(0, new ServerEvent.LookupPrefetchEnd("req-0", 0, 1024, 0, "demo-model", SALT)),
        at(0, new ServerEvent.StoreSubmitted("req-0", "cuda:0")),
        at(0, new ServerEvent.StoreStart("req-0", "cuda:0", "0", "demo-model")),
        at(0, new L1Event.WriteFinished(keys(1, 2))),
        at(0, new StorageEvent.WriteFinished(keys(1, 2), List.of())),
        at(200, new ServerEvent.StoreEnd("req-0", "cuda:0", "0", "demo-model", 2, 4 * MIB)),
        at(200, new L2Event.StoreSubmitted(0, 0, "fs", count(2), 4 * MIB)),
        at(2200, new L2Event.StoreCompleted(0, 0, "fs", 2, 0, count(2), 4 * MIB)),
        at(2200, new ServerEvent.RequestEnd("req-0")));
  }

  /** Arrives while the first is under way, so it starts with its end; its chunk evicts one. */
  private static List<Stamped> second() {
    return List.of(
        at(2200, new ServerEvent.RequestStart("req-1")),
        at(2200, new ServerEvent.LookupPrefetchStart("req-1")),
        at(2200, new L2Event.PrefetchLookupSubmitted(1, 1, count(1))),
        at(2200, new L2Event.PrefetchLookupCompleted(1, 0)),
        at(2200, new ServerEvent.LookupPrefetchEnd("req-1", 0, 512, 0, "demo-model", SALT)),
        at(2200, new ServerEvent.StoreSubmitted("req-1", "cuda:0")),
        at(2200, new ServerEvent.StoreStart("req-1", "cuda:0", "0", "demo-model")),
        at(2200, new L1Event.WriteFinished(keys(3))),
        at(2200, new StorageEvent.WriteFinished(keys(3), List.of())),
        at(2200, new L1Event.KeysEvicted(keys(1))),
        at(2300, new ServerEvent.StoreEnd("req-1", "cuda:0", "0", "demo-model", 1, 2 * MIB)),
        at(2300, new L2Event.StoreSubmitted(0, 1, "fs", count(1), 2 * MIB)),
        at(3300, new L2Event.StoreCompleted(0, 1, "fs", 1, 0, count(1), 2 * MIB)),
        at(3300, new ServerEvent.RequestEnd("req-1")));
  }

  /** Loads the chunk that was evicted, which costs the next one, and stores a third. */
  private static List<Stamped> third() {
    return List.of(
        at(1_000_000, new ServerEvent.RequestStart("req-2")),
        at(1_000_000, new ServerEvent.LookupPrefetchStart("req-2")),
        at(1_000_000, new L2Event.PrefetchLookupSubmitted(2, 1, count(3))),
        at(1_000_000, new L2Event.PrefetchLookupCompleted(2, 2)),
        at(1_000_000, new L2Event.PrefetchLoadSubmitted(2, 1, count(1))),
        at(1_000_000, new L2Event.LoadTaskSubmitted(2, 0, 2, "fs", 1, 2 * MIB)),
        at(1_001_000, new L2Event.LoadTaskCompleted(2, 0, 2, "fs")),
        at(1_001_000, new L2Event.PrefetchLoadCompleted(2, 0, count(1))),
        at(1_001_000, new L1Event.WriteFinishedAndReadReserved(keys(1))),
        at(1_001_000, new L1Event.KeysEvicted(keys(2))),
        at(
            1_001_000,
            new ServerEvent.LookupPrefetchEnd("req-2", 2, 1536, 1024, "demo-model", SALT)),
        at(1_001_000, new ServerEvent.RetrieveSubmitted("req-2", "cuda:0")),
        at(1_001_000, new ServerEvent.RetrieveStart("req-2", "cuda:0", "0", "demo-model")),
        at(1_001_000, new L1Event.ReadFinished(keys(1, 2))),
        at(1_001_000, new StorageEvent.ReadPrefetchedFinished(keys(1, 2), List.of())),
        at(
            1_001_200,
            new ServerEvent.RetrieveEnd("req-2", "cuda:0", "0", "demo-model", SALT, 2, 4 * MIB)),
        at(1_001_200, new ServerEvent.StoreSubmitted("req-2", "cuda:0")),
        at(1_001_200, new ServerEvent.StoreStart("req-2", "cuda:0", "0", "demo-model")),
        at(1_001_200, new L1Event.WriteFinished(keys(4))),
        at(1_001_200, new StorageEvent.WriteFinished(keys(4), List.of())),
        at(1_001_200, new L1Event.KeysEvicted(keys(3))),
        at(1_001_300, new ServerEvent.StoreEnd("req-2", "cuda:0", "0", "demo-model", 1, 2 * MIB)),
        at(1_001_300, new L2Event.StoreSubmitted(0, 3, "fs", count(1), 2 * MIB)),
        at(1_002_300, new L2Event.StoreCompleted(0, 3, "fs", 1, 0, count(1), 2 * MIB)),
        at(1_002_300, new ServerEvent.RequestEnd("req-2")));
  }

  @Test
  void play_threeRequests_publishesEveryEventInOrderAndInTime() {
    List<Stamped> expected = new ArrayList<>(first());
    expected.addAll(second());
    expected.addAll(third());
    assertThat(record(1).events).containsExactlyElementsOf(expected);
  }

  @Test
  void play_secondRound_goesOnFromTheEndUnderOtherSessions() {
    List<Stamped> events = record(2).events;
    List<Stamped> starts =
        events.stream().filter(e -> e.event() instanceof ServerEvent.RequestStart).toList();
    assertThat(starts)
        .containsExactly(
            at(0, new ServerEvent.RequestStart("req-0")),
            at(2200, new ServerEvent.RequestStart("req-1")),
            at(1_000_000, new ServerEvent.RequestStart("req-2")),
            at(1_002_300, new ServerEvent.RequestStart("req-2-0")),
            at(1_004_500, new ServerEvent.RequestStart("req-2-1")),
            at(2_002_300, new ServerEvent.RequestStart("req-2-2")));
  }
}
