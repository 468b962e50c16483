package io.lmcache.observability.producer;

import io.lmcache.observability.bus.EventSink;
import io.lmcache.observability.catalog.Gauges;
import io.lmcache.observability.event.L2Event;
import io.lmcache.observability.event.ObjectKey;
import io.lmcache.observability.event.StorageEvent;
import java.util.List;
import java.util.Map;

/**
 * What the callers of the cache do through its storage manager, and what happens in L2.
 *
 * <p>Any thread may call any method. Reporting never blocks and never throws: an event with an
 * invalid field is dropped, counted in {@code recording_errors} and warned about once. What has a
 * beginning and an end is reported by a handle, which ends once, on any thread. Counts per salt map
 * a cache salt to a number of keys. Gauges are in {@link L2Gauges}.
 */
public final class StorageManager {

  private static final Store NO_STORE = new Store(Emitter.OFF, 0, 0, "");
  private static final Lookup NO_LOOKUP = new Lookup(Emitter.OFF, 0);
  private static final Load NO_LOAD = new Load(Emitter.OFF, 0);
  private static final LoadTask NO_LOAD_TASK = new LoadTask(Emitter.OFF, 0, 0, 0, "");

  private final Emitter emitter;
  private final L2Gauges gauges;

  /** Reports to a sink and registers gauges there. */
  public StorageManager(EventSink sink, Gauges gauges) {
    this.emitter = new Emitter(sink);
    this.gauges = new L2Gauges(gauges);
  }

  /** The state of the adapters. */
  public L2Gauges gauges() {
    return gauges;
  }

  /** A lookup locked the chunks that it found, after any load from L2. */
  public void readPrefetched(
      List<? extends ObjectKey> succeededKeys, List<? extends ObjectKey> failedKeys) {
    if (emitter.isOff()) {
      return;
    }
    try {
      emitter.publish(new StorageEvent.ReadPrefetched(succeededKeys, failedKeys));
    } catch (Throwable fault) {
      emitter.refused(StorageEvent.ReadPrefetched.class, fault);
    }
  }

  /** The caller has read the chunks that were locked for it. */
  public void readPrefetchedFinished(
      List<? extends ObjectKey> succeededKeys, List<? extends ObjectKey> failedKeys) {
    if (emitter.isOff()) {
      return;
    }
    try {
      emitter.publish(new StorageEvent.ReadPrefetchedFinished(succeededKeys, failedKeys));
    } catch (Throwable fault) {
      emitter.refused(StorageEvent.ReadPrefetchedFinished.class, fault);
    }
  }

  /** The caller was given memory to write chunks to. */
  public void writeReserved(
      List<? extends ObjectKey> succeededKeys, List<? extends ObjectKey> failedKeys) {
    if (emitter.isOff()) {
      return;
    }
    try {
      emitter.publish(new StorageEvent.WriteReserved(succeededKeys, failedKeys));
    } catch (Throwable fault) {
      emitter.refused(StorageEvent.WriteReserved.class, fault);
    }
  }

  /** The caller has written chunks. */
  public void writeFinished(
      List<? extends ObjectKey> succeededKeys, List<? extends ObjectKey> failedKeys) {
    if (emitter.isOff()) {
      return;
    }
    try {
      emitter.publish(new StorageEvent.WriteFinished(succeededKeys, failedKeys));
    } catch (Throwable fault) {
      emitter.refused(StorageEvent.WriteFinished.class, fault);
    }
  }

  /** A store task was handed to an adapter; end it by {@link Store#completed}. */
  public Store l2StoreSubmitted(
      int adapterIndex,
      long taskId,
      String l2Name,
      Map<String, Long> keyCountPerSalt,
      long totalBytes) {
    if (emitter.isOff()) {
      return NO_STORE;
    }
    try {
      emitter.publish(
          new L2Event.StoreSubmitted(adapterIndex, taskId, l2Name, keyCountPerSalt, totalBytes));
    } catch (Throwable fault) {
      emitter.refused(L2Event.StoreSubmitted.class, fault);
    }
    return new Store(emitter, adapterIndex, taskId, l2Name);
  }

  /** The adapters were asked which keys they have; end it by {@link Lookup#completed}. */
  public Lookup l2LookupSubmitted(
      long requestId, long adapterCount, Map<String, Long> keyCountPerSalt) {
    if (emitter.isOff()) {
      return NO_LOOKUP;
    }
    try {
      emitter.publish(
          new L2Event.PrefetchLookupSubmitted(requestId, adapterCount, keyCountPerSalt));
    } catch (Throwable fault) {
      emitter.refused(L2Event.PrefetchLookupSubmitted.class, fault);
    }
    return new Lookup(emitter, requestId);
  }

  /** A load of the keys that were found was submitted; end it by {@link Load#completed}. */
  public Load l2LoadSubmitted(
      long requestId, long adapterCount, Map<String, Long> keyCountPerSalt) {
    if (emitter.isOff()) {
      return NO_LOAD;
    }
    try {
      emitter.publish(new L2Event.PrefetchLoadSubmitted(requestId, adapterCount, keyCountPerSalt));
    } catch (Throwable fault) {
      emitter.refused(L2Event.PrefetchLoadSubmitted.class, fault);
    }
    return new Load(emitter, requestId);
  }

