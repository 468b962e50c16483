package io.lmcache.observability.catalog;

import static io.lmcache.observability.catalog.Source.CACHE_SALT;
import static io.lmcache.observability.catalog.Source.MODEL_NAME;

import io.lmcache.observability.catalog.Metric.Buckets;
import io.lmcache.observability.event.ServerEvent;

/** The rows of the cache server, of the GPU (L0), and of the library itself. */
public final class ServerMetrics {

  static final Metric.Table TABLE = new Metric.Table();

  private static final String HIT_RATE =
      "What fraction of the requested tokens is served from the cache, L1 or L2?";
  private static final String SAME_EVENT =
      "lookup_requested and lookup_hit move with the same event. A lookup that exits early adds 0"
          + " to both, an abandoned one adds to neither. The prefix cache in the GPU (L0) belongs"
          + " to the engine and is not in it.";
  private static final String MANY_SALTS =
      "cache_salt can take many values: switch it off by dropAttributes, or drop it at the scrape,"
          + " if storage costs too much.";
  private static final String L0_CHURN =
      "How long do GPU blocks live, how idle are they when they go, how often are cached ones used"
          + " again, and which instance or model churns most?";
  private static final String L0_SAMPLED =
      "Only a sample of the blocks is tracked (1 % unless set otherwise). An eviction is noticed"
          + " when the block is given other tokens.";
  private static final String COPIES =
      "What GPU↔CPU throughput does each worker achieve, does it match what PCIe can do, and which workers"
          + " or GPUs lag behind?";
  private static final String STREAM_TIME =
      "Start and end are stamped when the GPU stream reaches them, so the time is that of the copy"
          + " alone. Every request gives one sample.";
  private static final String EXEMPLAR =
      "With tracing on, its exemplars lead to the spans of the copies: over OTLP and on the"
          + " OpenMetrics page.";
  private static final String BUS_HEALTH =
      "Does the event bus keep up, is anything dropped, does a subscriber fail?";
  private static final String WHILE_TRACING = "There while tracing is on.";
  private static final String ENGINE_ID = "engine_id";
  private static final String DEVICE = "device";
  private static final String INSTANCE_ID = "instance_id";

  // spotless:off
  public static final Metric LOOKUP_REQUESTED = TABLE.counter("lmcache_mp.lookup_requested", Unit.TOKENS, "Tokens that lookups asked for, whole chunks only.")
      .answers(HIT_RATE).note(SAME_EVENT).note(MANY_SALTS)
      .add(Source.value(ServerEvent.LookupPrefetchEnd.class, "requested_tokens", ServerEvent.LookupPrefetchEnd::requestedTokens)
          .label(MODEL_NAME, ServerEvent.LookupPrefetchEnd::modelName).label(CACHE_SALT, ServerEvent.LookupPrefetchEnd::cacheSalt)).row();

  public static final Metric LOOKUP_HIT = TABLE.counter("lmcache_mp.lookup_hit", Unit.TOKENS, "Tokens that lookups found, as a prefix.")
      .answers(HIT_RATE).note(SAME_EVENT).note(MANY_SALTS)
      .add(Source.value(ServerEvent.LookupPrefetchEnd.class, "hit_tokens", ServerEvent.LookupPrefetchEnd::hitTokens)
          .label(MODEL_NAME, ServerEvent.LookupPrefetchEnd::modelName).label(CACHE_SALT, ServerEvent.LookupPrefetchEnd::cacheSalt)).row();

  public static final Metric CHUNKS_LOADED = TABLE.counter("lmcache_mp.num_chunks_loaded", Unit.NONE, "Chunks delivered to each engine worker.")
      .answers("How many chunks does each worker load; is the demand uneven, is a rank underserved? By model and tenant: who causes the load?")
      .note("worker_id is the engine_id of the event.").note(MANY_SALTS)
      .add(Source.value(ServerEvent.RetrieveEnd.class, "retrieved_count", ServerEvent.RetrieveEnd::retrievedCount)
          .label("worker_id", ServerEvent.RetrieveEnd::engineId).label(MODEL_NAME, ServerEvent.RetrieveEnd::modelName).label(CACHE_SALT, ServerEvent.RetrieveEnd::cacheSalt)).row();

