package io.lmcache.observability.catalog;

import static io.lmcache.observability.catalog.Source.KeyLabel.BY_MODEL;

import io.lmcache.observability.catalog.Metric.Buckets;
import io.lmcache.observability.event.L2Event;

/** The rows of L2, the storage adapters. */
public final class L2Metrics {

  static final Metric.Table TABLE = new Metric.Table();

  private static final String L2_NAME = "l2_name";
  private static final String ADAPTER_INDEX = "adapter_index";
  private static final String STORES =
      "How many chunks are being pushed to L2, and what share of the tasks comes to an end?";
  private static final String PREFETCHES =
      "How effective is the prefetch from L2, what is its hit rate?";
  private static final String IOPS =
      "There is no metric of operations per second: rate() over this counter is it, per backend.";
  private static final String END_TO_END =
      "From submission to completion, so queueing, network and disk are in it: bytes over"
          + " end-to-end latency, good for comparing adapters and seeing regressions, not for the"
          + " peak bandwidth of a fabric. Every task gives one sample.";
  private static final String THROUGHPUT =
      "What throughput does each L2 adapter deliver end to end; which keep up with the demand?";
  private static final String TWO_OF_A_TYPE =
      "adapter_index tells two adapters of one type apart. An adapter without work in flight has"
          + " no series.";

  // spotless:off
  public static final Metric STORE_SUBMITTED = TABLE.counter("lmcache_mp.l2_store_submitted", Unit.REQUESTS, "Store tasks submitted to L2.")
      .answers(STORES)
      .add(Source.each(L2Event.StoreSubmitted.class)).row();

  public static final Metric STORE_SUBMITTED_OBJECTS = TABLE.counter("lmcache_mp.l2_store_submitted_objects", Unit.CHUNKS, "Chunks submitted to L2 for storing.")
      .answers(STORES)
      .add(Source.salts(L2Event.StoreSubmitted.class, L2Event.StoreSubmitted::keyCountPerSalt)).row();

  public static final Metric STORE_COMPLETED = TABLE.counter("lmcache_mp.l2_store_completed", Unit.REQUESTS, "Store tasks that L2 completed.")
      .answers(STORES).note(IOPS)
      .add(Source.each(L2Event.StoreCompleted.class).label(L2_NAME, L2Event.StoreCompleted::l2Name)).row();

  public static final Metric STORE_COMPLETED_OBJECTS = TABLE.counter("lmcache_mp.l2_store_completed_objects", Unit.CHUNKS, "Chunks that L2 stored.")
      .answers("How many chunks reach L2; against l2_store_submitted_objects, what fraction fails?")
      .add(Source.salts(L2Event.StoreCompleted.class, L2Event.StoreCompleted::keyCountPerSalt)).row();

  public static final Metric PREFETCH_LOOKUP = TABLE.counter("lmcache_mp.l2_prefetch_lookup", Unit.REQUESTS, "Prefetch lookups submitted to L2.")
      .answers(PREFETCHES)
      .add(Source.each(L2Event.PrefetchLookupSubmitted.class)).row();

  public static final Metric PREFETCH_LOOKUP_OBJECTS = TABLE.counter("lmcache_mp.l2_prefetch_lookup_objects", Unit.CHUNKS, "Chunks that L2 was asked for.")
      .answers(PREFETCHES)
      .add(Source.salts(L2Event.PrefetchLookupSubmitted.class, L2Event.PrefetchLookupSubmitted::keyCountPerSalt)).row();

  public static final Metric PREFETCH_HIT = TABLE.counter("lmcache_mp.l2_prefetch_hit", Unit.CHUNKS, "Chunks that a prefetch lookup found, as a prefix.")
      .answers(PREFETCHES)
      .add(Source.value(L2Event.PrefetchLookupCompleted.class, "prefix_hit_count", L2Event.PrefetchLookupCompleted::prefixHitCount)).row();

  public static final Metric PREFETCH_LOAD_SUBMITTED = TABLE.counter("lmcache_mp.l2_prefetch_load_submitted", Unit.REQUESTS, "Load tasks submitted to L2 adapters.")
      .answers(PREFETCHES)
      .note("Counts the tasks, one for each adapter that a load touches, not the loads.")
      .add(Source.value(L2Event.PrefetchLoadSubmitted.class, "adapter_count", L2Event.PrefetchLoadSubmitted::adapterCount)).row();

  public static final Metric PREFETCH_LOAD_SUBMITTED_OBJECTS = TABLE.counter("lmcache_mp.l2_prefetch_load_submitted_objects", Unit.CHUNKS, "Chunks submitted to L2 for loading.")
      .answers(PREFETCHES)
      .add(Source.salts(L2Event.PrefetchLoadSubmitted.class, L2Event.PrefetchLoadSubmitted::keyCountPerSalt)).row();

  public static final Metric PREFETCH_LOAD_COMPLETED = TABLE.counter("lmcache_mp.l2_prefetch_load_completed", Unit.CHUNKS, "Chunks loaded from L2.")
      .answers(PREFETCHES)
      .add(Source.salts(L2Event.PrefetchLoadCompleted.class, L2Event.PrefetchLoadCompleted::keyCountPerSalt)).row();

