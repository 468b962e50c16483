package io.lmcache.observability.producer;

import io.lmcache.observability.bus.EventSink;
import io.lmcache.observability.catalog.Gauges;
import io.lmcache.observability.catalog.ServerMetrics;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.event.ServerEvent.AllocationRecord;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the cache server does for its clients.
 *
 * <p>Any thread may call any method. Reporting never blocks and never throws: an event with an
 * invalid field is dropped, counted in {@code recording_errors} and warned about once. What has a
 * start and an end is reported by a handle, which ends once, on any thread. The variants that take
 * a stream report when the stream gets there, so that the times are those of the copy; a stream is
 * an {@code Executor} that appends what it is given as a host callback.
 */
public final class CacheServer {

  private static final Request NO_REQUEST = new Request(Emitter.OFF, "");
  private static final LookupPrefetch NO_LOOKUP = new LookupPrefetch(Emitter.OFF, "", "", "");
  private static final Store NO_STORE = new Store(Emitter.OFF, "", "", "", "");
  private static final Retrieve NO_RETRIEVE = new Retrieve(Emitter.OFF, "", "", "", "", "");

  private final Emitter emitter;
  private final Gauges gauges;
  private final CacheBlend blend;

  /** Reports to a sink and registers gauges there. */
  public CacheServer(EventSink sink, Gauges gauges) {
    this.emitter = new Emitter(sink);
    this.gauges = gauges;
    this.blend = new CacheBlend(emitter);
  }

  /** What cache blending does. */
  public CacheBlend blend() {
    return blend;
  }

  /**
   * A request arrived with the W3C trace context of its caller, null or empty when there is none;
   * end it by {@link Request#ended}.
   */
  public Request requestStarted(
      String sessionId, @Nullable String traceparent, @Nullable String tracestate) {
    return requestStarted(null, sessionId, traceparent, tracestate);
  }

  /** The same, when the stream gets there; without a stream, now. */
  public Request requestStarted(
      @Nullable Executor stream,
      String sessionId,
      @Nullable String traceparent,
      @Nullable String tracestate) {
    if (emitter.isOff()) {
      return NO_REQUEST;
    }
    try {
      String parent = traceparent == null ? "" : traceparent;
      String state = tracestate == null ? "" : tracestate;
      emitter.publish(stream, new ServerEvent.RequestStart(sessionId, parent, state));
    } catch (Throwable fault) {
      emitter.refused(ServerEvent.RequestStart.class, fault);
    }
    return new Request(emitter, sessionId);
  }

  /** A request arrived from a caller without a trace; end it by {@link Request#ended}. */
  public Request requestStarted(String sessionId) {
    return requestStarted(sessionId, "", "");
  }

  /**
   * A lookup, with the prefetch that it may cause, began; end it by {@link LookupPrefetch#ended}.
   */
  public LookupPrefetch lookupPrefetchStarted(
      String sessionId, String modelName, String cacheSalt) {
    return lookupPrefetchStarted(null, sessionId, modelName, cacheSalt);
  }

  /** The same, when the stream gets there; without a stream, now. */
  public LookupPrefetch lookupPrefetchStarted(
      @Nullable Executor stream, String sessionId, String modelName, String cacheSalt) {
    if (emitter.isOff()) {
      return NO_LOOKUP;
    }
    try {
      emitter.publish(stream, new ServerEvent.LookupPrefetchStart(sessionId));
    } catch (Throwable fault) {
      emitter.refused(ServerEvent.LookupPrefetchStart.class, fault);
    }
    return new LookupPrefetch(emitter, sessionId, modelName, cacheSalt);
  }

  /** A copy from the GPU is about to be enqueued. */
  public void storeSubmitted(String sessionId, String device) {
    if (emitter.isOff()) {
      return;
    }
    try {
      emitter.publish(new ServerEvent.StoreSubmitted(sessionId, device));
    } catch (Throwable fault) {
      emitter.refused(ServerEvent.StoreSubmitted.class, fault);
    }
  }

  /** A copy from the GPU to L1 began; end it by {@link Store#ended}. */
  public Store storeStarted(String sessionId, String device, String engineId, String modelName) {
    return storeStarted(null, sessionId, device, engineId, modelName);
  }

