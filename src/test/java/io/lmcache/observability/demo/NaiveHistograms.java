package io.lmcache.observability.demo;

import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.catalog.MetricCatalog;
import io.lmcache.observability.testing.Distribution;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The right samples of the histograms that a replay by the trace's time feeds, found slowly: the
 * same cache and the same clock written a second time, straight from their description. Everything
 * is in the sample. Shares no code with the replay and knows nothing of its events.
 */
final class NaiveHistograms {

  private static final double CHUNK_BYTES = 2 * 1024 * 1024;
  private static final long GPU_MICROS = 100;
  private static final long L2_MICROS = 1000;
  private static final long LONGEST_WAIT_MICROS = 300_000_000;
  private static final Map<String, String> NONE = Map.of();
  private static final Map<String, String> COPY =
      Map.of("engine_id", "0", "device", "cuda:0", "model_name", "demo-model");
  private static final Map<String, String> TRANSFER = Map.of("l2_name", "fs");

  private final int capacity;
  private final Map<String, Map<Map<String, String>, List<Double>>> samples = new HashMap<>();

  /** Microseconds from the start of the trace. */
  private long now;

  /** From the one that was not used for longest to the one that was used last. */
  private final Set<String> l1 = new LinkedHashSet<>();

  private final Set<String> l2 = new HashSet<>();

  /** When a chunk's life began, when it was last touched, and, after its life, when that ended. */
  private final Map<String, Long> born = new HashMap<>();

  private final Map<String, Long> touched = new HashMap<>();
  private final Map<String, Long> died = new HashMap<>();

  /** How often each salt's chunks were accessed, and the time and that number of the last time. */
  private final Map<String, Long> accesses = new HashMap<>();

  private final Map<String, Long> lastAccess = new HashMap<>();
  private final Map<String, Long> lastAccessNumber = new HashMap<>();

  private NaiveHistograms(int capacity) {
    this.capacity = capacity;
  }

  /** The histograms by metric and labels, from the first request until all is over. */
  static Map<String, Map<Map<String, String>, Distribution>> of(
      List<TraceRequest> requests, int l1Chunks, int tenants) {
    NaiveHistograms replay = new NaiveHistograms(l1Chunks);
    for (int line = 0; line < requests.size(); line++) {
      TraceRequest request = requests.get(line);
      replay.now = Math.max(replay.now, 1000 * request.timestampMillis());
      replay.handle("tenant-" + (line % tenants), request.hashIds());
    }
    for (int left = replay.died.size(); left > 0; left--) {
      replay.seconds("lmcache_mp.l1_chunk_evict_reuse_gap", NONE, LONGEST_WAIT_MICROS);
    }
    return replay.distributions();
  }

  /** In the buckets of the catalogue. */
  private Map<String, Map<Map<String, String>, Distribution>> distributions() {
    Map<String, Map<Map<String, String>, Distribution>> all = new TreeMap<>();
    for (Metric row : MetricCatalog.all()) {
      Map<Map<String, String>, Distribution> series = new HashMap<>();
      samples
          .getOrDefault(row.name(), Map.of())
          .forEach((labels, values) -> series.put(labels, Distribution.of(values, row.buckets())));
      if (!series.isEmpty()) {
        all.put(row.name(), series);
      }
    }
    return all;
  }

  private void handle(String salt, List<Long> ids) {
    List<String> keys = ids.stream().map(id -> salt + " " + id).toList();
    int hit = prefetch(keys);
    if (hit > 0) {
      List<String> read = keys.subList(0, hit);
      read.forEach(this::use);
      read.forEach(this::touch);
      access(salt, read, true);
      take("lmcache_mp.l0_l1_load_throughput", COPY, hit, GPU_MICROS);
    }
    keep(salt, keys.subList(hit, keys.size()));
  }

