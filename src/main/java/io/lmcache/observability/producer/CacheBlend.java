package io.lmcache.observability.producer;

import io.lmcache.observability.event.BlendEvent;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What cache blending does: the reuse of chunks that are not a prefix of the prompt.
 *
 * <p>Threads, errors, handles and streams are as in {@link CacheServer}, which hands it out.
 */
public final class CacheBlend {

  private static final Request NO_REQUEST = new Request(Emitter.OFF, "");
  private static final Lookup NO_LOOKUP = new Lookup(Emitter.OFF, "", 0);
  private static final Retrieve NO_RETRIEVE = new Retrieve(Emitter.OFF, "", "", 0);
  private static final Store NO_STORE = new Store(Emitter.OFF, false, "", "", 0);

  private final Emitter emitter;

  CacheBlend(Emitter emitter) {
    this.emitter = emitter;
  }

  /** A request that uses blending began; end it by {@link Request#ended}. */
  public Request requestStarted(String sessionId) {
    return requestStarted(null, sessionId);
  }

  /** The same, when the stream gets there; without a stream, now. */
  public Request requestStarted(@Nullable Executor stream, String sessionId) {
    if (emitter.isOff()) {
      return NO_REQUEST;
    }
    try {
      emitter.publish(stream, new BlendEvent.RequestStart(sessionId));
    } catch (Throwable fault) {
      emitter.refused(BlendEvent.RequestStart.class, fault);
    }
    return new Request(emitter, sessionId);
  }

  /** A lookup in the fingerprint table began; end it by {@link Lookup#ended}. */
  public Lookup lookupStarted(String sessionId, long numTokens) {
    return lookupStarted(null, sessionId, numTokens);
  }

  /** The same, when the stream gets there; without a stream, now. */
  public Lookup lookupStarted(@Nullable Executor stream, String sessionId, long numTokens) {
    if (emitter.isOff()) {
      return NO_LOOKUP;
    }
    try {
      emitter.publish(stream, new BlendEvent.LookupStart(sessionId, numTokens));
    } catch (Throwable fault) {
      emitter.refused(BlendEvent.LookupStart.class, fault);
    }
    return new Lookup(emitter, sessionId, numTokens);
  }

  /** A retrieval is about to be enqueued. */
  public void retrieveSubmitted(String sessionId, String instanceId) {
    if (emitter.isOff()) {
      return;
    }
    try {
      emitter.publish(new BlendEvent.RetrieveSubmitted(sessionId, instanceId));
    } catch (Throwable fault) {
      emitter.refused(BlendEvent.RetrieveSubmitted.class, fault);
    }
  }

  /** A retrieval began; end it by {@link Retrieve#ended}. */
  public Retrieve retrieveStarted(String sessionId, String instanceId, long numChunks) {
    return retrieveStarted(null, sessionId, instanceId, numChunks);
  }

  /** The same, when the stream gets there; without a stream, now. */
  public Retrieve retrieveStarted(
      @Nullable Executor stream, String sessionId, String instanceId, long numChunks) {
    if (emitter.isOff()) {
      return NO_RETRIEVE;
    }
    try {
      emitter.publish(stream, new BlendEvent.RetrieveStart(sessionId, instanceId, numChunks));
    } catch (Throwable fault) {
      emitter.refused(BlendEvent.RetrieveStart.class, fault);
    }
    return new Retrieve(emitter, sessionId, instanceId, numChunks);
  }

  /** A store of pre-computed chunks is about to be enqueued. */
  public void storePreComputedSubmitted(String sessionId, String instanceId) {
    if (emitter.isOff()) {
      return;
    }
    try {
      emitter.publish(new BlendEvent.StorePreComputedSubmitted(sessionId, instanceId));
    } catch (Throwable fault) {
      emitter.refused(BlendEvent.StorePreComputedSubmitted.class, fault);
    }
  }

  /** A store of pre-computed chunks began; end it by {@link Store#ended}. */
  public Store storePreComputedStarted(String sessionId, String instanceId, long numTokens) {
    return storePreComputedStarted(null, sessionId, instanceId, numTokens);
  }

  /** The same, when the stream gets there; without a stream, now. */
  public Store storePreComputedStarted(
      @Nullable Executor stream, String sessionId, String instanceId, long numTokens) {
    if (emitter.isOff()) {
      return NO_STORE;
    }
    try {
      emitter.publish(
          stream, new BlendEvent.StorePreComputedStart(sessionId, instanceId, numTokens));
    } catch (Throwable fault) {
      emitter.refused(BlendEvent.StorePreComputedStart.class, fault);
    }
    return new Store(emitter, false, sessionId, instanceId, numTokens);
  }

  /** A store of final chunks is about to be enqueued. */
  public void storeFinalSubmitted(String sessionId, String instanceId) {
    if (emitter.isOff()) {
      return;
    }
    try {
      emitter.publish(new BlendEvent.StoreFinalSubmitted(sessionId, instanceId));
    } catch (Throwable fault) {
      emitter.refused(BlendEvent.StoreFinalSubmitted.class, fault);
    }
  }

  /** A store of final chunks began; end it by {@link Store#ended}. */
  public Store storeFinalStarted(String sessionId, String instanceId, long numTokens) {
    return storeFinalStarted(null, sessionId, instanceId, numTokens);
  }

  /** The same, when the stream gets there; without a stream, now. */
  public Store storeFinalStarted(
      @Nullable Executor stream, String sessionId, String instanceId, long numTokens) {
    if (emitter.isOff()) {
      return NO_STORE;
    }
    try {
      emitter.publish(stream, new BlendEvent.StoreFinalStart(sessionId, instanceId, numTokens));
    } catch (Throwable fault) {
      emitter.refused(BlendEvent.StoreFinalStart.class, fault);
    }
    return new Store(emitter, true, sessionId, instanceId, numTokens);
  }