  public static final Metric TIMEOUTS = TABLE.counter("lmcache_mp.timeouts", Unit.NONE, "Timeout exceptions raised.")
      .answers("How often do operations time out, and of which kind?")
      .note("Stays near zero in a healthy server; a rising rate is an overloaded or stuck queue, transfer or adapter.")
      .add(Source.each(ServerEvent.TimeoutRaised.class).label("exception_type", ServerEvent.TimeoutRaised::exceptionType)).row();

  public static final Metric ACTIVE_PREFETCH_JOBS = TABLE.gauge("lmcache_mp.active_prefetch_jobs", Unit.NONE, "Prefetch jobs in flight.")
      .answers("How many prefetches are in flight? A high value that stays points at a slow L2 or at clients that poll late.")
      .calculated("jobs at the collection").row();

  public static final Metric BLOCK_LIFETIME = TABLE.histogram("lmcache_mp.l0_block_lifetime", Unit.SECONDS, Buckets.SECONDS, "Time from a GPU block's allocation to its eviction.")
      .answers(L0_CHURN).note(L0_SAMPLED).attributes(INSTANCE_ID, MODEL_NAME)
      .calculated("eviction time − allocation time, per sampled block")
      .from(ServerEvent.BlockAllocation.class).row();

  public static final Metric BLOCK_IDLE_BEFORE_EVICT = TABLE.histogram("lmcache_mp.l0_block_idle_before_evict", Unit.SECONDS, Buckets.SECONDS, "Time from a GPU block's last access to its eviction.")
      .answers(L0_CHURN).note(L0_SAMPLED).attributes(INSTANCE_ID, MODEL_NAME)
      .calculated("eviction time − last access time, per sampled block")
      .from(ServerEvent.BlockAllocation.class).row();

  public static final Metric BLOCK_REUSE_GAP = TABLE.histogram("lmcache_mp.l0_block_reuse_gap", Unit.SECONDS, Buckets.SECONDS, "Time between two accesses of a cached GPU block.")
      .answers(L0_CHURN).note(L0_SAMPLED).attributes(INSTANCE_ID, MODEL_NAME)
      .calculated("time between consecutive accesses of a block; its allocation is the first")
      .from(ServerEvent.BlockAllocation.class).row();

  public static final Metric COPY_STORE_THROUGHPUT = TABLE.histogram("lmcache_mp.l0_l1_store_throughput", Unit.GIGABYTES_PER_SECOND, Buckets.GIGABYTES_PER_SECOND, "Throughput of a copy from the GPU to L1.")
      .answers(COPIES).note(STREAM_TIME).note(EXEMPLAR).attributes(ENGINE_ID, DEVICE, MODEL_NAME)
      .calculated("total_bytes / (end − start) / 1e9, per (session_id, device)")
      .from(ServerEvent.StoreStart.class, ServerEvent.StoreEnd.class).row();

  public static final Metric COPY_LOAD_THROUGHPUT = TABLE.histogram("lmcache_mp.l0_l1_load_throughput", Unit.GIGABYTES_PER_SECOND, Buckets.GIGABYTES_PER_SECOND, "Throughput of a copy from L1 to the GPU.")
      .answers(COPIES).note(STREAM_TIME).note(EXEMPLAR).attributes(ENGINE_ID, DEVICE, MODEL_NAME)
      .calculated("total_bytes / (end − start) / 1e9, per (session_id, device)")
      .from(ServerEvent.RetrieveStart.class, ServerEvent.RetrieveEnd.class).row();

  public static final Metric QUEUE_DEPTH = TABLE.gauge("lmcache_mp.event_bus.queue_depth", Unit.NONE, "Events that wait for their dispatch.")
      .answers(BUS_HEALTH).calculated("events queued at the collection").row();

  public static final Metric DRAIN_LAG = TABLE.gauge("lmcache_mp.event_bus.drain_lag_seconds", Unit.SECONDS, "Age of the oldest event that is queued or being dispatched.")
      .answers(BUS_HEALTH).calculated("now − the time at which it was published; 0 when there is none").row();

  public static final Metric DROPPED_EVENTS = TABLE.observableCounter("lmcache_mp.event_bus.dropped_events_total", Unit.NONE, "Events that were dropped.")
      .answers(BUS_HEALTH).calculated("events dropped since the start: the queue was full, the bus had stopped or gave up at a stop, or the event was null").row();

