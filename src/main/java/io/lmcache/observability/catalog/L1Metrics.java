package io.lmcache.observability.catalog;

import static io.lmcache.observability.catalog.Source.CACHE_SALT;
import static io.lmcache.observability.catalog.Source.KeyLabel.BY_MODEL;
import static io.lmcache.observability.catalog.Source.KeyLabel.BY_SALT;

import io.lmcache.observability.catalog.Metric.Buckets;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.L1Event.AllocationPurpose;
import io.lmcache.observability.event.L1Event.ReadFailure;
import io.lmcache.observability.event.L1Event.ReadPurpose;
import io.lmcache.observability.event.StorageEvent;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** The rows of L1, the cache in host memory. */
public final class L1Metrics {

  static final Metric.Table TABLE = new Metric.Table();

  private static final String SAMPLED =
      "Only a sample of the chunks is tracked (1 % unless set otherwise); counters count all.";
  private static final String L1_CHURN =
      "How long do chunks live in L1, how idle are they when they go, and how soon are evicted"
          + " ones wanted again?";

  // spotless:off
  public static final Metric READ = TABLE.counter("lmcache_mp.l1_read", Unit.CHUNKS, "Chunks read from L1.")
      .answers("How many chunks are being read from L1?")
      .note("L1_READ_RESERVED moves no metric: a read counts when it is complete.")
      .add(Source.keys(L1Event.ReadFinished.class, L1Event.ReadFinished::keys, BY_SALT)).row();

  public static final Metric WRITE = TABLE.counter("lmcache_mp.l1_write", Unit.CHUNKS, "Chunks written to L1.")
      .answers("How many chunks are being written to L1?")
      .note("L1_WRITE_RESERVED moves no metric: a write counts when it is complete.")
      .note("The atomic write-then-read of a prefetch counts like any other write.")
      .add(Source.keys(L1Event.WriteFinished.class, L1Event.WriteFinished::keys, BY_SALT))
      .add(Source.keys(L1Event.WriteFinishedAndReadReserved.class, L1Event.WriteFinishedAndReadReserved::keys, BY_SALT)).row();

  public static final Metric EVICTED = TABLE.counter("lmcache_mp.l1_evicted", Unit.CHUNKS, "Chunks evicted from L1.")
      .answers("How aggressively is L1 being cleared?")
      .add(Source.keys(L1Event.KeysEvicted.class, L1Event.KeysEvicted::keys, BY_SALT)).row();

  public static final Metric EVICTION_LOOP_TICKS = TABLE.counter("lmcache_mp.l1_eviction_loop_ticks", Unit.NONE, "Turns of the L1 eviction loop.")
      .answers("Is the eviction loop alive?")
      .note("Beside l1_eviction_loop_triggered it tells a loop that stays below the watermark from one that fires; a workload that is over within a second may never give a loop of one turn a second the chance.")
      .add(Source.each(L1Event.EvictionLoopTick.class)).row();

  public static final Metric EVICTION_LOOP_TRIGGERED = TABLE.counter("lmcache_mp.l1_eviction_loop_triggered", Unit.NONE, "Turns of the L1 eviction loop that evicted.")
      .answers("Is the eviction loop firing, or does it stay below the watermark?")
      .add(Source.when(L1Event.EvictionLoopTick.class, "triggered", true, L1Event.EvictionLoopTick::triggered)).row();

  public static final Metric USAGE_RATIO = TABLE.gauge("lmcache_mp.l1_usage_ratio", Unit.RATIO, "Share of L1 memory that is in use.")
      .answers("How full is L1 now?")
      .calculated("used / total at the collection; 0 when the total is 0")
      .note("The state at the moment of the collection, not a sample of the eviction loop's.").row();

  public static final Metric ALLOCATION_FAILURE = TABLE.counter("lmcache_mp.l1_allocation_failure", Unit.CHUNKS, "Chunks for which L1 had no memory.")
      .answers("How often does L1 turn writes away for lack of memory, and is it user stores or prefetches from L2 that suffer?")
      .note("Per model; which server it was is told by the resource's service.instance.id.")
      .note("Once an event has named a model in a field of its own, its series are there with 0.")
      .add(Source.keys(L1Event.AllocationFailed.class, L1Event.AllocationFailed::keys, BY_MODEL)
          .label("during", e -> e.during().wireName(), values(AllocationPurpose.values(), AllocationPurpose::wireName))).row();

