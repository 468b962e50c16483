package io.lmcache.observability.internal.metrics.correlation;

import static io.lmcache.observability.internal.metrics.correlation.Step.SECOND;

import io.lmcache.observability.catalog.L1Metrics;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.ObjectKey;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The lives of chunks in L1. */
final class L1LifecycleModel implements Model {

  private static final long CAP = 300 * SECOND;

  private enum Kind {
    WRITE,
    READ,
    EVICTION,
    /** The cap passed after an eviction. */
    OVER,
    /** Made room for another. */
    DROP
  }

  /** The four facts of a key. */
  record Chunk(String model, String salt, String hash, int rank) {
    static Chunk of(ObjectKey key) {
      return new Chunk(
          key.modelName(),
          key.cacheSalt(),
          HexFormat.of().formatHex(key.chunkHash()),
          key.kvRank());
    }
  }

  /**
   * What does nothing is none: a read or an eviction of a chunk that is not alive.
   *
   * @param clock the time of the bus, which an event may bring an older time than
   */
  private record Fact(Kind kind, Chunk chunk, long at, long clock) {}

  private final List<Fact> log = new ArrayList<>();
  private final int bound;
  private long lastTick;

  L1LifecycleModel(int bound) {
    this.bound = bound;
  }

  @Override
  public String tracker() {
    return "l1_lifecycle";
  }

  @Override
  public long evictions() {
    return log.stream().filter(fact -> fact.kind == Kind.DROP).count();
  }

  @Override
  public List<Owed> on(Step step) {
    List<Owed> owed = new ArrayList<>();
    if (step.event() instanceof L1Event.WriteFinished e) {
      e.keys().forEach(key -> write(Chunk.of(key), step.at(), owed));
    } else if (step.event() instanceof L1Event.WriteFinishedAndReadReserved e) {
      e.keys().forEach(key -> write(Chunk.of(key), step.at(), owed));
    } else if (step.event() instanceof L1Event.ReadFinished e) {
      e.keys().forEach(key -> read(Chunk.of(key), step.at(), owed));
    } else if (step.event() instanceof L1Event.KeysEvicted e) {
      e.keys().forEach(key -> evict(Chunk.of(key), step.at(), owed));
    } else if (step.isTick()) {
      tick(step.at(), owed);
    }
    return owed;
  }

  private void write(Chunk chunk, long at, List<Owed> owed) {
    if (isAlive(chunk)) {
      owed.add(Owed.nanos(chunk, L1Metrics.CHUNK_REUSE_GAP, at - lastFact(chunk)));
    } else if (isAwaited(chunk)) {
      long gap = at - lastFact(chunk);
      owed.add(Owed.nanos(chunk, L1Metrics.CHUNK_EVICT_REUSE_GAP, Math.min(gap, CAP)));
    } else {
      makeRoom();
    }
    log.add(fact(Kind.WRITE, chunk, at));
  }

  private void read(Chunk chunk, long at, List<Owed> owed) {
    if (isAlive(chunk)) {
      owed.add(Owed.nanos(chunk, L1Metrics.CHUNK_REUSE_GAP, at - lastFact(chunk)));
      log.add(fact(Kind.READ, chunk, at));
    }
  }

  private void evict(Chunk chunk, long at, List<Owed> owed) {
    if (isAlive(chunk)) {
      owed.add(Owed.nanos(chunk, L1Metrics.CHUNK_LIFETIME, at - lastWrite(chunk)));
      owed.add(Owed.nanos(chunk, L1Metrics.CHUNK_IDLE_BEFORE_EVICT, at - lastFact(chunk)));
      log.add(fact(Kind.EVICTION, chunk, at));
    }
  }

  private Fact fact(Kind kind, Chunk chunk, long at) {
    return new Fact(kind, chunk, at, Math.max(at, lastTick));
  }

  private void tick(long at, List<Owed> owed) {
    lastTick = at;
    for (Chunk chunk : known()) {
      if (isAwaited(chunk) && at - last(story(chunk)).clock >= CAP) {
        owed.add(Owed.nanos(chunk, L1Metrics.CHUNK_EVICT_REUSE_GAP, CAP));
        log.add(fact(Kind.OVER, chunk, at));
      }
    }
  }

  private void makeRoom() {
    Set<Chunk> known = known();
    if (known.size() == bound) {
      log.add(fact(Kind.DROP, known.iterator().next(), 0));
    }
  }

  /** The chunks that are known, the one not seen for longest first. */
  private Set<Chunk> known() {
    Set<Chunk> known = new LinkedHashSet<>();
    for (Fact fact : log) {
      known.remove(fact.chunk);
      if (fact.kind != Kind.OVER && fact.kind != Kind.DROP) {
        known.add(fact.chunk);
      }
    }
    return known;
  }

  /** What happened to a chunk since the write that made it known; empty if it is not known. */
  private List<Fact> story(Chunk chunk) {
    List<Fact> story = new ArrayList<>();
    for (Fact fact : log) {
      if (!fact.chunk.equals(chunk)) {
        continue;
      }
      story.add(fact);
      if (fact.kind == Kind.OVER || fact.kind == Kind.DROP) {
        story.clear();
      }
    }
    return story;
  }

  private boolean isAlive(Chunk chunk) {
    List<Fact> story = story(chunk);
    return !story.isEmpty() && last(story).kind != Kind.EVICTION;
  }

  /** Evicted, and not written since. */
  private boolean isAwaited(Chunk chunk) {
    List<Fact> story = story(chunk);
    return !story.isEmpty() && last(story).kind == Kind.EVICTION;
  }

  /** When the present life began: a write starts it anew. */
  private long lastWrite(Chunk chunk) {
    return last(story(chunk).stream().filter(fact -> fact.kind == Kind.WRITE).toList()).at;
  }

  /** When a chunk that is alive was read or written last, or one that is awaited was evicted. */
  private long lastFact(Chunk chunk) {
    return last(story(chunk)).at;
  }

  private static Fact last(List<Fact> facts) {
    return facts.get(facts.size() - 1);
  }
}
