package io.lmcache.observability.event;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/**
 * What the cache server does for its clients. START and END belong together by session and, where
 * they have one, device.
 */
public sealed interface ServerEvent extends Event {
  /**
   * A request arrived; traceparent and tracestate are the W3C trace context of its caller, empty
   * when it sent none.
   */
  @EventSpec(wireName = "mp.request.start", publisher = "CacheServer")
  record RequestStart(String sessionId, String traceparent, String tracestate)
      implements ServerEvent {
    public RequestStart {
      Fields.notNull("session_id", sessionId);
      Fields.notNull("traceparent", traceparent);
      Fields.notNull("tracestate", tracestate);
    }

    /** A request without a trace of its caller. */
    public RequestStart(String sessionId) {
      this(sessionId, "", "");
    }
  }

  /** A request is done as far as the CPU is concerned; copies on the GPU may still be running. */
  @EventSpec(wireName = "mp.request.end", publisher = "CacheServer")
  record RequestEnd(String sessionId) implements ServerEvent {
    public RequestEnd {
      Fields.notNull("session_id", sessionId);
    }
  }

  /** A copy from the GPU is about to be enqueued. */
  @EventSpec(wireName = "mp.store.submitted", publisher = "CacheServer")
  record StoreSubmitted(String sessionId, String device) implements ServerEvent {
    public StoreSubmitted {
      Fields.notNull("session_id", sessionId);
      Fields.notNull("device", device);
    }
  }

  /** The stream reached the start of a copy from the GPU to L1. */
  @EventSpec(
      wireName = "mp.store.start",
      publisher = "CacheServer",
      thread = "the GPU stream's host callback")
  record StoreStart(String sessionId, String device, String engineId, String modelName)
      implements ServerEvent, Event.OfModel {
    public StoreStart {
      Fields.notNull("session_id", sessionId);
      Fields.notNull("device", device);
      Fields.notNull("engine_id", engineId);
      Fields.notNull("model_name", modelName);
    }
  }

  /** The stream reached the end of a copy from the GPU to L1. */
  @EventSpec(
      wireName = "mp.store.end",
      publisher = "CacheServer",
      thread = "the GPU stream's host callback")
  record StoreEnd(
      String sessionId,
      String device,
      String engineId,
      String modelName,
      long storedCount,
      long totalBytes)
      implements ServerEvent, Event.OfModel {
    public StoreEnd {
      Fields.notNull("session_id", sessionId);
      Fields.notNull("device", device);
      Fields.notNull("engine_id", engineId);
      Fields.notNull("model_name", modelName);
      Fields.count("stored_count", storedCount);
      Fields.count("total_bytes", totalBytes);
    }
  }

  /** A copy to the GPU is about to be enqueued. */
  @EventSpec(wireName = "mp.retrieve.submitted", publisher = "CacheServer")
  record RetrieveSubmitted(String sessionId, String device) implements ServerEvent {
    public RetrieveSubmitted {
      Fields.notNull("session_id", sessionId);
      Fields.notNull("device", device);
    }
  }

  /** The stream reached the start of a copy from L1 to the GPU. */
  @EventSpec(
      wireName = "mp.retrieve.start",
      publisher = "CacheServer",
      thread = "the GPU stream's host callback")
  record RetrieveStart(String sessionId, String device, String engineId, String modelName)
      implements ServerEvent, Event.OfModel {
    public RetrieveStart {
      Fields.notNull("session_id", sessionId);
      Fields.notNull("device", device);
      Fields.notNull("engine_id", engineId);
      Fields.notNull("model_name", modelName);
    }
  }

  /** The stream reached the end of a copy from L1 to the GPU. */
  @EventSpec(
      wireName = "mp.retrieve.end",
      publisher = "CacheServer",
      thread = "the GPU stream's host callback")
  record RetrieveEnd(
      String sessionId,
      String device,
      String engineId,
      String modelName,
      String cacheSalt,
      long retrievedCount,
      long totalBytes)
      implements ServerEvent, Event.OfModel {
    public RetrieveEnd {
      Fields.notNull("session_id", sessionId);
      Fields.notNull("device", device);
      Fields.notNull("engine_id", engineId);
      Fields.notNull("model_name", modelName);
      Fields.notNull("cache_salt", cacheSalt);
      Fields.count("retrieved_count", retrievedCount);
      Fields.count("total_bytes", totalBytes);
    }
  }

  /** A lookup, with the prefetch from L2 that it may cause, began. */
  @EventSpec(wireName = "mp.lookup_prefetch.start", publisher = "CacheServer")
  record LookupPrefetchStart(String sessionId) implements ServerEvent {
    public LookupPrefetchStart {
      Fields.notNull("session_id", sessionId);
    }
  }

