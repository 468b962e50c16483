package io.lmcache.observability.demo;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;

/**
 * A cache of two tiers: L1 of a bounded number of chunks, of which the least recently used one has
 * to go, and L2 without a bound. It holds no data, only which chunks are where. Not thread-safe.
 */
final class TwoTierCache<K> {

  /**
   * What one request did, in the order in which it happened.
   *
   * @param l1PrefixCount leading keys that L1 had
   * @param walkedCount keys after those that L1 or L2 had
   * @param loaded of these the ones that only L2 had
   * @param evictedByLoad what had to leave L1 for them
   * @param hit all keys that were served
   * @param put keys after the hit that were put into L1
   * @param evictedByPut what had to leave L1 for them
   * @param stored of the keys put the ones that are new in L2
   */
  record Outcome<K>(
      int l1PrefixCount,
      int walkedCount,
      List<K> loaded,
      List<K> evictedByLoad,
      List<K> hit,
      List<K> put,
      List<K> evictedByPut,
      List<K> stored) {}

  private final int capacity;
  private final RecencyMap<K> l1 = new RecencyMap<>();
  private final Set<K> l2 = new HashSet<>();

  /** An empty cache; capacity 0 is without a bound. */
  TwoTierCache(int capacity) {
    this.capacity = capacity;
  }

  int l1Count() {
    return l1.size();
  }

  int l2Count() {
    return l2.size();
  }

  /** Looks the keys of a request up, serves those that are found and keeps the others. */
  Outcome<K> serve(List<K> keys) {
    int prefix = 0;
    while (prefix < keys.size() && l1.containsKey(keys.get(prefix))) {
      prefix++;
    }
    List<K> loaded = new ArrayList<>();
    int end = prefix;
    for (; end < keys.size(); end++) {
      K key = keys.get(end);
      if (!l1.containsKey(key)) {
        if (!l2.contains(key)) {
          break;
        }
        loaded.add(key);
      }
    }
    List<K> evictedByLoad = new ArrayList<>();
    loaded.forEach(key -> put(key, evictedByLoad));

    List<K> hit = List.copyOf(keys.subList(0, end));
    hit.forEach(l1::touch);

    List<K> put = new ArrayList<>();
    List<K> evictedByPut = new ArrayList<>();
    for (K key : keys.subList(end, keys.size())) {
      if (!l1.touch(key)) {
        put(key, evictedByPut);
        put.add(key);
      }
    }
    List<K> stored = put.stream().filter(l2::add).toList();
    return new Outcome<>(
        prefix,
        end - prefix,
        List.copyOf(loaded),
        List.copyOf(evictedByLoad),
        hit,
        List.copyOf(put),
        List.copyOf(evictedByPut),
        List.copyOf(stored));
  }

  private void put(K key, List<K> evicted) {
    l1.put(key, Boolean.TRUE);
    if (capacity > 0 && l1.size() > capacity) {
      evicted.add(l1.removeEldest());
    }
  }

  /** Keys from the least to the most recently used. */
  private static final class RecencyMap<K> extends LinkedHashMap<K, Boolean> {

    private static final long serialVersionUID = 1;

    RecencyMap() {
      super(16, 0.75f, true);
    }

    /** Makes the key the most recently used one, if it is there. */
    boolean touch(K key) {
      return get(key) != null;
    }

    K removeEldest() {
      Iterator<K> eldest = keySet().iterator();
      K key = eldest.next();
      eldest.remove();
      return key;
    }
  }
}
