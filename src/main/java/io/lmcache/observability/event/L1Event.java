package io.lmcache.observability.event;

import java.util.List;
import java.util.Locale;

/** What happens in L1, the cache in host memory. */
public sealed interface L1Event extends Event {
  /** Chunks were locked for reading. */
  @EventSpec(wireName = "l1.read.reserved", publisher = "L1Manager")
  record ReadReserved(List<? extends ObjectKey> keys) implements L1Event {
    public ReadReserved {
      keys = Fields.list("keys", keys);
    }
  }

  /** A read of chunks completed and their read locks were released. */
  @EventSpec(wireName = "l1.read.finished", publisher = "L1Manager")
  record ReadFinished(List<? extends ObjectKey> keys) implements L1Event {
    public ReadFinished {
      keys = Fields.list("keys", keys);
    }
  }

  /** Memory was reserved for chunks to be written. */
  @EventSpec(wireName = "l1.write.reserved", publisher = "L1Manager")
  record WriteReserved(List<? extends ObjectKey> keys) implements L1Event {
    public WriteReserved {
      keys = Fields.list("keys", keys);
    }
  }

  /** A write of chunks completed; they can be read now. */
  @EventSpec(wireName = "l1.write.finished", publisher = "L1Manager")
  record WriteFinished(List<? extends ObjectKey> keys) implements L1Event {
    public WriteFinished {
      keys = Fields.list("keys", keys);
    }
  }

  /**
   * A write completed and the chunks were locked for reading in the same step, as a prefetch does.
   */
  @EventSpec(wireName = "l1.write_finished_and_read_reserved", publisher = "L1Manager")
  record WriteFinishedAndReadReserved(List<? extends ObjectKey> keys) implements L1Event {
    public WriteFinishedAndReadReserved {
      keys = Fields.list("keys", keys);
    }
  }

  /** Chunks were removed from L1 to make room. */
  @EventSpec(
      wireName = "l1.keys.evicted",
      publisher = "L1Manager",
      thread = "the eviction loop's or the caller's")
  record KeysEvicted(List<? extends ObjectKey> keys) implements L1Event {
    public KeysEvicted {
      keys = Fields.list("keys", keys);
    }
  }

  /** The eviction loop looked at the fullness of L1; triggered tells whether it evicted. */
  @EventSpec(
      wireName = "l1.eviction.loop_tick",
      publisher = "L1Manager",
      thread = "the eviction loop's")
  record EvictionLoopTick(boolean triggered, double usage, double watermark) implements L1Event {
    public EvictionLoopTick {
      Fields.ratio("usage", usage);
      Fields.ratio("watermark", watermark);
    }
  }

  /** L1 had no memory for chunks; one event for each purpose that lost any. */
  @EventSpec(
      wireName = "l1.allocation.failed",
      publisher = "the caller of the L1 API, through L1Manager")
  record AllocationFailed(AllocationPurpose during, List<? extends ObjectKey> keys)
      implements L1Event {
    public AllocationFailed {
      Fields.notNull("during", during);
      keys = Fields.list("keys", keys);
    }
  }

  /**
   * Chunks that a lookup had found could not be read; one event for each purpose and reason that
   * lost any.
   */
  @EventSpec(wireName = "l1.read.failed", publisher = "the caller of the L1 API, through L1Manager")
  record ReadFailed(ReadPurpose during, ReadFailure reason, List<? extends ObjectKey> keys)
      implements L1Event {
    public ReadFailed {
      Fields.notNull("during", during);
      Fields.notNull("reason", reason);
      keys = Fields.list("keys", keys);
    }
  }

  /** What L1 memory was wanted for. */
  enum AllocationPurpose {
    /** A store from the GPU. */
    L1_STORE,
    /** A prefetch from L2. */
    L2_PREFETCH;

    /** The value of the {@code during} attribute. */
    public String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What chunks of L1 were read for. */
  enum ReadPurpose {
    /** A store to L2. */
    L2_STORE,
    /** A copy to the GPU. */
    L1_RETRIEVE;

    /** The value of the {@code during} attribute. */
    public String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Why chunks of L1 could not be read. */
  enum ReadFailure {
    /** The chunk is not there any more. */
    NOT_FOUND,
    /** The chunk is being written. */
    WRITE_LOCKED;

    /** The value of the {@code reason} attribute. */
    public String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
