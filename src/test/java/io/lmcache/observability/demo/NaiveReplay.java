package io.lmcache.observability.demo;

import java.util.ArrayList;
import java.util.List;

/**
 * The right answers, found slowly: the same cache written a second time, with lists and strings
 * only, straight from its description. Shares no code with the replay.
 */
final class NaiveReplay {

  private final int capacity;
  private final Totals totals = new Totals();

  /** From the one that was not used for longest to the one that was used last. */
  private final List<String> l1 = new ArrayList<>();

  private final List<String> l2 = new ArrayList<>();

  private NaiveReplay(int capacity) {
    this.capacity = capacity;
  }

  static Totals totals(List<TraceRequest> requests, int l1Chunks, int tenants) {
    NaiveReplay replay = new NaiveReplay(l1Chunks);
    for (int line = 0; line < requests.size(); line++) {
      replay.handle("tenant-" + (line % tenants), requests.get(line).hashIds());
    }
    return replay.totals;
  }

  private void handle(String salt, List<Long> ids) {
    List<String> keys = new ArrayList<>();
    for (long id : ids) {
      keys.add(salt + " " + id);
    }

    int prefix = 0;
    while (prefix < keys.size() && l1.contains(keys.get(prefix))) {
      prefix++;
    }
    int served = prefix;
    if (prefix < keys.size()) {
      totals.add("lmcache_mp.l2_prefetch_lookup", "", 1);
      totals.add("lmcache_mp.l2_prefetch_lookup_objects", salt, keys.size() - prefix);
      served = prefetch(salt, keys, prefix);
      totals.add("lmcache_mp.l2_prefetch_hit", "", served - prefix);
    }
    totals.add("lmcache_mp.lookup_requested", salt, 512L * keys.size());
    totals.add("lmcache_mp.lookup_hit", salt, 512L * served);

    totals.add("lmcache_mp.l1_read", salt, served);
    totals.add("lmcache_mp.num_chunks_loaded", salt, served);
    for (int i = 0; i < served; i++) {
      use(keys.get(i));
    }
    keep(salt, keys, served);
  }

  private int prefetch(String salt, List<String> keys, int from) {
    List<String> missing = new ArrayList<>();
    int end = from;
    while (end < keys.size() && (l1.contains(keys.get(end)) || l2.contains(keys.get(end)))) {
      if (!l1.contains(keys.get(end))) {
        missing.add(keys.get(end));
      }
      end++;
    }
    if (!missing.isEmpty()) {
      totals.add("lmcache_mp.l2_prefetch_load_submitted", "", 1);
      totals.add("lmcache_mp.l2_prefetch_load_submitted_objects", salt, missing.size());
      totals.add("lmcache_mp.l2_load_completed", "", 1);
      totals.add("lmcache_mp.l2_prefetch_load_completed", salt, missing.size());
      totals.add("lmcache_mp.l1_write", salt, missing.size());
      for (String key : missing) {
        insert(key);
      }
    }
    return end;
  }

  private void keep(String salt, List<String> keys, int from) {
    List<String> written = new ArrayList<>();
    for (int i = from; i < keys.size(); i++) {
      if (l1.contains(keys.get(i))) {
        use(keys.get(i));
      } else {
        insert(keys.get(i));
        written.add(keys.get(i));
      }
    }
    totals.add("lmcache_mp.l1_write", salt, written.size());
    int fresh = 0;
    for (String key : written) {
      if (!l2.contains(key)) {
        l2.add(key);
        fresh++;
      }
    }
    if (fresh > 0) {
      totals.add("lmcache_mp.l2_store_submitted", "", 1);
      totals.add("lmcache_mp.l2_store_completed", "", 1);
      totals.add("lmcache_mp.l2_store_submitted_objects", salt, fresh);
      totals.add("lmcache_mp.l2_store_completed_objects", salt, fresh);
    }
  }

  private void use(String key) {
    if (l1.remove(key)) {
      l1.add(key);
    }
  }

  private void insert(String key) {
    l1.remove(key);
    l1.add(key);
    if (capacity != 0 && l1.size() > capacity) {
      String victim = l1.remove(0);
      totals.add("lmcache_mp.l1_evicted", victim.substring(0, victim.indexOf(' ')), 1);
    }
  }
}