  /** Loads what L2 has of the keys from the first that L1 has not; how many leading keys it has. */
  private int prefetch(List<String> keys) {
    int hit = 0;
    List<String> missing = new ArrayList<>();
    while (hit < keys.size() && (l1.contains(keys.get(hit)) || l2.contains(keys.get(hit)))) {
      if (!l1.contains(keys.get(hit))) {
        missing.add(keys.get(hit));
      }
      hit++;
    }
    if (!missing.isEmpty()) {
      take("lmcache_mp.l2_load_throughput", TRANSFER, missing.size(), L2_MICROS);
      List<String> evicted = new ArrayList<>();
      missing.forEach(key -> insert(key, evicted));
      missing.forEach(this::write);
      evicted.forEach(this::evict);
    }
    return hit;
  }

  private void keep(String salt, List<String> keys) {
    List<String> written = new ArrayList<>();
    List<String> evicted = new ArrayList<>();
    for (String key : keys) {
      if (l1.contains(key)) {
        use(key);
      } else {
        insert(key, evicted);
        written.add(key);
      }
    }
    if (written.isEmpty()) {
      return;
    }
    written.forEach(this::write);
    access(salt, written, false);
    evicted.forEach(this::evict);
    take("lmcache_mp.l0_l1_store_throughput", COPY, written.size(), GPU_MICROS);
    int fresh = 0;
    for (String key : written) {
      if (l2.add(key)) {
        fresh++;
      }
    }
    if (fresh > 0) {
      take("lmcache_mp.l2_store_throughput", TRANSFER, fresh, L2_MICROS);
    }
  }

  private void use(String key) {
    if (l1.remove(key)) {
      l1.add(key);
    }
  }

  private void insert(String key, List<String> evicted) {
    use(key);
    l1.add(key);
    if (capacity != 0 && l1.size() > capacity) {
      String victim = l1.iterator().next();
      l1.remove(victim);
      evicted.add(victim);
    }
  }

  /** A write begins a life, or touches one and begins it anew. */
  private void write(String key) {
    touch(key);
    Long end = died.remove(key);
    if (end != null) {
      long gap = Math.min(now - end, LONGEST_WAIT_MICROS);
      seconds("lmcache_mp.l1_chunk_evict_reuse_gap", NONE, gap);
    }
    born.put(key, now);
    touched.put(key, now);
  }

  /** Does nothing to a chunk that does not live. */
  private void touch(String key) {
    Long last = touched.get(key);
    if (last != null) {
      seconds("lmcache_mp.l1_chunk_reuse_gap", NONE, now - last);
      touched.put(key, now);
    }
  }

  private void evict(String key) {
    Long birth = born.remove(key);
    Long last = touched.remove(key);
    if (birth != null && last != null) {
      seconds("lmcache_mp.l1_chunk_lifetime", NONE, now - birth);
      seconds("lmcache_mp.l1_chunk_idle_before_evict", NONE, now - last);
      died.put(key, now);
    }
  }

  /** A chunk that stands twice in a step is accessed once. */
  private void access(String salt, List<String> keys, boolean isRead) {
    Map<String, String> labels = Map.of("cache_salt", salt);
    for (String key : new LinkedHashSet<>(keys)) {
      long number = accesses.merge(salt, 1L, Long::sum);
      Long lastTime = lastAccess.put(key, now);
      Long lastNumber = lastAccessNumber.put(key, number);
      if (isRead && lastTime != null && lastNumber != null) {
        seconds("lmcache_mp.real_reuse_gap", labels, now - lastTime);
        sample("lmcache_mp.real_reuse_gap_objects", labels, (double) (number - lastNumber));
      }
    }
  }

  /** Copies chunks, which takes its time. */
  private void take(String metric, Map<String, String> labels, int chunks, long microsPerChunk) {
    long micros = chunks * microsPerChunk;
    sample(metric, labels, chunks * CHUNK_BYTES / (micros / 1e6) / 1e9);
    now += micros;
  }

  private void seconds(String metric, Map<String, String> labels, long micros) {
    sample(metric, labels, micros / 1e6);
  }

  private void sample(String metric, Map<String, String> labels, double value) {
    samples
        .computeIfAbsent(metric, name -> new HashMap<>())
        .computeIfAbsent(labels, series -> new ArrayList<>())
        .add(value);
  }
}
