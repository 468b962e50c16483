package io.lmcache.observability.event;

/** What cache blending does: the reuse of chunks that are not a prefix of the prompt. */
public sealed interface BlendEvent extends Event {
  /** A request that uses blending began. */
  @EventSpec(wireName = "cb.request.start", publisher = "CacheServer, through blend()")
  record RequestStart(String sessionId) implements BlendEvent {
    public RequestStart {
      Fields.notNull("session_id", sessionId);
    }
  }

  /** A request that uses blending is done as far as the CPU is concerned. */
  @EventSpec(wireName = "cb.request.end", publisher = "CacheServer, through blend()")
  record RequestEnd(String sessionId) implements BlendEvent {
    public RequestEnd {
      Fields.notNull("session_id", sessionId);
    }
  }

  /** A lookup of a prompt in the fingerprint table began. */
  @EventSpec(wireName = "cb.lookup.start", publisher = "CacheServer, through blend()")
  record LookupStart(String sessionId, long numTokens) implements BlendEvent {
    public LookupStart {
      Fields.notNull("session_id", sessionId);
      Fields.count("num_tokens", numTokens);
    }
  }

  /**
   * A lookup ended: what the fingerprint table matched, what the storage confirmed, and what turned
   * out stale.
   */
  @EventSpec(wireName = "cb.lookup.end", publisher = "CacheServer, through blend()")
  record LookupEnd(
      String sessionId,
      long numTokens,
      long requestedTokens,
      long hitTokens,
      long fingerprintHits,
      long storageHits,
      long staleChunks,
      boolean noGpuContext)
      implements BlendEvent {
    public LookupEnd {
      Fields.notNull("session_id", sessionId);
      Fields.count("num_tokens", numTokens);
      Fields.count("requested_tokens", requestedTokens);
      Fields.count("hit_tokens", hitTokens);
      Fields.count("fingerprint_hits", fingerprintHits);
      Fields.count("storage_hits", storageHits);
      Fields.count("stale_chunks", staleChunks);
    }
  }

  /** A retrieval of blended chunks is about to be enqueued. */
  @EventSpec(wireName = "cb.retrieve.submitted", publisher = "CacheServer, through blend()")
  record RetrieveSubmitted(String sessionId, String instanceId) implements BlendEvent {
    public RetrieveSubmitted {
      Fields.notNull("session_id", sessionId);
      Fields.notNull("instance_id", instanceId);
    }
  }

  /** The stream reached the start of a retrieval of blended chunks. */
  @EventSpec(
      wireName = "cb.retrieve.start",
      publisher = "CacheServer, through blend()",
      thread = "the GPU stream's host callback")
  record RetrieveStart(String sessionId, String instanceId, long numChunks) implements BlendEvent {
    public RetrieveStart {
      Fields.notNull("session_id", sessionId);
      Fields.notNull("instance_id", instanceId);
      Fields.count("num_chunks", numChunks);
    }
  }

  /**
   * The stream reached the end of a retrieval of blended chunks; success tells whether it worked.
   */
  @EventSpec(
      wireName = "cb.retrieve.end",
      publisher = "CacheServer, through blend()",
      thread = "the GPU stream's host callback")
  record RetrieveEnd(String sessionId, String instanceId, long numChunks, boolean success)
      implements BlendEvent {
    public RetrieveEnd {
      Fields.notNull("session_id", sessionId);
      Fields.notNull("instance_id", instanceId);
      Fields.count("num_chunks", numChunks);
    }
  }

  /** A store of pre-computed chunks is about to be enqueued. */
  @EventSpec(
      wireName = "cb.store_pre_computed.submitted",
      publisher = "CacheServer, through blend()")
  record StorePreComputedSubmitted(String sessionId, String instanceId) implements BlendEvent {
    public StorePreComputedSubmitted {
      Fields.notNull("session_id", sessionId);
      Fields.notNull("instance_id", instanceId);
    }
  }

  /** The stream reached the start of a store of pre-computed chunks. */
  @EventSpec(
      wireName = "cb.store_pre_computed.start",
      publisher = "CacheServer, through blend()",
      thread = "the GPU stream's host callback")
  record StorePreComputedStart(String sessionId, String instanceId, long numTokens)
      implements BlendEvent {
    public StorePreComputedStart {
      Fields.notNull("session_id", sessionId);
      Fields.notNull("instance_id", instanceId);
      Fields.count("num_tokens", numTokens);
    }
  }

  /**
   * The stream reached the end of a store of pre-computed chunks; success tells whether it worked.
   */
  @EventSpec(
      wireName = "cb.store_pre_computed.end",
      publisher = "CacheServer, through blend()",
      thread = "the GPU stream's host callback")
  record StorePreComputedEnd(
      String sessionId, String instanceId, long numTokens, long storedChunks, boolean success)
      implements BlendEvent {
    public StorePreComputedEnd {
      Fields.notNull("session_id", sessionId);
      Fields.notNull("instance_id", instanceId);
      Fields.count("num_tokens", numTokens);
      Fields.count("stored_chunks", storedChunks);
    }
  }

  /** A store of the final chunks is about to be enqueued. */
  @EventSpec(wireName = "cb.store_final.submitted", publisher = "CacheServer, through blend()")
  record StoreFinalSubmitted(String sessionId, String instanceId) implements BlendEvent {
    public StoreFinalSubmitted {
      Fields.notNull("session_id", sessionId);
      Fields.notNull("instance_id", instanceId);
    }
  }

  /** The stream reached the start of a store of the final chunks. */
  @EventSpec(
      wireName = "cb.store_final.start",
      publisher = "CacheServer, through blend()",
      thread = "the GPU stream's host callback")
  record StoreFinalStart(String sessionId, String instanceId, long numTokens)
      implements BlendEvent {
    public StoreFinalStart {
      Fields.notNull("session_id", sessionId);
      Fields.notNull("instance_id", instanceId);
      Fields.count("num_tokens", numTokens);
    }
  }

  /** The stream reached the end of a store of the final chunks; success tells whether it worked. */
  @EventSpec(
      wireName = "cb.store_final.end",
      publisher = "CacheServer, through blend()",
      thread = "the GPU stream's host callback")
  record StoreFinalEnd(
      String sessionId, String instanceId, long numTokens, long storedChunks, boolean success)
      implements BlendEvent {
    public StoreFinalEnd {
      Fields.notNull("session_id", sessionId);
      Fields.notNull("instance_id", instanceId);
      Fields.count("num_tokens", numTokens);
      Fields.count("stored_chunks", storedChunks);
    }
  }

  /** Chunks were entered into the fingerprint table. */
  @EventSpec(wireName = "cb.fingerprints.registered", publisher = "CacheServer, through blend()")
  record FingerprintsRegistered(String sessionId, long numChunks, long numTokens)
      implements BlendEvent {
    public FingerprintsRegistered {
      Fields.notNull("session_id", sessionId);
      Fields.count("num_chunks", numChunks);
      Fields.count("num_tokens", numTokens);
    }
  }

  /** Stale chunks were removed from the fingerprint table. */
  @EventSpec(wireName = "cb.chunks.evicted", publisher = "CacheServer, through blend()")
  record ChunksEvicted(String sessionId, long numChunks) implements BlendEvent {
    public ChunksEvicted {
      Fields.notNull("session_id", sessionId);
      Fields.count("num_chunks", numChunks);
    }
  }
}