  public static final Metric LOAD_COMPLETED = TABLE.counter("lmcache_mp.l2_load_completed", Unit.REQUESTS, "Load tasks that L2 adapters completed.")
      .answers("How many loads does each backend complete?").note(IOPS)
      .add(Source.each(L2Event.LoadTaskCompleted.class).label(L2_NAME, L2Event.LoadTaskCompleted::l2Name)).row();

  public static final Metric EVICTED_OBJECTS = TABLE.counter("lmcache_mp.l2_evicted_objects", Unit.CHUNKS, "Chunks evicted from L2.")
      .answers("How many chunks is L2 evicting, and which tenants are losing data?")
      .note("Its Prometheus name leaves `objects` out.")
      .prometheusBase("lmcache_mp.l2_evicted")
      .add(Source.salts(L2Event.KeysEvicted.class, L2Event.KeysEvicted::keyCountPerSalt)).row();

  public static final Metric PREFETCH_FAILURE = TABLE.counter("lmcache_mp.l2_prefetch_failure", Unit.CHUNKS, "Chunks that L2 had reported and that did not reach L1.")
      .answers("Of the keys that L2 reported present: was L1 full (l1_oom), or could the adapter not deliver (not_found)?")
      .note("The set of reasons is open: a new one, such as a failed deserialisation, shows up as a new value.")
      .note("There is no counter of expired read locks: the lock of the original cannot tell.")
      .add(Source.keys(L2Event.PrefetchFailed.class, L2Event.PrefetchFailed::keys, BY_MODEL).label("reason", L2Event.PrefetchFailed::reason)).row();

  public static final Metric STORE_THROUGHPUT = TABLE.histogram("lmcache_mp.l2_store_throughput", Unit.GIGABYTES_PER_SECOND, Buckets.GIGABYTES_PER_SECOND, "Throughput of a store from L1 to L2.")
      .answers(THROUGHPUT).note(END_TO_END)
      .note("Counts the bytes that were really written: an adapter that skips keys it has already would look infinitely fast otherwise. A task that wrote nothing gives no sample.")
      .attributes(L2_NAME)
      .calculated("bytes_transferred / (completed − submitted) / 1e9, per (adapter_index, task_id)")
      .from(L2Event.StoreSubmitted.class, L2Event.StoreCompleted.class).row();

  public static final Metric LOAD_THROUGHPUT = TABLE.histogram("lmcache_mp.l2_load_throughput", Unit.GIGABYTES_PER_SECOND, Buckets.GIGABYTES_PER_SECOND, "Throughput of a load from L2 to L1.")
      .answers(THROUGHPUT).note(END_TO_END)
      .note("Counts the bytes that were submitted. The events of the whole request cannot be used: they add up several adapters.")
      .attributes(L2_NAME)
      .calculated("total_bytes / (completed − submitted) / 1e9, per (request_id, adapter_index)")
      .from(L2Event.LoadTaskSubmitted.class, L2Event.LoadTaskCompleted.class).row();

  public static final Metric USAGE = TABLE.gauge("lmcache_mp.l2_usage_bytes", Unit.BYTES, "Bytes held in L2.")
      .answers("How much does each L2 backend hold; does one need eviction or a purge; are they uneven?")
      .attributes(L2_NAME)
      .calculated("bytes in use at the collection, the adapters of one type added up")
      .note("An adapter whose probe throws is left out of the sum.").row();

  public static final Metric INFLIGHT_STORES = TABLE.gauge("lmcache_mp.num_inflight_l2_stores", Unit.NONE, "Store tasks in flight.")
      .answers("Are stores piling up on an adapter? Values that stay above zero mean that it cannot keep up with the writes from L1.")
      .attributes(L2_NAME, ADAPTER_INDEX).note(TWO_OF_A_TYPE)
      .calculated("store tasks in flight at the collection, per adapter").row();

  public static final Metric INFLIGHT_LOADS = TABLE.gauge("lmcache_mp.num_inflight_l2_loads", Unit.NONE, "Prefetch loads in flight.")
      .answers("Are prefetches from L2 backing up? Beside num_inflight_l2_stores: do reads or writes dominate a backend?")
      .attributes(L2_NAME, ADAPTER_INDEX).note(TWO_OF_A_TYPE)
      .calculated("loads in flight at the collection, per adapter").row();

  public static final Metric INFLIGHT_LOAD_BYTES = TABLE.gauge("lmcache_mp.inflight_load_memory_usage_bytes", Unit.BYTES, "Bytes of L1 that prefetches in flight have reserved and not filled yet.")
      .answers("How much of L1 is reserved by prefetches? Rising together with l1_memory_usage_bytes it says that reservations crowd out cacheable data.")
      .attributes(L2_NAME, ADAPTER_INDEX).note(TWO_OF_A_TYPE)
      .note("A prefetch may load from several adapters; each byte belongs to exactly one, so sums over adapters count nothing twice.")
      .calculated("reserved bytes at the collection, per adapter").row();
  // spotless:on

  private L2Metrics() {}
}
