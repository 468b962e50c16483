package io.lmcache.observability.demo;

import io.lmcache.observability.testing.Skip;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The public trace whose right numbers are known, for one tenant and two capacities of L1. */
final class KnownTrace {

  private KnownTrace() {}

  /** The requests of the file in the system property {@code trace}; without it, skips the test. */
  static List<TraceRequest> read() throws IOException {
    String path = System.getProperty("trace", "");
    Skip.unless(!path.isEmpty(), "no trace: give the path of synthetic_trace.jsonl by -Dtrace=…");
    return TraceReader.read(Path.of(path));
  }

  /** The totals by metric; for 0 (no bound) and for 8,000 chunks. */
  static Map<String, Long> numbers(int l1Chunks) {
    boolean bounded = l1Chunks == 8000;
    Map<String, Long> numbers = new LinkedHashMap<>();
    numbers.put("lmcache_mp.lookup_requested", 62_401_024L);
    numbers.put("lmcache_mp.lookup_hit", 39_911_936L);
    numbers.put("lmcache_mp.l1_read", 77_953L);
    numbers.put("lmcache_mp.num_chunks_loaded", 77_953L);
    numbers.put("lmcache_mp.l1_write", bounded ? 76_419L : 43_924L);
    numbers.put("lmcache_mp.l1_evicted", bounded ? 68_419L : 0);
    numbers.put("lmcache_mp.l2_prefetch_lookup", bounded ? 3890L : 3780L);
    numbers.put("lmcache_mp.l2_prefetch_lookup_objects", bounded ? 76_603L : 43_924L);
    numbers.put("lmcache_mp.l2_prefetch_hit", bounded ? 32_679L : 0);
    numbers.put("lmcache_mp.l2_prefetch_load_submitted_objects", bounded ? 32_495L : 0);
    numbers.put("lmcache_mp.l2_prefetch_load_completed", bounded ? 32_495L : 0);
    numbers.put("lmcache_mp.l2_load_completed", bounded ? 779L : 0);
    numbers.put("lmcache_mp.l2_store_submitted", 3780L);
    numbers.put("lmcache_mp.l2_store_completed", 3780L);
    numbers.put("lmcache_mp.l2_store_submitted_objects", 43_924L);
    numbers.put("lmcache_mp.l2_store_completed_objects", 43_924L);
    return numbers;
  }
}