  /** Chunks were entered into the fingerprint table. */
  public void fingerprintsRegistered(String sessionId, long numChunks, long numTokens) {
    if (emitter.isOff()) {
      return;
    }
    try {
      emitter.publish(new BlendEvent.FingerprintsRegistered(sessionId, numChunks, numTokens));
    } catch (Throwable fault) {
      emitter.refused(BlendEvent.FingerprintsRegistered.class, fault);
    }
  }

  /** Stale chunks were removed from the fingerprint table. */
  public void chunksEvicted(String sessionId, long numChunks) {
    if (emitter.isOff()) {
      return;
    }
    try {
      emitter.publish(new BlendEvent.ChunksEvicted(sessionId, numChunks));
    } catch (Throwable fault) {
      emitter.refused(BlendEvent.ChunksEvicted.class, fault);
    }
  }

  /** A request that uses blending. */
  public static final class Request extends Pair {

    private final String sessionId;

    private Request(Emitter emitter, String sessionId) {
      super(emitter);
      this.sessionId = sessionId;
    }

    /** It is done as far as the CPU is concerned. */
    public void ended() {
      ended(null);
    }

    /** The same, when the stream gets there; without a stream, now. */
    public void ended(@Nullable Executor stream) {
      if (!ends(BlendEvent.RequestEnd.class)) {
        return;
      }
      try {
        emitter.publish(stream, new BlendEvent.RequestEnd(sessionId));
      } catch (Throwable fault) {
        emitter.refused(BlendEvent.RequestEnd.class, fault);
      }
    }
  }

  /** A lookup in the fingerprint table. */
  public static final class Lookup extends Pair {

    private final String sessionId;
    private final long numTokens;

    private Lookup(Emitter emitter, String sessionId, long numTokens) {
      super(emitter);
      this.sessionId = sessionId;
      this.numTokens = numTokens;
    }

    /**
     * It is done: tokens asked for and served, chunks that the table matched, that the storage
     * confirmed and that were stale.
     */
    public void ended(
        long requestedTokens,
        long hitTokens,
        long fingerprintHits,
        long storageHits,
        long staleChunks,
        boolean noGpuContext) {
      end(
          null,
          requestedTokens,
          hitTokens,
          fingerprintHits,
          storageHits,
          staleChunks,
          noGpuContext);
    }

    /** The same, when the stream gets there. */
    public void ended(
        Executor stream,
        long requestedTokens,
        long hitTokens,
        long fingerprintHits,
        long storageHits,
        long staleChunks,
        boolean noGpuContext) {
      end(
          stream,
          requestedTokens,
          hitTokens,
          fingerprintHits,
          storageHits,
          staleChunks,
          noGpuContext);
    }

    private void end(
        @Nullable Executor stream,
        long requestedTokens,
        long hitTokens,
        long fingerprintHits,
        long storageHits,
        long staleChunks,
        boolean noGpuContext) {
      if (!ends(BlendEvent.LookupEnd.class)) {
        return;
      }
      try {
        emitter.publish(
            stream,
            new BlendEvent.LookupEnd(
                sessionId,
                numTokens,
                requestedTokens,
                hitTokens,
                fingerprintHits,
                storageHits,
                staleChunks,
                noGpuContext));
      } catch (Throwable fault) {
        emitter.refused(BlendEvent.LookupEnd.class, fault);
      }
    }
  }

  /** A retrieval of blended chunks. */
  public static final class Retrieve extends Pair {

    private final String sessionId;
    private final String instanceId;
    private final long numChunks;

    private Retrieve(Emitter emitter, String sessionId, String instanceId, long numChunks) {
      super(emitter);
      this.sessionId = sessionId;
      this.instanceId = instanceId;
      this.numChunks = numChunks;
    }

    /** It is done. */
    public void ended(boolean success) {
      ended(null, success);
    }

    /** The same, when the stream gets there; without a stream, now. */
    public void ended(@Nullable Executor stream, boolean success) {
      if (!ends(BlendEvent.RetrieveEnd.class)) {
        return;
      }
      try {
        emitter.publish(
            stream, new BlendEvent.RetrieveEnd(sessionId, instanceId, numChunks, success));
      } catch (Throwable fault) {
        emitter.refused(BlendEvent.RetrieveEnd.class, fault);
      }
    }
  }

  /** A store of pre-computed or of final chunks. */
  public static final class Store extends Pair {

    private final boolean last;
    private final String sessionId;
    private final String instanceId;
    private final long numTokens;

    private Store(
        Emitter emitter, boolean last, String sessionId, String instanceId, long numTokens) {
      super(emitter);
      this.last = last;
      this.sessionId = sessionId;
      this.instanceId = instanceId;
      this.numTokens = numTokens;
    }

    /** It is done. */
    public void ended(long storedChunks, boolean success) {
      ended(null, storedChunks, success);
    }

    /** The same, when the stream gets there; without a stream, now. */
    public void ended(@Nullable Executor stream, long storedChunks, boolean success) {
      Class<? extends BlendEvent> end =
          last ? BlendEvent.StoreFinalEnd.class : BlendEvent.StorePreComputedEnd.class;
      if (!ends(end)) {
        return;
      }
      try {
        emitter.publish(
            stream,
            last
                ? new BlendEvent.StoreFinalEnd(
                    sessionId, instanceId, numTokens, storedChunks, success)
                : new BlendEvent.StorePreComputedEnd(
                    sessionId, instanceId, numTokens, storedChunks, success));
      } catch (Throwable fault) {
        emitter.refused(end, fault);
      }
    }
  }
}
