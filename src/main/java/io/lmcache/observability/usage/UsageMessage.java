package io.lmcache.observability.usage;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Everything that can be reported: one record a message, the only source of what goes over the
 * wire. The simple name of the record is {@code message_type}, its components are the fields, in
 * order and in snake case. Text is reduced where a message is made, so that no message can carry a
 * path, a URL or a host name. {@link Outbox} adds the fields that all messages have.
 */
sealed interface UsageMessage {

  /** Where and when a message is sent, and what for. */
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.TYPE)
  @interface Sent {

    /** The endpoint below the base URL. */
    String to();

    /** When, for the operator. */
    String when();

    /** What the maintainers learn from it. */
    String why();
  }

  /** The endpoint below the base URL. */
  default String endpoint() {
    return getClass().getAnnotation(Sent.class).to();
  }

  /** The name on the wire of a component. */
  static String wireName(String component) {
    return component.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
  }

  /**
   * The machine.
   *
   * @param provider AWS, AZURE, GCP, OCI, RUNPOD or UNKNOWN
   * @param numCpu processors that the process may use
   * @param cpuType the processor's product name
   * @param cpuFamilyModelStepping the processor's family, model and stepping
   * @param totalMemory bytes of memory; 0 when unknown
   * @param architecture word size and binary format
   * @param platforms operating system, its version and its architecture
   * @param gpuCount GPUs that the driver shows; 0 when unknown
   * @param gpuType the product name of the first GPU
   * @param gpuMemoryPerDevice bytes of memory of the first GPU; 0 when unknown
   * @param source DOCKER, MAVEN, GRADLE or UNKNOWN: how the library got here
   */
  @Sent(
      to = "context",
      when = "once at start, in both modes",
      why = "on which machines the cache has to run well")
  record EnvMessage(
      String provider,
      int numCpu,
      String cpuType,
      String cpuFamilyModelStepping,
      long totalMemory,
      String architecture,
      String platforms,
      int gpuCount,
      String gpuType,
      long gpuMemoryPerDevice,
      String source)
      implements UsageMessage {

    static final List<String> PROVIDERS = List.of("AWS", "AZURE", "GCP", "OCI", "RUNPOD");
    static final List<String> SOURCES = List.of("DOCKER", "MAVEN", "GRADLE");

    public EnvMessage {
      provider = PROVIDERS.contains(provider) ? provider : "UNKNOWN";
      cpuType = Values.hardware(cpuType);
      cpuFamilyModelStepping = Values.hardware(cpuFamilyModelStepping);
      architecture = Values.hardware(architecture);
      platforms = Values.hardware(platforms);
      gpuType = Values.hardware(gpuType);
      source = SOURCES.contains(source) ? source : "UNKNOWN";
    }
  }

  /**
   * The configuration of a cache inside a serving engine.
   *
   * @param chunksize tokens in a chunk
   * @param localDevice the kind of device that holds the local cache
   * @param maxLocalCacheSize the bound of the local cache, in the engine's unit (GB)
   * @param remoteUrl the scheme of the remote URL, nothing else of it; empty without one
   * @param remoteSerde how chunks are serialised for the remote store
   * @param pipelinedBackend whether the backend is pipelined
   * @param saveDecodeCache whether the cache of decoding is kept
   * @param enableBlending whether blending is on
   * @param blendRecomputeRatio always 0.15
   * @param blendMinTokens tokens from which on blending is tried
   * @param modelName the model; of a file path or URL, its last segment
   * @param worldSize workers of the engine
   * @param workerId which of them this is
   * @param kvDtype the element type of the KV cache
   * @param kvShape the shape of a chunk of the KV cache
   */
  @Sent(
      to = "context",
      when = "once at start, single process",
      why = "which features and models are in use")
  record EngineMessage(
      long chunksize,
      String localDevice,
      long maxLocalCacheSize,
      String remoteUrl,
      String remoteSerde,
      boolean pipelinedBackend,
      boolean saveDecodeCache,
      boolean enableBlending,
      double blendRecomputeRatio,
      long blendMinTokens,
      String modelName,
      long worldSize,
      long workerId,
      String kvDtype,
      String kvShape)
      implements UsageMessage {

    static final double BLEND_RECOMPUTE_RATIO = 0.15;

    public EngineMessage {
      localDevice = Values.label(localDevice);
      remoteUrl = Values.scheme(remoteUrl);
      remoteSerde = Values.label(remoteSerde);
      blendRecomputeRatio = BLEND_RECOMPUTE_RATIO;
      modelName = Values.modelName(modelName);
      kvDtype = Values.label(kvDtype);
      kvShape = Values.label(kvShape);
    }
  }

  /**
   * The start of a cache inside a serving engine.
   *
   * @param startTime when it started, yyyy-MM-dd HH:mm:ss in local time
   * @param duration seconds from the start to this report
   */
  @Sent(
      to = "context",
      when = "once at start, single process",
      why = "when sessions start, and how long the report takes")
  record MetadataMessage(String startTime, double duration) implements UsageMessage {}

  /**
   * The configuration of a cache server.
   *
   * @param lmcacheVersion the version of the server
   * @param chunkSize tokens in a chunk
   * @param hashAlgorithm how chunks are hashed
   * @param engineType the kind of cache engine
   * @param enableSegmentedPrefix whether prefixes may be segmented
   * @param supportedTransferMode how engine and server exchange data
   * @param separateObjectGroups whether object groups are kept apart
   * @param maxGpuWorkers the bound on GPU workers
   * @param maxCpuWorkers the bound on CPU workers
   * @param p2pEnabled whether servers exchange chunks with each other
   * @param l1SizeBytes the configured size of L1
   * @param l1Medium dram, gds or dram+devdax
   * @param l1ShmEnabled whether L1 is in shared memory
   * @param evictionPolicy how L1 makes room
   * @param l2AdapterTypes the types of the L2 adapters, with commas
   * @param l2SerdeTypes their serialisers in the same order, empty for none
   * @param l2StorePolicy what is stored in L2
   * @param l2PrefetchPolicy what is loaded from L2
   */
  @Sent(
      to = "context",
      when = "once at start, MP server",
      why = "which features and storage are in use")
  record MPServerMessage(
      String lmcacheVersion,
      long chunkSize,
      String hashAlgorithm,
      String engineType,
      boolean enableSegmentedPrefix,
      String supportedTransferMode,
      boolean separateObjectGroups,
      long maxGpuWorkers,
      long maxCpuWorkers,
      boolean p2pEnabled,
      long l1SizeBytes,
      String l1Medium,
      boolean l1ShmEnabled,
      String evictionPolicy,
      String l2AdapterTypes,
      String l2SerdeTypes,
      String l2StorePolicy,
      String l2PrefetchPolicy)
      implements UsageMessage {
    public MPServerMessage {
      lmcacheVersion = Values.label(lmcacheVersion);
      hashAlgorithm = Values.label(hashAlgorithm);
      engineType = Values.label(engineType);
      supportedTransferMode = Values.label(supportedTransferMode);
      l1Medium = Values.label(l1Medium);
      evictionPolicy = Values.label(evictionPolicy);
      l2AdapterTypes = Values.types(l2AdapterTypes);
      l2SerdeTypes = Values.types(l2SerdeTypes);
      l2StorePolicy = Values.label(l2StorePolicy);
      l2PrefetchPolicy = Values.label(l2PrefetchPolicy);
    }
  }

  /**
   * What the cache did; all zero when it did nothing, which says that it is alive.
   *
   * @param intervalNumStoredTokens tokens stored in the interval
   * @param intervalNumHitTokens tokens served from the cache in the interval
   * @param intervalStoredKvSize bytes stored in the interval: exact in an MP server, in a single
   *     process tokens times bytes per token, 0 when these are unknown
   * @param sequenceNumber counts the reports of this kind; a gap is an interval that was lost
   * @param uptimeSeconds seconds since the start
   */
  @Sent(
      to = "cache-usage",
      when = "every interval, in both modes",
      why = "how much the cache is used, and whether it helps")
  record ContinuousContextMessage(
      long intervalNumStoredTokens,
      long intervalNumHitTokens,
      long intervalStoredKvSize,
      long sequenceNumber,
      double uptimeSeconds)
      implements UsageMessage {

    /** The wire names of the fields that metric specifications fill: all but the last two. */
    static List<String> metricFields() {
      var components = ContinuousContextMessage.class.getRecordComponents();
      return Arrays.stream(components, 0, components.length - 2)
          .map(component -> wireName(component.getName()))
          .toList();
    }

    /** A message of these values, in the order of {@link #metricFields}; what is left is 0. */
    static ContinuousContextMessage of(long[] metrics, long sequenceNumber, double uptimeSeconds) {
      int fields = metricFields().size();
      Object[] values = new Object[fields + 2];
      for (int i = 0; i < fields; i++) {
        values[i] = i < metrics.length ? metrics[i] : 0L;
      }
      values[fields] = sequenceNumber;
      values[fields + 1] = uptimeSeconds;
      try {
        return (ContinuousContextMessage)
            ContinuousContextMessage.class.getConstructors()[0].newInstance(values);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /**
   * How long chunks lived.
   *
   * @param cacheLifespanHistogram upper bounds in minutes, and how many lifespans were below each
   *     and not below the one before
   * @param sequenceNumber counts the reports of this kind; a gap is an interval that was lost
   * @param uptimeSeconds seconds since the start
   */
  @Sent(
      to = "cache-lifespan",
      when = "every interval, single process",
      why = "how long what is cached is worth keeping")
  record CacheLifespanMessage(
      Map<String, Long> cacheLifespanHistogram, long sequenceNumber, double uptimeSeconds)
      implements UsageMessage {
    public CacheLifespanMessage {
      cacheLifespanHistogram =
          Collections.unmodifiableMap(new LinkedHashMap<>(cacheLifespanHistogram));
    }
  }

  /**
   * The use of one type of L2 adapter.
   *
   * @param l2Name the type of the adapters
   * @param activeSeconds seconds since the previous report
   * @param intervalStoredBytes bytes stored in the interval
   * @param intervalStoreSucceededKeys keys stored in the interval
   * @param intervalStoreFailedKeys keys that could not be stored in the interval
   * @param intervalLoadSubmittedKeys keys asked for in the interval
   * @param intervalLoadSubmittedBytes bytes asked for in the interval
   * @param bytesUsed bytes that the adapters hold; -1 when that cannot be told
   * @param capacityBytes what they may hold; 0 when none has a bound, or it cannot be told
   * @param unboundedAdapters how many of them have no bound
   * @param sequenceNumber counts the reports of this kind; a gap is an interval that was lost
   * @param uptimeSeconds seconds since the start
   */
  @Sent(
      to = "l2-usage",
      when = "every interval, MP server, one for each type of L2 adapter that is there or was used",
      why = "which storage is in use, and how much of it")
  record L2ConnectorUsageMessage(
      String l2Name,
      double activeSeconds,
      long intervalStoredBytes,
      long intervalStoreSucceededKeys,
      long intervalStoreFailedKeys,
      long intervalLoadSubmittedKeys,
      long intervalLoadSubmittedBytes,
      long bytesUsed,
      long capacityBytes,
      long unboundedAdapters,
      long sequenceNumber,
      double uptimeSeconds)
      implements UsageMessage {
    public L2ConnectorUsageMessage {
      l2Name = Values.type(l2Name);
    }
  }

  /**
   * The use of L1.
   *
   * @param activeSeconds seconds since the previous report
   * @param bytesUsed bytes in use; -1 when that cannot be told
   * @param capacityBytes the size of L1; 0 when that cannot be told
   * @param sequenceNumber counts the reports of this kind; a gap is an interval that was lost
   * @param uptimeSeconds seconds since the start
   */
  @Sent(to = "l1-usage", when = "every interval, MP server", why = "how full L1 is kept")
  record L1UsageMessage(
      double activeSeconds,
      long bytesUsed,
      long capacityBytes,
      long sequenceNumber,
      double uptimeSeconds)
      implements UsageMessage {}
}