  /**
   * The client has asked for the result of a lookup; an abandoned lookup has no end. Requested
   * tokens are those of whole chunks, 0 on an early exit; hit tokens are those of the contiguous
   * prefix that was found.
   */
  @EventSpec(wireName = "mp.lookup_prefetch.end", publisher = "CacheServer")
  record LookupPrefetchEnd(
      String sessionId,
      long foundCount,
      long requestedTokens,
      long hitTokens,
      String modelName,
      String cacheSalt)
      implements ServerEvent, Event.OfModel {
    public LookupPrefetchEnd {
      Fields.notNull("session_id", sessionId);
      Fields.count("found_count", foundCount);
      Fields.count("requested_tokens", requestedTokens);
      Fields.count("hit_tokens", hitTokens);
      Fields.notNull("model_name", modelName);
      Fields.notNull("cache_salt", cacheSalt);
    }
  }

  /** A lookup was received: what it asks for. */
  @EventSpec(wireName = "mp.lookup", publisher = "CacheServer")
  record Lookup(
      String sessionId,
      String requestId,
      List<byte[]> chunkHashes,
      String modelName,
      long chunkSize,
      long seqLen,
      List<String> dtypes,
      List<List<Integer>> shapes)
      implements ServerEvent, Event.OfModel {
    public Lookup {
      Fields.notNull("session_id", sessionId);
      Fields.notNull("request_id", requestId);
      chunkHashes = Fields.list("chunk_hashes", chunkHashes);
      Fields.notNull("model_name", modelName);
      Fields.count("chunk_size", chunkSize);
      Fields.count("seq_len", seqLen);
      dtypes = Fields.list("dtypes", dtypes);
      shapes =
          Fields.list(
              "shapes",
              Fields.<List<Integer>>list("shapes", shapes).stream()
                  .map(shape -> Fields.<Integer>list("shapes", shape))
                  .toList());
    }
  }

  /** The engine reported the GPU blocks that it allocated since its last report. */
  @EventSpec(wireName = "mp.vllm.block_allocation", publisher = "CacheServer")
  record BlockAllocation(String instanceId, String modelName, List<AllocationRecord> records)
      implements ServerEvent, Event.OfModel {
    public BlockAllocation {
      Fields.notNull("instance_id", instanceId);
      Fields.notNull("model_name", modelName);
      records = Fields.list("records", records);
    }
  }

  /** The engine is done with a request and released its GPU blocks. */
  @EventSpec(wireName = "mp.vllm.end_session", publisher = "CacheServer")
  record EndSession(String requestId) implements ServerEvent {
    public EndSession {
      Fields.notNull("request_id", requestId);
    }
  }

  /**
   * A timeout exception was constructed: its message, simple class name, binary class name and
   * stack trace.
   */
  @EventSpec(
      wireName = "timeout.raised",
      publisher = "LMCacheTimeoutException, or CacheServer for other exceptions")
  record TimeoutRaised(
      String sessionId,
      String message,
      String exceptionType,
      String exceptionClass,
      String stacktrace)
      implements ServerEvent {
    private static final int LONGEST_TRACE = 32_768;

    public TimeoutRaised {
      Fields.notNull("session_id", sessionId);
      Fields.notNull("message", message);
      Fields.notNull("exception_type", exceptionType);
      Fields.notNull("exception_class", exceptionClass);
      Fields.notNull("stacktrace", stacktrace);
    }

    /** The event of an exception: its message, class names and stack trace. */
    public static TimeoutRaised of(String sessionId, Throwable timeout) {
      StringWriter stacktrace = new StringWriter();
      timeout.printStackTrace(new PrintWriter(stacktrace));
      String message = timeout.getMessage();
      return of(
          sessionId, timeout.getClass(), message == null ? "" : message, stacktrace.toString());
    }

    /**
     * The event of an exception of a class. A stack trace beyond 32,768 characters is cut, and ends
     * in {@code …}: long chains of causes would fill the queue's memory. An anonymous class has no
     * simple name: it goes by that of the class that it extends.
     */
    public static TimeoutRaised of(
        String sessionId, Class<?> exceptionClass, String message, String stacktrace) {
      Class<?> named = exceptionClass;
      while (named.getSuperclass() != null && named.getSimpleName().isEmpty()) {
        named = named.getSuperclass();
      }
      String trace =
          stacktrace == null || stacktrace.length() <= LONGEST_TRACE
              ? stacktrace
              : stacktrace.substring(0, LONGEST_TRACE) + "…";
      return new TimeoutRaised(
          sessionId, message, named.getSimpleName(), exceptionClass.getName(), trace);
    }
  }

  /**
   * The GPU blocks and tokens that one request was given. The arrays are copied when the record is
   * made; nobody may write to those that it returns.
   */
  @SuppressWarnings("ArrayRecordComponent")
  record AllocationRecord(String reqId, int[] newBlockIds, int[] newTokenIds) {
    public AllocationRecord {
      Fields.notNull("req_id", reqId);
      Fields.notNull("new_block_ids", newBlockIds);
      Fields.notNull("new_token_ids", newTokenIds);
      newBlockIds = newBlockIds.clone();
      newTokenIds = newTokenIds.clone();
    }
  }
}