  /** The same, when the stream gets there; without a stream, now. */
  public Store storeStarted(
      @Nullable Executor stream,
      String sessionId,
      String device,
      String engineId,
      String modelName) {
    if (emitter.isOff()) {
      return NO_STORE;
    }
    try {
      emitter.publish(stream, new ServerEvent.StoreStart(sessionId, device, engineId, modelName));
    } catch (Throwable fault) {
      emitter.refused(ServerEvent.StoreStart.class, fault);
    }
    return new Store(emitter, sessionId, device, engineId, modelName);
  }

  /** A copy to the GPU is about to be enqueued. */
  public void retrieveSubmitted(String sessionId, String device) {
    if (emitter.isOff()) {
      return;
    }
    try {
      emitter.publish(new ServerEvent.RetrieveSubmitted(sessionId, device));
    } catch (Throwable fault) {
      emitter.refused(ServerEvent.RetrieveSubmitted.class, fault);
    }
  }

  /** A copy from L1 to the GPU began; end it by {@link Retrieve#ended}. */
  public Retrieve retrieveStarted(
      String sessionId, String device, String engineId, String modelName, String cacheSalt) {
    return retrieveStarted(null, sessionId, device, engineId, modelName, cacheSalt);
  }

  /** The same, when the stream gets there; without a stream, now. */
  public Retrieve retrieveStarted(
      @Nullable Executor stream,
      String sessionId,
      String device,
      String engineId,
      String modelName,
      String cacheSalt) {
    if (emitter.isOff()) {
      return NO_RETRIEVE;
    }
    try {
      emitter.publish(
          stream, new ServerEvent.RetrieveStart(sessionId, device, engineId, modelName));
    } catch (Throwable fault) {
      emitter.refused(ServerEvent.RetrieveStart.class, fault);
    }
    return new Retrieve(emitter, sessionId, device, engineId, modelName, cacheSalt);
  }

  /** A lookup was received: what it asks for. */
  public void lookupReceived(
      String sessionId,
      String requestId,
      List<byte[]> chunkHashes,
      String modelName,
      long chunkSize,
      long seqLen,
      List<String> dtypes,
      List<List<Integer>> shapes) {
    if (emitter.isOff()) {
      return;
    }
    try {
      emitter.publish(
          new ServerEvent.Lookup(
              sessionId, requestId, chunkHashes, modelName, chunkSize, seqLen, dtypes, shapes));
    } catch (Throwable fault) {
      emitter.refused(ServerEvent.Lookup.class, fault);
    }
  }

  /** The engine reported the GPU blocks that it allocated. */
  public void blocksAllocated(String instanceId, String modelName, List<AllocationRecord> records) {
    if (emitter.isOff()) {
      return;
    }
    try {
      emitter.publish(new ServerEvent.BlockAllocation(instanceId, modelName, records));
    } catch (Throwable fault) {
      emitter.refused(ServerEvent.BlockAllocation.class, fault);
    }
  }

  /** The engine is done with a request and released its GPU blocks. */
  public void sessionEnded(String requestId) {
    if (emitter.isOff()) {
      return;
    }
    try {
      emitter.publish(new ServerEvent.EndSession(requestId));
    } catch (Throwable fault) {
      emitter.refused(ServerEvent.EndSession.class, fault);
    }
  }

  /**
   * A timeout was raised; the session is empty when it belongs to none. Does nothing for an {@link
   * LMCacheTimeoutException} that has been published already.
   */
  public void timeoutRaised(String sessionId, Throwable timeout) {
    if (emitter.isOff() || (timeout instanceof LMCacheTimeoutException ours && !ours.claim())) {
      return;
    }
    try {
      emitter.publish(ServerEvent.TimeoutRaised.of(sessionId, timeout));
    } catch (Throwable fault) {
      emitter.refused(ServerEvent.TimeoutRaised.class, fault);
    }
  }

  /**
   * Reports the prefetch jobs in flight as {@code active_prefetch_jobs}.
   *
   * @throws IllegalStateException if they are reported already
   */
  public Gauges.Registration registerActivePrefetchJobs(LongSupplier jobs) {
    Objects.requireNonNull(jobs, "jobs");
    return gauges.register(
        ServerMetrics.ACTIVE_PREFETCH_JOBS,
        measurement -> measurement.record((double) jobs.getAsLong()));
  }

