package io.lmcache.observability.internal.metrics.correlation;

import io.lmcache.observability.catalog.L1Metrics;
import io.lmcache.observability.event.ObjectKey;
import io.lmcache.observability.event.StorageEvent;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The gaps between accesses of chunks, whichever rank or model they are of. */
final class RealReuseModel implements Model {

  /** The two facts of a key that count here. */
  record Chunk(String salt, String hash) {
    static Chunk of(ObjectKey key) {
      return new Chunk(key.cacheSalt(), HexFormat.of().formatHex(key.chunkHash()));
    }
  }

  private interface Fact {}

  private record Access(Chunk chunk, long at) implements Fact {}

  private record ChunkDrop(Chunk chunk) implements Fact {}

  private record SaltDrop(String salt) implements Fact {}

  private final List<Fact> log = new ArrayList<>();
  private final int maxChunks;
  private final int maxSalts;

  RealReuseModel(int maxChunks, int maxSalts) {
    this.maxChunks = maxChunks;
    this.maxSalts = maxSalts;
  }

  @Override
  public String tracker() {
    return "real_reuse";
  }

  @Override
  public long evictions() {
    return log.stream().filter(fact -> !(fact instanceof Access)).count();
  }

  @Override
  public List<Owed> on(Step step) {
    List<Owed> owed = new ArrayList<>();
    if (step.event() instanceof StorageEvent.ReadPrefetchedFinished e) {
      chunks(e.succeededKeys()).forEach(chunk -> access(chunk, step.at(), true, owed));
    } else if (step.event() instanceof StorageEvent.WriteFinished e) {
      chunks(e.succeededKeys()).forEach(chunk -> access(chunk, step.at(), false, owed));
    }
    return owed;
  }

  private static List<Chunk> chunks(List<? extends ObjectKey> keys) {
    return keys.stream().map(Chunk::of).distinct().toList();
  }

  private void access(Chunk chunk, long stamp, boolean read, List<Owed> owed) {
    makeRoom(chunk);
    int last = lastAccess(chunk);
    Access before = last < 0 ? null : (Access) log.get(last);
    long at = before == null ? stamp : Model.inOrder(before.at, stamp);
    if (read && before != null) {
      String salt = chunk.salt;
      owed.add(Owed.nanos(chunk, L1Metrics.REAL_REUSE_GAP, at - before.at, salt));
      List<Fact> since = log.subList(last + 1, log.size());
      if (!since.contains(new SaltDrop(salt))) {
        long others =
            since.stream().filter(f -> f instanceof Access a && a.chunk.salt.equals(salt)).count();
        owed.add(Owed.of(chunk, L1Metrics.REAL_REUSE_GAP_OBJECTS, others + 1.0, salt));
      }
    }
    log.add(new Access(chunk, at));
  }

  private void makeRoom(Chunk chunk) {
    Set<Chunk> chunks = chunks();
    if (!chunks.contains(chunk) && chunks.size() == maxChunks) {
      log.add(new ChunkDrop(chunks.iterator().next()));
    }
    Set<String> salts = salts();
    if (!salts.contains(chunk.salt) && salts.size() == maxSalts) {
      log.add(new SaltDrop(salts.iterator().next()));
    }
  }

  /** The chunks that are known, the one not seen for longest first. */
  private Set<Chunk> chunks() {
    Set<Chunk> known = new LinkedHashSet<>();
    for (Fact fact : log) {
      if (fact instanceof Access access) {
        known.remove(access.chunk);
        known.add(access.chunk);
      } else if (fact instanceof ChunkDrop drop) {
        known.remove(drop.chunk);
      }
    }
    return known;
  }

  /** The salts whose accesses are counted, the one not seen for longest first. */
  private Set<String> salts() {
    Set<String> counted = new LinkedHashSet<>();
    for (Fact fact : log) {
      if (fact instanceof Access access) {
        counted.remove(access.chunk.salt);
        counted.add(access.chunk.salt);
      } else if (fact instanceof SaltDrop drop) {
        counted.remove(drop.salt);
      }
    }
    return counted;
  }

  /** Where in the log a chunk was accessed last; -1 if it was not since it was dropped. */
  private int lastAccess(Chunk chunk) {
    int last = -1;
    for (int i = 0; i < log.size(); i++) {
      if (log.get(i) instanceof Access access && access.chunk.equals(chunk)) {
        last = i;
      } else if (log.get(i) instanceof ChunkDrop drop && drop.chunk.equals(chunk)) {
        last = -1;
      }
    }
    return last;
  }
}
