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
   * @param at by the stamps
   * @param passed by the clock of the bus
   */
  private record Fact(Kind kind, Chunk chunk, long at, long passed) {}

  private final List<Fact> log = new ArrayList<>();
  private final int bound;
  private final Passed passed = new Passed();
  private long now;

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
    now = passed.by(step);
    expire(owed);
    if (step.event() instanceof L1Event.WriteFinished e) {
      e.keys().forEach(key -> write(Chunk.of(key), step.at(), owed));
    } else if (step.event() instanceof L1Event.WriteFinishedAndReadReserved e) {
      e.keys().forEach(key -> write(Chunk.of(key), step.at(), owed));
    } else if (step.event() instanceof L1Event.ReadFinished e) {
      e.keys().forEach(key -> read(Chunk.of(key), step.at(), owed));
    } else if (step.event() instanceof L1Event.KeysEvicted e) {
      e.keys().forEach(key -> evict(Chunk.of(key), step.at(), owed));
    }
    return owed;
  }

  private void write(Chunk chunk, long stamp, List<Owed> owed) {
    long at = stamp;
    if (isAlive(chunk)) {
      at = touch(chunk, stamp, owed);
    } else if (isAwaited(chunk)) {
      at = Model.inOrder(lastFact(chunk), stamp);
      long gap = at - lastFact(chunk);
      owed.add(Owed.nanos(chunk, L1Metrics.CHUNK_EVICT_REUSE_GAP, Math.min(gap, CAP)));
    } else {
      makeRoom();
    }
    log.add(new Fact(Kind.WRITE, chunk, at, now));
  }

  private void read(Chunk chunk, long stamp, List<Owed> owed) {
    if (isAlive(chunk)) {
      log.add(new Fact(Kind.READ, chunk, touch(chunk, stamp, owed), now));
    }
  }

  private long touch(Chunk chunk, long stamp, List<Owed> owed) {
    long at = Model.inOrder(lastFact(chunk), stamp);
    owed.add(Owed.nanos(chunk, L1Metrics.CHUNK_REUSE_GAP, at - lastFact(chunk)));
    return at;
  }

  private void evict(Chunk chunk, long stamp, List<Owed> owed) {
    if (isAlive(chunk)) {
      long at = Model.inOrder(lastFact(chunk), stamp);
      long end = Model.inOrder(lastWrite(chunk), at);
      owed.add(Owed.nanos(chunk, L1Metrics.CHUNK_LIFETIME, end - lastWrite(chunk)));
      owed.add(Owed.nanos(chunk, L1Metrics.CHUNK_IDLE_BEFORE_EVICT, at - lastFact(chunk)));
      log.add(new Fact(Kind.EVICTION, chunk, at, now));
    }
  }

  private void expire(List<Owed> owed) {
    for (Chunk chunk : known()) {
      if (isAwaited(chunk) && now - last(story(chunk)).passed >= CAP) {
        owed.add(Owed.nanos(chunk, L1Metrics.CHUNK_EVICT_REUSE_GAP, CAP));
        log.add(new Fact(Kind.OVER, chunk, 0, now));
      }
    }
  }

  private void makeRoom() {
    Set<Chunk> known = known();
    if (known.size() == bound) {
      log.add(new Fact(Kind.DROP, known.iterator().next(), 0, now));
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
