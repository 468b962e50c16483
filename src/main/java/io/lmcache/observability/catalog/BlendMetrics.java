package io.lmcache.observability.catalog;

import io.lmcache.observability.event.BlendEvent;

/** The rows of cache blending. */
public final class BlendMetrics {

  static final Metric.Table TABLE = new Metric.Table();

  private static final String LOOKUPS =
      "How often is a lookup asked for, what share of the tokens does blending serve, what share"
          + " matches the fingerprint table, what share does the storage confirm, how much is stale?";
  private static final String SAME_EVENT =
      "lookup_requested_tokens and lookup_hit_tokens move with the same event, so their ratio, the"
          + " hit rate, holds even when lookups fail halfway.";
  private static final String RETRIEVES =
      "How often are blended chunks retrieved, how many at a time, how often does it fail?";
  private static final String PRE_COMPUTED =
      "How often are pre-computed chunks stored, how many, how often does it fail?";
  private static final String FINAL =
      "How often are final chunks stored, how many, how often does it fail?";
  private static final String FINGERPRINTS =
      "How many chunks enter the fingerprint table, and how many stale ones leave it?";

  // spotless:off
  public static final Metric LOOKUP_REQUESTS = TABLE.counter("lmcache_blend.lookup_requests", Unit.NONE, "Lookups of blending.")
      .answers(LOOKUPS).add(Source.each(BlendEvent.LookupStart.class)).row();

  public static final Metric LOOKUP_REQUESTED_TOKENS = TABLE.counter("lmcache_blend.lookup_requested_tokens", Unit.NONE, "Tokens that lookups of blending asked for.")
      .answers(LOOKUPS).note(SAME_EVENT)
      .add(Source.value(BlendEvent.LookupEnd.class, "requested_tokens", BlendEvent.LookupEnd::requestedTokens)).row();

  public static final Metric LOOKUP_HIT_TOKENS = TABLE.counter("lmcache_blend.lookup_hit_tokens", Unit.NONE, "Tokens that blending serves.")
      .answers(LOOKUPS).note(SAME_EVENT)
      .add(Source.value(BlendEvent.LookupEnd.class, "hit_tokens", BlendEvent.LookupEnd::hitTokens)).row();

  public static final Metric LOOKUP_FINGERPRINT_HITS = TABLE.counter("lmcache_blend.lookup_fingerprint_hits", Unit.NONE, "Chunks that matched the fingerprint table.")
      .answers(LOOKUPS)
      .add(Source.value(BlendEvent.LookupEnd.class, "fingerprint_hits", BlendEvent.LookupEnd::fingerprintHits)).row();

  public static final Metric LOOKUP_STORAGE_HITS = TABLE.counter("lmcache_blend.lookup_storage_hits", Unit.NONE, "Matched chunks that the storage confirmed.")
      .answers(LOOKUPS)
      .add(Source.value(BlendEvent.LookupEnd.class, "storage_hits", BlendEvent.LookupEnd::storageHits)).row();

  public static final Metric LOOKUP_STALE_CHUNKS = TABLE.counter("lmcache_blend.lookup_stale_chunks", Unit.NONE, "Matched chunks that the storage does not have any more.")
      .answers(LOOKUPS)
      .add(Source.value(BlendEvent.LookupEnd.class, "stale_chunks", BlendEvent.LookupEnd::staleChunks)).row();

  public static final Metric LOOKUP_NO_GPU_CONTEXT_ERRORS = TABLE.counter("lmcache_blend.lookup_no_gpu_context_errors", Unit.NONE, "Lookups of blending without a GPU context for the model.")
      .answers("Do lookups arrive for models that no GPU serves?")
      .add(Source.when(BlendEvent.LookupEnd.class, "no_gpu_context", true, BlendEvent.LookupEnd::noGpuContext)).row();

  public static final Metric RETRIEVE_REQUESTS = TABLE.counter("lmcache_blend.retrieve_requests", Unit.NONE, "Retrievals of blended chunks.")
      .answers(RETRIEVES).add(Source.each(BlendEvent.RetrieveStart.class)).row();

  public static final Metric RETRIEVE_CHUNKS = TABLE.counter("lmcache_blend.retrieve_chunks", Unit.NONE, "Blended chunks that retrievals asked for.")
      .answers(RETRIEVES)
      .add(Source.value(BlendEvent.RetrieveStart.class, "num_chunks", BlendEvent.RetrieveStart::numChunks)).row();

  public static final Metric RETRIEVE_FAILURES = TABLE.counter("lmcache_blend.retrieve_failures", Unit.NONE, "Retrievals of blended chunks that failed.")
      .answers(RETRIEVES)
      .add(Source.when(BlendEvent.RetrieveEnd.class, "success", false, BlendEvent.RetrieveEnd::success)).row();

  public static final Metric STORE_PRE_COMPUTED_REQUESTS = TABLE.counter("lmcache_blend.store_pre_computed_requests", Unit.NONE, "Stores of pre-computed chunks.")
      .answers(PRE_COMPUTED).add(Source.each(BlendEvent.StorePreComputedStart.class)).row();

  public static final Metric STORE_PRE_COMPUTED_CHUNKS = TABLE.counter("lmcache_blend.store_pre_computed_chunks", Unit.NONE, "Pre-computed chunks stored.")
      .answers(PRE_COMPUTED)
      .add(Source.value(BlendEvent.StorePreComputedEnd.class, "stored_chunks", BlendEvent.StorePreComputedEnd::storedChunks)).row();

  public static final Metric STORE_PRE_COMPUTED_FAILURES = TABLE.counter("lmcache_blend.store_pre_computed_failures", Unit.NONE, "Stores of pre-computed chunks that failed.")
      .answers(PRE_COMPUTED)
      .add(Source.when(BlendEvent.StorePreComputedEnd.class, "success", false, BlendEvent.StorePreComputedEnd::success)).row();

  public static final Metric STORE_FINAL_REQUESTS = TABLE.counter("lmcache_blend.store_final_requests", Unit.NONE, "Stores of final chunks.")
      .answers(FINAL).add(Source.each(BlendEvent.StoreFinalStart.class)).row();

  public static final Metric STORE_FINAL_CHUNKS = TABLE.counter("lmcache_blend.store_final_chunks", Unit.NONE, "Final chunks stored.")
      .answers(FINAL)
      .add(Source.value(BlendEvent.StoreFinalEnd.class, "stored_chunks", BlendEvent.StoreFinalEnd::storedChunks)).row();

  public static final Metric STORE_FINAL_FAILURES = TABLE.counter("lmcache_blend.store_final_failures", Unit.NONE, "Stores of final chunks that failed.")
      .answers(FINAL)
      .add(Source.when(BlendEvent.StoreFinalEnd.class, "success", false, BlendEvent.StoreFinalEnd::success)).row();

  public static final Metric FINGERPRINTS_REGISTERED = TABLE.counter("lmcache_blend.fingerprints_registered", Unit.NONE, "Chunks entered into the fingerprint table.")
      .answers(FINGERPRINTS)
      .add(Source.value(BlendEvent.FingerprintsRegistered.class, "num_chunks", BlendEvent.FingerprintsRegistered::numChunks)).row();

  public static final Metric CHUNKS_EVICTED = TABLE.counter("lmcache_blend.chunks_evicted", Unit.NONE, "Stale chunks removed from the fingerprint table.")
      .answers(FINGERPRINTS)
      .add(Source.value(BlendEvent.ChunksEvicted.class, "num_chunks", BlendEvent.ChunksEvicted::numChunks)).row();
  // spotless:on

  private BlendMetrics() {}
}