  public static final Metric SUBSCRIBER_EXCEPTIONS = TABLE.observableCounter("lmcache_mp.event_bus.subscriber_exceptions", Unit.NONE, "Exceptions that subscribers threw.")
      .answers(BUS_HEALTH).attributes("subscriber_name").calculated("exceptions since the start, per subscriber")
      .note("subscriber_name is the simple name of the subscriber's class, or the name that it was given; two of one name share a series. It is there with 0 for every registered subscriber.").row();

  public static final Metric DROPS_BY_TYPE = TABLE.observableCounter("lmcache_mp.event_bus.drops_by_type", Unit.NONE, "Events that were dropped, by what they were.")
      .additional().answers("Which events were lost: which other numbers are too small?").attributes("event_type")
      .calculated("dropped events since the start, per event type; sums to dropped_events_total")
      .note("event_type is the event's wire name, `null` for a null event, `custom` for the embedder's own.").row();

  public static final Metric TRACKER_EVICTIONS = TABLE.observableCounter("lmcache_mp.tracker_evictions", Unit.NONE, "Entries that a tracker of earlier events dropped at its bound or age limit.")
      .additional().answers("Which histograms miss samples, because more was open or alive than their tracker may remember?").attributes("tracker")
      .calculated("entries dropped since the start, per tracker")
      .note("`l1_lifecycle`: chunks of L1; `real_reuse`: chunks and salts of real reuse; `l0_lifecycle`: GPU blocks; `l0_l1_pairs` and `l1_l2_pairs`: copies and transfers whose end did not come in time.").row();

  public static final Metric RECORDING_ERRORS = TABLE.observableCounter("lmcache_mp.recording_errors", Unit.NONE, "What bad values cost.")
      .additional().answers("Does the server report anything that cannot be counted?").attributes("reason")
      .calculated("errors since the start, per reason")
      .note("`invalid_field`: an event was not made, a field of it was null or out of range. `invalid_value`: a value of a key, of a gauge or of a sample was unusable, or a transfer took no time; it alone is missing. `stream_failed`: a stream refused the callback that publishes an event.").row();

  public static final Metric OPEN_SPANS = TABLE.gauge("lmcache_mp.tracing.open_spans", Unit.NONE, "Spans that are open.")
      .additional().answers("Do requests end? A value that only rises says that ends are missing; at maxOpenSpans the oldest go.")
      .calculated("open spans at the collection").note(WHILE_TRACING).row();

  public static final Metric INCOMPLETE_SPANS = TABLE.observableCounter("lmcache_mp.tracing.incomplete_spans", Unit.NONE, "Spans that were ended before their end was reported.")
      .additional().answers("Which spans are cut short, and why?").attributes("reason")
      .calculated("spans since the start, per reason")
      .note("`abandoned`: a lookup still open at the end of its request. `expired`, `evicted`: open for longer than openSpanTimeout, or too many for maxOpenSpans. `shutdown`: open at close. Each is exported with the attribute `incomplete`.").note(WHILE_TRACING).row();

  public static final Metric DROPPED_SPANS = TABLE.observableCounter("lmcache_mp.tracing.dropped_spans", Unit.NONE, "Spans that ended and were not exported.")
      .additional().answers("Is the export of spans too slow, or does the collector refuse them?")
      .calculated("spans since the start that the full queue of an exporter did not take, or whose export failed")
      .note("Absent with an OpenTelemetry of the embedder's. A span that two exporters lose counts twice. The queue is OTEL_BSP_MAX_QUEUE_SIZE.").note(WHILE_TRACING).row();

  public static final Metric CONTRACT_VIOLATIONS = TABLE.observableCounter("lmcache_mp.contract_violations", Unit.NONE, "Events that do not go with those before them.")
      .additional().answers("Does the server report what the contract says, and does the bus keep up? An event that was dropped leaves its other half alone.").attributes("rule")
      .calculated("violations since the start, per rule")
      .note("`stray_start`: a second start of a request or lookup while one is open. `stray_end`: an end without a start. `missing_start`: a SUBMITTED whose start did not come in time. `invalid_traceparent`: a request's traceparent is not the W3C's. The event is ignored otherwise.").note(WHILE_TRACING).row();
  // spotless:on

  private ServerMetrics() {}
}
