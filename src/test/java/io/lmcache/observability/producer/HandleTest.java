package io.lmcache.observability.producer;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.bus.EventSink;
import io.lmcache.observability.bus.RecordingErrors.Reason;
import io.lmcache.observability.catalog.Gauges;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.ObjectKey;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.internal.support.Warnings;
import io.lmcache.observability.testing.FakeClock;
import io.lmcache.observability.testing.Law;
import io.lmcache.observability.testing.Logs;
import io.lmcache.observability.testing.RecordingSubscriber;
import io.lmcache.observability.testing.Samples;
import io.lmcache.observability.testing.Threads;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Handles, streams, bad values, and a sink that is off. */
class HandleTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Map<String, Long> COUNTS = Map.of("a", 3L);

  private final FakeClock clock = FakeClock.create();
  private final EventBus bus = EventBus.create(1_000, clock);
  private final RecordingSubscriber recorder = RecordingSubscriber.create();
  private final L1Manager l1 = new L1Manager(bus, Gauges.noop());
  private final StorageManager storage = new StorageManager(bus, Gauges.noop());
  private final CacheServer server = new CacheServer(bus, Gauges.noop());
  private final CacheBlend blend = server.blend();

  HandleTest() {
    bus.register(recorder);
    bus.start();
  }

  @AfterEach
  void stop() {
    bus.stop(PATIENCE);
  }

  private List<Event> published() {
    assertThat(bus.flush(PATIENCE)).isTrue();
    return recorder.received();
  }

  /** All handles, started on a stream or, without one, at once; each task ends its handle. */
  private static List<Runnable> start(StorageManager storage, CacheServer server, Executor stream) {
    CacheBlend blend = server.blend();
    var store = storage.l2StoreSubmitted(1, 2, "fs", COUNTS, 3);
    var lookup = storage.l2LookupSubmitted(1, 2, COUNTS);
    var load = storage.l2LoadSubmitted(1, 2, COUNTS);
    var task = storage.l2LoadTaskSubmitted(1, 2, 3, "fs", 4, 5);
    var request = server.requestStarted(stream, "s", "", "");
    var prefetch = server.lookupPrefetchStarted(stream, "s", "m", "");
    var gpuStore = server.storeStarted(stream, "s", "d", "e", "m");
    var retrieve = server.retrieveStarted(stream, "s", "d", "e", "m", "");
    var blending = blend.requestStarted(stream, "s");
    var blendLookup = blend.lookupStarted(stream, "s", 1);
    var blendRetrieve = blend.retrieveStarted(stream, "s", "i", 1);
    var early = blend.storePreComputedStarted(stream, "s", "i", 1);
    var late = blend.storeFinalStarted(stream, "s", "i", 1);
    return List.of(
        () -> store.completed(1, 0, COUNTS, 3),
        () -> lookup.completed(1),
        () -> load.completed(0, COUNTS),
        task::completed,
        () -> request.ended(stream),
        () -> prefetch.ended(stream, 1, 2, 3),
        () -> gpuStore.ended(stream, 1, 2),
        () -> retrieve.ended(stream, 1, 2),
        () -> blending.ended(stream),
        () -> blendLookup.ended(stream, 1, 2, 3, 4, 5, false),
        () -> blendRetrieve.ended(stream, true),
        () -> early.ended(stream, 1, true),
        () -> late.ended(stream, 1, true));
  }

  @Test
  void end_twice_publishesOnceAndCountsTheSecond() {
    List<Runnable> ends = start(storage, server, Runnable::run);
    try (Logs logs = Logs.of(Warnings.LOGGER)) {
      ends.forEach(Runnable::run);
      assertThat(published()).hasSize(2 * ends.size());
      assertThat(bus.recordingErrors().of(Reason.INVALID_FIELD)).isZero();
      ends.forEach(Runnable::run);
      ends.forEach(Runnable::run);
      assertThat(published()).hasSize(2 * ends.size());
      assertThat(bus.recordingErrors().of(Reason.INVALID_FIELD)).isEqualTo(2L * ends.size());
      assertThat(logs.warnings()).hasSize(ends.size());
    }
  }

  @Test
  void end_manyThreads_publishesOnce() {
    CacheServer.Request request = server.requestStarted("s");
    Threads.together(8, index -> request.ended());
    assertThat(published())
        .containsExactly(new ServerEvent.RequestStart("s"), new ServerEvent.RequestEnd("s"));
    assertThat(bus.recordingErrors().of(Reason.INVALID_FIELD)).isEqualTo(7);
  }

  @Test
  void stream_deferred_publishesWhenItRuns() {
    Queue<Runnable> stream = new ArrayDeque<>();
    List<Runnable> ends = start(storage, server, stream::add);
    int now = 4; // the storage manager knows no streams
    assertThat(published()).hasSize(now);
    ends.forEach(Runnable::run);
    assertThat(published()).hasSize(2 * now);
    assertThat(stream).hasSize(2 * (ends.size() - now));
    clock.advance(Duration.ofSeconds(9));
    stream.forEach(Runnable::run);
    assertThat(published()).hasSize(2 * ends.size());
    assertThat(recorder.stamps().subList(2 * now, 2 * ends.size()))
        .containsOnly(clock.epochNanos());
  }

  @Test
  void stream_none_publishesNow() {
    List<Runnable> ends = start(storage, server, Samples.nothing());
    // An overload without the annotation takes a null as well.
    ends.forEach(Runnable::run);
    assertThat(published()).hasSize(2 * ends.size());
  }

  @Test
  void stream_thatThrows_costsItsEventsOnly() {
    Executor broken =
        task -> {
          throw new NoClassDefFoundError("stream");
        };
    try (Logs logs = Logs.of(Warnings.LOGGER)) {
      List<Runnable> ends = start(storage, server, broken);
      ends.forEach(Runnable::run);
      assertThat(published()).hasSize(8);
      assertThat(bus.recordingErrors().of(Reason.STREAM_FAILED)).isEqualTo(2L * (ends.size() - 4));
      assertThat(bus.recordingErrors().of(Reason.INVALID_FIELD)).isZero();
      assertThat(logs.warnings()).hasSize(1);
    }
    Law.holds(bus, 8);
  }

  @Test
  void badValues_anyKind_areCountedAndWarnedOncePerEventAndNeverThrow() {
    AbstractList<ObjectKey> broken =
        new AbstractList<>() {
          @Override
          public ObjectKey get(int index) {
            throw new NoClassDefFoundError("key");
          }

          @Override
          public int size() {
            return 3;
          }
        };
    List<Runnable> bad =
        List.of(
            () -> l1.readFinished(Samples.nothing()),
            () -> l1.writeFinished(broken),
            () -> l1.evictionLoopTicked(true, Double.NaN, 0.8),
            () -> l1.allocationFailed(Samples.nothing(), List.of()),
            () -> storage.writeFinished(List.of(), Samples.nothing()),
            () -> storage.l2KeysEvicted("fs", -1, COUNTS),
            () -> storage.l2KeysEvicted("fs", 1, Map.of("a", -1L)),
            () -> storage.l2PrefetchFailed("", List.of()),
            () -> server.storeSubmitted(Samples.nothing(), "d"),
            () -> server.blocksAllocated("i", "m", Samples.nothing()),
            () -> server.timeoutRaised("s", Samples.nothing()),
            () -> blend.chunksEvicted("s", -1));
    try (Logs logs = Logs.of(Warnings.LOGGER)) {
      bad.forEach(Runnable::run);
      bad.forEach(Runnable::run);
      assertThat(logs.warnings()).hasSize(bad.size() - 1); // one kind is there twice
      assertThat(logs.thrown()).hasSize(bad.size() - 1);
    }
    assertThat(bus.recordingErrors().of(Reason.INVALID_FIELD)).isEqualTo(2L * bad.size());
    Law.holds(bus, 0);
  }

  @Test
  void badStart_handle_isThereAndItsEndIsCountedToo() {
    CacheServer.Store store = server.storeStarted(Samples.nothing(), "d", "e", "m");
    store.ended(1, 2);
    CacheServer.Store other = server.storeStarted("s", "d", "e", "m");
    other.ended(-1, 2);
    assertThat(published()).containsExactly(new ServerEvent.StoreStart("s", "d", "e", "m"));
    assertThat(bus.recordingErrors().of(Reason.INVALID_FIELD)).isEqualTo(3);
  }

  @Test
  void keys_immutableList_isHandedOnUncopied() {
    List<ObjectKey> keys = List.of(ObjectKey.of("m", "", new byte[] {1}, 0));
    l1.readFinished(keys);
    l1.readFinished(new ArrayList<>(keys));
    List<Event> events = published();
    assertThat(((L1Event.ReadFinished) events.get(0)).keys()).isSameAs(keys);
    assertThat(((L1Event.ReadFinished) events.get(1)).keys()).isEqualTo(keys).isNotSameAs(keys);
  }

  @Test
  void off_handles_areSharedAndDoNothing() {
    StorageManager offStorage = new StorageManager(EventSink.noop(), Gauges.noop());
    CacheServer off = new CacheServer(EventSink.noop(), Gauges.noop());
    Executor never =
        task -> {
          throw new AssertionError("scheduled");
        };
    for (int i = 0; i < 2; i++) {
      start(offStorage, off, never).forEach(Runnable::run);
    }
    assertThat(
            Stream.of(
                off.requestStarted("a") == off.requestStarted("b"),
                off.storeStarted("a", "b", "c", "d") == off.storeStarted("e", "f", "g", "h"),
                offStorage.l2LoadSubmitted(1, 2, COUNTS)
                    == offStorage.l2LoadSubmitted(3, 4, COUNTS),
                off.blend().retrieveStarted("a", "b", 1)
                    == off.blend().retrieveStarted("c", "d", 2)))
        .containsOnly(true);
  }
}