  /** A request in the server. */
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
      if (!ends(ServerEvent.RequestEnd.class)) {
        return;
      }
      try {
        emitter.publish(stream, new ServerEvent.RequestEnd(sessionId));
      } catch (Throwable fault) {
        emitter.refused(ServerEvent.RequestEnd.class, fault);
      }
    }
  }

  /** A lookup with its prefetch. One that is abandoned is never ended. */
  public static final class LookupPrefetch extends Pair {

    private final String sessionId;
    private final String modelName;
    private final String cacheSalt;

    private LookupPrefetch(Emitter emitter, String sessionId, String modelName, String cacheSalt) {
      super(emitter);
      this.sessionId = sessionId;
      this.modelName = modelName;
      this.cacheSalt = cacheSalt;
    }

    /**
     * Its result was asked for: chunks found, tokens of whole chunks requested (0 on an early
     * exit), tokens of the contiguous prefix found.
     */
    public void ended(long foundCount, long requestedTokens, long hitTokens) {
      ended(null, foundCount, requestedTokens, hitTokens);
    }

    /** The same, when the stream gets there; without a stream, now. */
    public void ended(
        @Nullable Executor stream, long foundCount, long requestedTokens, long hitTokens) {
      if (!ends(ServerEvent.LookupPrefetchEnd.class)) {
        return;
      }
      try {
        emitter.publish(
            stream,
            new ServerEvent.LookupPrefetchEnd(
                sessionId, foundCount, requestedTokens, hitTokens, modelName, cacheSalt));
      } catch (Throwable fault) {
        emitter.refused(ServerEvent.LookupPrefetchEnd.class, fault);
      }
    }
  }

  /** A copy from the GPU to L1. */
  public static final class Store extends Pair {

    private final String sessionId;
    private final String device;
    private final String engineId;
    private final String modelName;

    private Store(
        Emitter emitter, String sessionId, String device, String engineId, String modelName) {
      super(emitter);
      this.sessionId = sessionId;
      this.device = device;
      this.engineId = engineId;
      this.modelName = modelName;
    }

    /** It is done. */
    public void ended(long storedChunks, long totalBytes) {
      ended(null, storedChunks, totalBytes);
    }

    /** The same, when the stream gets there; without a stream, now. */
    public void ended(@Nullable Executor stream, long storedChunks, long totalBytes) {
      if (!ends(ServerEvent.StoreEnd.class)) {
        return;
      }
      try {
        emitter.publish(
            stream,
            new ServerEvent.StoreEnd(
                sessionId, device, engineId, modelName, storedChunks, totalBytes));
      } catch (Throwable fault) {
        emitter.refused(ServerEvent.StoreEnd.class, fault);
      }
    }
  }

  /** A copy from L1 to the GPU. */
  public static final class Retrieve extends Pair {

    private final String sessionId;
    private final String device;
    private final String engineId;
    private final String modelName;
    private final String cacheSalt;

    private Retrieve(
        Emitter emitter,
        String sessionId,
        String device,
        String engineId,
        String modelName,
        String cacheSalt) {
      super(emitter);
      this.sessionId = sessionId;
      this.device = device;
      this.engineId = engineId;
      this.modelName = modelName;
      this.cacheSalt = cacheSalt;
    }

    /** It is done. */
    public void ended(long retrievedChunks, long totalBytes) {
      ended(null, retrievedChunks, totalBytes);
    }

    /** The same, when the stream gets there; without a stream, now. */
    public void ended(@Nullable Executor stream, long retrievedChunks, long totalBytes) {
      if (!ends(ServerEvent.RetrieveEnd.class)) {
        return;
      }
      try {
        emitter.publish(
            stream,
            new ServerEvent.RetrieveEnd(
                sessionId, device, engineId, modelName, cacheSalt, retrievedChunks, totalBytes));
      } catch (Throwable fault) {
        emitter.refused(ServerEvent.RetrieveEnd.class, fault);
      }
    }
  }
}
