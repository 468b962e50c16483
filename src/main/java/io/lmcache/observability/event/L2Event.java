package io.lmcache.observability.event;

import java.util.List;
import java.util.Map;

/**
 * What happens between L1 and the storage adapters of L2. Counts per salt map a cache salt to a
 * number of keys and sum to the key count of the event.
 */
public sealed interface L2Event extends Event {
  /** A store task was handed to an adapter. */
  @EventSpec(
      wireName = "l2.store.submitted",
      publisher = "StorageManager",
      thread = "the store controller's")
  record StoreSubmitted(
      int adapterIndex,
      long taskId,
      String l2Name,
      Map<String, Long> keyCountPerSalt,
      long totalBytes)
      implements L2Event {
    public StoreSubmitted {
      Fields.index("adapter_index", adapterIndex);
      Fields.notNull("l2_name", l2Name);
      keyCountPerSalt = Fields.countPerSalt("key_count_per_salt", keyCountPerSalt);
      Fields.count("total_bytes", totalBytes);
    }
  }

  /**
   * An adapter finished a store task; the counts per salt and the bytes are those of the keys that
   * were really written.
   */
  @EventSpec(
      wireName = "l2.store.completed",
      publisher = "StorageManager",
      thread = "the store controller's")
  record StoreCompleted(
      int adapterIndex,
      long taskId,
      String l2Name,
      long succeededCount,
      long failedCount,
      Map<String, Long> keyCountPerSalt,
      long bytesTransferred)
      implements L2Event {
    public StoreCompleted {
      Fields.index("adapter_index", adapterIndex);
      Fields.notNull("l2_name", l2Name);
      Fields.count("succeeded_count", succeededCount);
      Fields.count("failed_count", failedCount);
      keyCountPerSalt = Fields.countPerSalt("key_count_per_salt", keyCountPerSalt);
      Fields.count("bytes_transferred", bytesTransferred);
    }
  }

  /** The adapters were asked which of the keys they have. */
  @EventSpec(
      wireName = "l2.prefetch.lookup.submitted",
      publisher = "StorageManager",
      thread = "the prefetch controller's")
  record PrefetchLookupSubmitted(
      long requestId, long adapterCount, Map<String, Long> keyCountPerSalt) implements L2Event {
    public PrefetchLookupSubmitted {
      Fields.count("adapter_count", adapterCount);
      keyCountPerSalt = Fields.countPerSalt("key_count_per_salt", keyCountPerSalt);
    }
  }

  /** All adapters have answered a lookup. */
  @EventSpec(
      wireName = "l2.prefetch.lookup.completed",
      publisher = "StorageManager",
      thread = "the prefetch controller's")
  record PrefetchLookupCompleted(long requestId, long prefixHitCount) implements L2Event {
    public PrefetchLookupCompleted {
      Fields.count("prefix_hit_count", prefixHitCount);
    }
  }

  /** A load of the keys that were found was submitted, one task for each adapter. */
  @EventSpec(
      wireName = "l2.prefetch.load.submitted",
      publisher = "StorageManager",
      thread = "the prefetch controller's")
  record PrefetchLoadSubmitted(long requestId, long adapterCount, Map<String, Long> keyCountPerSalt)
      implements L2Event {
    public PrefetchLoadSubmitted {
      Fields.count("adapter_count", adapterCount);
      keyCountPerSalt = Fields.countPerSalt("key_count_per_salt", keyCountPerSalt);
    }
  }

  /** All tasks of a load are done; the counts per salt are those of the loaded keys. */
  @EventSpec(
      wireName = "l2.prefetch.load.completed",
      publisher = "StorageManager",
      thread = "the prefetch controller's")
  record PrefetchLoadCompleted(long requestId, long failedCount, Map<String, Long> keyCountPerSalt)
      implements L2Event {
    public PrefetchLoadCompleted {
      Fields.count("failed_count", failedCount);
      keyCountPerSalt = Fields.countPerSalt("key_count_per_salt", keyCountPerSalt);
    }
  }

  /** A load task was handed to an adapter, once for each request and adapter. */
  @EventSpec(
      wireName = "l2.load_task.submitted",
      publisher = "StorageManager",
      thread = "the prefetch controller's")
  record LoadTaskSubmitted(
      long requestId, int adapterIndex, long taskId, String l2Name, long keyCount, long totalBytes)
      implements L2Event {
    public LoadTaskSubmitted {
      Fields.index("adapter_index", adapterIndex);
      Fields.notNull("l2_name", l2Name);
      Fields.count("key_count", keyCount);
      Fields.count("total_bytes", totalBytes);
    }
  }

  /** An adapter finished a load task, once for each request and adapter. */
  @EventSpec(
      wireName = "l2.load_task.completed",
      publisher = "StorageManager",
      thread = "the prefetch controller's")
  record LoadTaskCompleted(long requestId, int adapterIndex, long taskId, String l2Name)
      implements L2Event {
    public LoadTaskCompleted {
      Fields.index("adapter_index", adapterIndex);
      Fields.notNull("l2_name", l2Name);
    }
  }

  /** Chunks were removed from an adapter to make room. */
  @EventSpec(
      wireName = "l2.keys.evicted",
      publisher = "StorageManager",
      thread = "the eviction loop's")
  record KeysEvicted(String l2Name, int adapterIndex, Map<String, Long> keyCountPerSalt)
      implements L2Event {
    public KeysEvicted {
      Fields.notNull("l2_name", l2Name);
      Fields.index("adapter_index", adapterIndex);
      keyCountPerSalt = Fields.countPerSalt("key_count_per_salt", keyCountPerSalt);
    }
  }

  /**
   * Keys that the lookup had found did not reach L1, for example because L1 was full (l1_oom) or
   * the adapter had lost them (not_found); one event for each reason.
   */
  @EventSpec(
      wireName = "l2.prefetch.failed",
      publisher = "StorageManager",
      thread = "the prefetch controller's")
  record PrefetchFailed(String reason, List<? extends ObjectKey> keys) implements L2Event {
    public PrefetchFailed {
      Fields.notEmpty("reason", reason);
      keys = Fields.list("keys", keys);
    }
  }
}
