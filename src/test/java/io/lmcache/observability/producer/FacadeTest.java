package io.lmcache.observability.producer;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.bus.RecordingErrors;
import io.lmcache.observability.catalog.Gauges;
import io.lmcache.observability.event.BlendEvent;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.EventType;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.L1Event.AllocationPurpose;
import io.lmcache.observability.event.L1Event.ReadFailure;
import io.lmcache.observability.event.L1Event.ReadPurpose;
import io.lmcache.observability.event.L2Event;
import io.lmcache.observability.event.ObjectKey;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.event.ServerEvent.AllocationRecord;
import io.lmcache.observability.event.StorageEvent;
import io.lmcache.observability.testing.RecordingSubscriber;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each method of the facades publishes its event, with each value in its place. */
class FacadeTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final List<ObjectKey> A = List.of(ObjectKey.of("m", "a", new byte[] {1}, 0));
  private static final List<ObjectKey> B = List.of(ObjectKey.of("m", "b", new byte[] {2}, 1));
  private static final Map<String, Long> COUNTS = Map.of("a", 3L);
  private static final Map<String, Long> OTHERS = Map.of("b", 4L);

  private final EventBus bus = EventBus.create(1_000);
  private final RecordingSubscriber recorder = RecordingSubscriber.create();
  private final L1Manager l1 = new L1Manager(bus, Gauges.noop());
  private final StorageManager storage = new StorageManager(bus, Gauges.noop());
  private final CacheServer server = new CacheServer(bus, Gauges.noop());
  private final CacheBlend blend = server.blend();

  FacadeTest() {
    bus.register(recorder);
    bus.start();
  }

  @AfterEach
  void stop() {
    bus.stop(PATIENCE);
  }

  private List<Event> published() {
    assertThat(bus.flush(PATIENCE)).isTrue();
    assertThat(bus.recordingErrors().of(RecordingErrors.Reason.INVALID_FIELD)).isZero();
    return recorder.received();
  }

  @Test
  void l1_eachMethod_publishesItsEvent() {
    reportL1();
    assertThat(published())
        .containsExactly(
            new L1Event.ReadReserved(A),
            new L1Event.ReadFinished(A),
            new L1Event.WriteReserved(A),
            new L1Event.WriteFinished(A),
            new L1Event.WriteFinishedAndReadReserved(A),
            new L1Event.KeysEvicted(A),
            new L1Event.EvictionLoopTick(true, 0.25, 0.75),
            new L1Event.AllocationFailed(AllocationPurpose.L2_PREFETCH, A),
            new L1Event.ReadFailed(ReadPurpose.L1_RETRIEVE, ReadFailure.WRITE_LOCKED, A));
  }

  private void reportL1() {
    l1.readReserved(A);
    l1.readFinished(A);
    l1.writeReserved(A);
    l1.writeFinished(A);
    l1.writeFinishedAndReadReserved(A);
    l1.keysEvicted(A);
    l1.evictionLoopTicked(true, 0.25, 0.75);
    l1.allocationFailed(AllocationPurpose.L2_PREFETCH, A);
    l1.readFailed(ReadPurpose.L1_RETRIEVE, ReadFailure.WRITE_LOCKED, A);
  }

  @Test
  void storage_eachMethod_publishesItsEvent() {
    reportStorage();
    assertThat(published())
        .containsExactly(
            new StorageEvent.ReadPrefetched(A, B),
            new StorageEvent.ReadPrefetchedFinished(A, B),
            new StorageEvent.WriteReserved(A, B),
            new StorageEvent.WriteFinished(A, B),
            new L2Event.StoreSubmitted(1, 22, "fs", COUNTS, 333),
            new L2Event.StoreCompleted(1, 22, "fs", 4, 5, OTHERS, 66),
            new L2Event.PrefetchLookupSubmitted(11, 2, COUNTS),
            new L2Event.PrefetchLookupCompleted(11, 3),
            new L2Event.PrefetchLoadSubmitted(12, 2, COUNTS),
            new L2Event.PrefetchLoadCompleted(12, 6, OTHERS),
            new L2Event.LoadTaskSubmitted(13, 1, 24, "s3", 5, 66),
            new L2Event.LoadTaskCompleted(13, 1, 24, "s3"),
            new L2Event.KeysEvicted("fs", 3, COUNTS),
            new L2Event.PrefetchFailed("l1_oom", B));
  }

  private void reportStorage() {
    storage.readPrefetched(A, B);
    storage.readPrefetchedFinished(A, B);
    storage.writeReserved(A, B);
    storage.writeFinished(A, B);
    storage.l2StoreSubmitted(1, 22, "fs", COUNTS, 333).completed(4, 5, OTHERS, 66);
    storage.l2LookupSubmitted(11, 2, COUNTS).completed(3);
    storage.l2LoadSubmitted(12, 2, COUNTS).completed(6, OTHERS);
    storage.l2LoadTaskSubmitted(13, 1, 24, "s3", 5, 66).completed();
    storage.l2KeysEvicted("fs", 3, COUNTS);
    storage.l2PrefetchFailed("l1_oom", B);
  }

  @Test
  void server_eachMethod_publishesItsEvent() {
    byte[] hash = {7};
    AllocationRecord record = new AllocationRecord("r", new int[] {1}, new int[] {2});
    reportServer(hash, record);
    List<Event> all = published();
    assertThat(all.subList(0, 12))
        .containsExactly(
            new ServerEvent.RequestStart("s", "parent", "state"),
            new ServerEvent.RequestEnd("s"),
            new ServerEvent.RequestStart("t", "", ""),
            new ServerEvent.LookupPrefetchStart("s"),
            new ServerEvent.LookupPrefetchEnd("s", 1, 22, 3, "m", "salt"),
            new ServerEvent.StoreSubmitted("s", "d"),
            new ServerEvent.StoreStart("s", "d", "e", "m"),
            new ServerEvent.StoreEnd("s", "d", "e", "m", 4, 55),
            new ServerEvent.RetrieveSubmitted("s", "d"),
            new ServerEvent.RetrieveStart("s", "d", "e", "m"),
            new ServerEvent.RetrieveEnd("s", "d", "e", "m", "salt", 6, 77),
            new ServerEvent.Lookup(
                "s", "r", List.of(hash), "m", 256, 1_000, List.of("bf16"), List.of(List.of(2))));
    assertThat(all.subList(12, 14))
        .containsExactly(
            new ServerEvent.BlockAllocation("i", "m", List.of(record)),
            new ServerEvent.EndSession("r"));
    ServerEvent.TimeoutRaised raised = (ServerEvent.TimeoutRaised) all.get(14);
    assertThat(raised)
        .returns("s", ServerEvent.TimeoutRaised::sessionId)
        .returns("too late", ServerEvent.TimeoutRaised::message)
        .returns("Late", ServerEvent.TimeoutRaised::exceptionType)
        .returns(Late.class.getName(), ServerEvent.TimeoutRaised::exceptionClass);
    assertThat(raised.stacktrace()).contains("too late", "FacadeTest");
    assertThat(((ServerEvent.TimeoutRaised) all.get(15)).message()).isEmpty();
    assertThat(all).hasSize(16);
  }

  @SuppressWarnings("serial")
  private static final class Late extends RuntimeException {
    Late(String message) {
      super(message);
    }
  }

  private void reportServer(byte[] hash, AllocationRecord record) {
    server.requestStarted("s", "parent", "state").ended();
    server.requestStarted("t");
    server.lookupPrefetchStarted("s", "m", "salt").ended(1, 22, 3);
    server.storeSubmitted("s", "d");
    server.storeStarted("s", "d", "e", "m").ended(4, 55);
    server.retrieveSubmitted("s", "d");
    server.retrieveStarted("s", "d", "e", "m", "salt").ended(6, 77);
    server.lookupReceived(
        "s", "r", List.of(hash), "m", 256, 1_000, List.of("bf16"), List.of(List.of(2)));
    server.blocksAllocated("i", "m", List.of(record));
    server.sessionEnded("r");
    server.timeoutRaised("s", new Late("too late"));
    server.timeoutRaised("", new IllegalStateException());
  }

  @Test
  void blend_eachMethod_publishesItsEvent() {
    reportBlend();
    assertThat(published())
        .containsExactly(
            new BlendEvent.RequestStart("s"),
            new BlendEvent.RequestEnd("s"),
            new BlendEvent.LookupStart("s", 9),
            new BlendEvent.LookupEnd("s", 9, 1, 2, 3, 4, 5, true),
            new BlendEvent.RetrieveSubmitted("s", "i"),
            new BlendEvent.RetrieveStart("s", "i", 8),
            new BlendEvent.RetrieveEnd("s", "i", 8, true),
            new BlendEvent.StorePreComputedSubmitted("s", "i"),
            new BlendEvent.StorePreComputedStart("s", "i", 7),
            new BlendEvent.StorePreComputedEnd("s", "i", 7, 6, false),
            new BlendEvent.StoreFinalSubmitted("s", "i"),
            new BlendEvent.StoreFinalStart("s", "i", 5),
            new BlendEvent.StoreFinalEnd("s", "i", 5, 4, true),
            new BlendEvent.FingerprintsRegistered("s", 3, 2),
            new BlendEvent.ChunksEvicted("s", 1));
  }

  private void reportBlend() {
    blend.requestStarted("s").ended();
    blend.lookupStarted("s", 9).ended(1, 2, 3, 4, 5, true);
    blend.retrieveSubmitted("s", "i");
    blend.retrieveStarted("s", "i", 8).ended(true);
    blend.storePreComputedSubmitted("s", "i");
    blend.storePreComputedStarted("s", "i", 7).ended(6, false);
    blend.storeFinalSubmitted("s", "i");
    blend.storeFinalStarted("s", "i", 5).ended(4, true);
    blend.fingerprintsRegistered("s", 3, 2);
    blend.chunksEvicted("s", 1);
  }

  @Test
  void facades_together_reachEveryEventOfTheContract() {
    reportL1();
    reportStorage();
    reportServer(new byte[] {1}, new AllocationRecord("r", new int[0], new int[0]));
    reportBlend();
    Set<EventType> missing = new LinkedHashSet<>(EventType.all());
    missing.removeAll(published().stream().map(Event::type).collect(Collectors.toSet()));
    assertThat(missing).containsExactly(EventType.CUSTOM);
  }
}
