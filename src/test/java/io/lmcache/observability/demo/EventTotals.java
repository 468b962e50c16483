package io.lmcache.observability.demo;

import io.lmcache.observability.bus.Subscriber;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.L2Event;
import io.lmcache.observability.event.ObjectKey;
import io.lmcache.observability.event.ServerEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Counts, by hand and from the events alone, what the metrics of the replay should say. */
final class EventTotals implements Subscriber {

  final Totals totals = new Totals();
  final List<Event> events = new ArrayList<>();

  @Override
  public void onEvent(Event event, long epochNanos) {
    events.add(event);
    if (event instanceof L1Event l1) {
      count(l1);
    } else if (event instanceof L2Event l2) {
      count(l2);
    } else if (event instanceof ServerEvent.LookupPrefetchEnd end) {
      totals.add("lmcache_mp.lookup_requested", end.cacheSalt(), end.requestedTokens());
      totals.add("lmcache_mp.lookup_hit", end.cacheSalt(), end.hitTokens());
    } else if (event instanceof ServerEvent.RetrieveEnd end) {
      totals.add("lmcache_mp.num_chunks_loaded", end.cacheSalt(), end.retrievedCount());
    }
  }

  private void count(L1Event event) {
    if (event instanceof L1Event.ReadFinished read) {
      each("lmcache_mp.l1_read", read.keys());
    } else if (event instanceof L1Event.WriteFinished write) {
      each("lmcache_mp.l1_write", write.keys());
    } else if (event instanceof L1Event.WriteFinishedAndReadReserved write) {
      each("lmcache_mp.l1_write", write.keys());
    } else if (event instanceof L1Event.KeysEvicted evicted) {
      each("lmcache_mp.l1_evicted", evicted.keys());
    }
  }

  private void count(L2Event event) {
    if (event instanceof L2Event.PrefetchLookupSubmitted lookup) {
      totals.add("lmcache_mp.l2_prefetch_lookup", "", 1);
      each("lmcache_mp.l2_prefetch_lookup_objects", lookup.keyCountPerSalt());
    } else if (event instanceof L2Event.PrefetchLookupCompleted lookup) {
      totals.add("lmcache_mp.l2_prefetch_hit", "", lookup.prefixHitCount());
    } else if (event instanceof L2Event.PrefetchLoadSubmitted load) {
      totals.add("lmcache_mp.l2_prefetch_load_submitted", "", load.adapterCount());
      each("lmcache_mp.l2_prefetch_load_submitted_objects", load.keyCountPerSalt());
    } else if (event instanceof L2Event.PrefetchLoadCompleted load) {
      each("lmcache_mp.l2_prefetch_load_completed", load.keyCountPerSalt());
    } else if (event instanceof L2Event.LoadTaskCompleted) {
      totals.add("lmcache_mp.l2_load_completed", "", 1);
    } else if (event instanceof L2Event.StoreSubmitted store) {
      totals.add("lmcache_mp.l2_store_submitted", "", 1);
      each("lmcache_mp.l2_store_submitted_objects", store.keyCountPerSalt());
    } else if (event instanceof L2Event.StoreCompleted store) {
      totals.add("lmcache_mp.l2_store_completed", "", 1);
      each("lmcache_mp.l2_store_completed_objects", store.keyCountPerSalt());
    }
  }

  private void each(String metric, List<? extends ObjectKey> keys) {
    keys.forEach(key -> totals.add(metric, key.cacheSalt(), 1));
  }

  private void each(String metric, Map<String, Long> counts) {
    counts.forEach((salt, count) -> totals.add(metric, salt, count));
  }
}