  /** A load task was handed to an adapter; end it by {@link LoadTask#completed}. */
  public LoadTask l2LoadTaskSubmitted(
      long requestId,
      int adapterIndex,
      long taskId,
      String l2Name,
      long keyCount,
      long totalBytes) {
    if (emitter.isOff()) {
      return NO_LOAD_TASK;
    }
    try {
      emitter.publish(
          new L2Event.LoadTaskSubmitted(
              requestId, adapterIndex, taskId, l2Name, keyCount, totalBytes));
    } catch (Throwable fault) {
      emitter.refused(L2Event.LoadTaskSubmitted.class, fault);
    }
    return new LoadTask(emitter, requestId, adapterIndex, taskId, l2Name);
  }

  /** Chunks were evicted from an adapter. */
  public void l2KeysEvicted(String l2Name, int adapterIndex, Map<String, Long> keyCountPerSalt) {
    if (emitter.isOff()) {
      return;
    }
    try {
      emitter.publish(new L2Event.KeysEvicted(l2Name, adapterIndex, keyCountPerSalt));
    } catch (Throwable fault) {
      emitter.refused(L2Event.KeysEvicted.class, fault);
    }
  }

  /**
   * Keys that L2 had reported did not reach L1, such as for {@code l1_oom} or {@code not_found}.
   */
  public void l2PrefetchFailed(String reason, List<? extends ObjectKey> keys) {
    if (emitter.isOff()) {
      return;
    }
    try {
      emitter.publish(new L2Event.PrefetchFailed(reason, keys));
    } catch (Throwable fault) {
      emitter.refused(L2Event.PrefetchFailed.class, fault);
    }
  }

  /** A store task in an adapter. */
  public static final class Store extends Pair {

    private final int adapterIndex;
    private final long taskId;
    private final String l2Name;

    private Store(Emitter emitter, int adapterIndex, long taskId, String l2Name) {
      super(emitter);
      this.adapterIndex = adapterIndex;
      this.taskId = taskId;
      this.l2Name = l2Name;
    }

    /** The task is done; the counts per salt and the bytes are those that were really written. */
    public void completed(
        long succeededCount,
        long failedCount,
        Map<String, Long> keyCountPerSalt,
        long bytesTransferred) {
      if (!ends(L2Event.StoreCompleted.class)) {
        return;
      }
      try {
        emitter.publish(
            new L2Event.StoreCompleted(
                adapterIndex,
                taskId,
                l2Name,
                succeededCount,
                failedCount,
                keyCountPerSalt,
                bytesTransferred));
      } catch (Throwable fault) {
        emitter.refused(L2Event.StoreCompleted.class, fault);
      }
    }
  }

  /** A lookup in L2. */
  public static final class Lookup extends Pair {

    private final long requestId;

    private Lookup(Emitter emitter, long requestId) {
      super(emitter);
      this.requestId = requestId;
    }

    /** All adapters have answered: so many leading keys were found. */
    public void completed(long prefixHitCount) {
      if (!ends(L2Event.PrefetchLookupCompleted.class)) {
        return;
      }
      try {
        emitter.publish(new L2Event.PrefetchLookupCompleted(requestId, prefixHitCount));
      } catch (Throwable fault) {
        emitter.refused(L2Event.PrefetchLookupCompleted.class, fault);
      }
    }
  }

  /** A load from L2, over all adapters. */
  public static final class Load extends Pair {

    private final long requestId;

    private Load(Emitter emitter, long requestId) {
      super(emitter);
      this.requestId = requestId;
    }

    /** All tasks are done; the counts per salt are those of the loaded keys. */
    public void completed(long failedCount, Map<String, Long> keyCountPerSalt) {
      if (!ends(L2Event.PrefetchLoadCompleted.class)) {
        return;
      }
      try {
        emitter.publish(new L2Event.PrefetchLoadCompleted(requestId, failedCount, keyCountPerSalt));
      } catch (Throwable fault) {
        emitter.refused(L2Event.PrefetchLoadCompleted.class, fault);
      }
    }
  }

  /** A load task in an adapter. */
  public static final class LoadTask extends Pair {

    private final long requestId;
    private final int adapterIndex;
    private final long taskId;
    private final String l2Name;

    private LoadTask(
        Emitter emitter, long requestId, int adapterIndex, long taskId, String l2Name) {
      super(emitter);
      this.requestId = requestId;
      this.adapterIndex = adapterIndex;
      this.taskId = taskId;
      this.l2Name = l2Name;
    }

    /** The task is done. */
    public void completed() {
      if (!ends(L2Event.LoadTaskCompleted.class)) {
        return;
      }
      try {
        emitter.publish(new L2Event.LoadTaskCompleted(requestId, adapterIndex, taskId, l2Name));
      } catch (Throwable fault) {
        emitter.refused(L2Event.LoadTaskCompleted.class, fault);
      }
    }
  }
}