  public static final Metric READ_FAILURE = TABLE.counter("lmcache_mp.l1_read_failure", Unit.CHUNKS, "Chunks that a lookup had found and that then could not be read.")
      .answers("Are chunks lost between lookup and read?")
      .note("An anomaly after the lookup, not a cache miss: it stays near zero in a healthy server; anything else is a race between lookup and reservation or an eviction that should not have been.")
      .note("Once an event has named a model in a field of its own, its series are there with 0.")
      .add(Source.keys(L1Event.ReadFailed.class, L1Event.ReadFailed::keys, BY_MODEL)
          .label("during", e -> e.during().wireName(), values(ReadPurpose.values(), ReadPurpose::wireName))
          .label("reason", e -> e.reason().wireName(), values(ReadFailure.values(), ReadFailure::wireName))).row();

  public static final Metric CHUNK_LIFETIME = TABLE.histogram("lmcache_mp.l1_chunk_lifetime", Unit.SECONDS, Buckets.SECONDS, "Time from a chunk's write to its eviction from L1.")
      .answers(L1_CHURN).note(SAMPLED)
      .calculated("eviction time − allocation time, per sampled chunk")
      .from(L1Event.KeysEvicted.class).row();

  public static final Metric CHUNK_IDLE_BEFORE_EVICT = TABLE.histogram("lmcache_mp.l1_chunk_idle_before_evict", Unit.SECONDS, Buckets.SECONDS, "Time from a chunk's last access to its eviction from L1.")
      .answers(L1_CHURN).note(SAMPLED)
      .calculated("eviction time − last access time, per sampled chunk")
      .from(L1Event.KeysEvicted.class).row();

  public static final Metric CHUNK_REUSE_GAP = TABLE.histogram("lmcache_mp.l1_chunk_reuse_gap", Unit.SECONDS, Buckets.SECONDS, "Time between two touches of a chunk in L1.")
      .answers(L1_CHURN).note(SAMPLED)
      .calculated("time between consecutive touches (reads and writes) of the same chunk")
      .from(L1Event.ReadFinished.class, L1Event.WriteFinished.class, L1Event.WriteFinishedAndReadReserved.class).row();

  public static final Metric CHUNK_EVICT_REUSE_GAP = TABLE.histogram("lmcache_mp.l1_chunk_evict_reuse_gap", Unit.SECONDS, Buckets.SECONDS, "Time from a chunk's eviction from L1 to its next write, at most 300 s.")
      .answers(L1_CHURN).note(SAMPLED)
      .note("A chunk that is not written again within 300 s counts once, as 300 s, when they are over.")
      .calculated("min(time from eviction to the next finished write, 300 s)")
      .from(L1Event.KeysEvicted.class, L1Event.WriteFinished.class, L1Event.WriteFinishedAndReadReserved.class).row();

  public static final Metric REAL_REUSE_GAP = TABLE.histogram("lmcache_mp.real_reuse_gap", Unit.SECONDS, Buckets.SECONDS, "Time from a chunk's last access to its next read.")
      .answers("How long must a chunk be kept to be read again: what does its storage cost?").note(SAMPLED)
      .attributes(CACHE_SALT)
      .calculated("time from the last access (read or write) to a read; recorded on reads only")
      .from(StorageEvent.ReadPrefetchedFinished.class, StorageEvent.WriteFinished.class).row();

  public static final Metric REAL_REUSE_GAP_OBJECTS = TABLE.histogram("lmcache_mp.real_reuse_gap_objects", Unit.CHUNKS, Buckets.CHUNKS, "Accesses of a tenant between a chunk's last access and its next read.")
      .answers("How much must be kept for a chunk to be read again: what volume of storage does it take?").note(SAMPLED)
      .attributes(CACHE_SALT)
      .calculated("difference of the tenant's access counter, which every read and write of every chunk advances; recorded on reads of sampled chunks only")
      .from(StorageEvent.ReadPrefetchedFinished.class, StorageEvent.WriteFinished.class).row();

  public static final Metric MEMORY_USAGE = TABLE.gauge("lmcache_mp.l1_memory_usage_bytes", Unit.BYTES, "Bytes held in L1.")
      .answers("How full is the L1 cache: is it sized for its working set, does it leak (climb without ever levelling off)?")
      .calculated("bytes in use at the collection").row();
  // spotless:on

  private L1Metrics() {}

  private static <T> List<String> values(T[] constants, Function<T, String> wireName) {
    return Arrays.stream(constants).map(wireName).toList();
  }
}
