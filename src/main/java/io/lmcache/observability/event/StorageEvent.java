package io.lmcache.observability.event;

import java.util.List;

/**
 * What the callers of the cache do through its storage manager. Lock releases inside the store and
 * prefetch controllers publish none of these.
 */
public sealed interface StorageEvent extends Event {
  /** A lookup locked the chunks that it found, after any load from L2. */
  @EventSpec(wireName = "sm.read.prefetched", publisher = "StorageManager")
  record ReadPrefetched(
      List<? extends ObjectKey> succeededKeys, List<? extends ObjectKey> failedKeys)
      implements StorageEvent {
    public ReadPrefetched {
      succeededKeys = Fields.list("succeeded_keys", succeededKeys);
      failedKeys = Fields.list("failed_keys", failedKeys);
    }
  }

  /** The caller has read the chunks that were locked for it. */
  @EventSpec(wireName = "sm.read.prefetched_finished", publisher = "StorageManager")
  record ReadPrefetchedFinished(
      List<? extends ObjectKey> succeededKeys, List<? extends ObjectKey> failedKeys)
      implements StorageEvent {
    public ReadPrefetchedFinished {
      succeededKeys = Fields.list("succeeded_keys", succeededKeys);
      failedKeys = Fields.list("failed_keys", failedKeys);
    }
  }

  /** The caller was given memory to write chunks to. */
  @EventSpec(wireName = "sm.write.reserved", publisher = "StorageManager")
  record WriteReserved(
      List<? extends ObjectKey> succeededKeys, List<? extends ObjectKey> failedKeys)
      implements StorageEvent {
    public WriteReserved {
      succeededKeys = Fields.list("succeeded_keys", succeededKeys);
      failedKeys = Fields.list("failed_keys", failedKeys);
    }
  }

  /** The caller has written chunks. */
  @EventSpec(wireName = "sm.write.finished", publisher = "StorageManager")
  record WriteFinished(
      List<? extends ObjectKey> succeededKeys, List<? extends ObjectKey> failedKeys)
      implements StorageEvent {
    public WriteFinished {
      succeededKeys = Fields.list("succeeded_keys", succeededKeys);
      failedKeys = Fields.list("failed_keys", failedKeys);
    }
  }
}
