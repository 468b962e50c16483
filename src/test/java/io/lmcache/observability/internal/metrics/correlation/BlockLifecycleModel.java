package io.lmcache.observability.internal.metrics.correlation;

import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.catalog.ServerMetrics;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.event.ServerEvent.AllocationRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The lives of GPU blocks. */
final class BlockLifecycleModel implements Model {

  record Block(String instance, int id) {}

  /** What an allocation was to its block. */
  private enum Meaning {
    NEW_LIFE,
    ACCESS,
    CO_OWNER,
    NOTHING
  }

  private interface Fact {}

  private record Given(
      Block block, Meaning meaning, String request, List<Integer> tokens, String model, long at)
      implements Fact {}

  private record Ended(String request) implements Fact {}

  private record Drop(Block block) implements Fact {}

  private record Holding(Block block, String request) {}

  private final List<Fact> log = new ArrayList<>();
  private final int bound;

  BlockLifecycleModel(int bound) {
    this.bound = bound;
  }

  @Override
  public String tracker() {
    return "l0_lifecycle";
  }

  @Override
  public long evictions() {
    return log.stream().filter(Drop.class::isInstance).count();
  }

  @Override
  public List<Owed> on(Step step) {
    List<Owed> owed = new ArrayList<>();
    if (step.event() instanceof ServerEvent.EndSession e) {
      log.add(new Ended(e.requestId()));
    } else if (step.event() instanceof ServerEvent.BlockAllocation e) {
      for (AllocationRecord record : e.records()) {
        for (int i = 0; i < record.newBlockIds().length; i++) {
          Block block = new Block(e.instanceId(), record.newBlockIds()[i]);
          List<Integer> tokens = tokens(record, i);
          if (!tokens.isEmpty()) {
            give(block, record.reqId(), tokens, e.modelName(), step.at(), owed);
          }
        }
      }
    }
    return owed;
  }

  /** What the block at a position of a record gets of its tokens. */
  private static List<Integer> tokens(AllocationRecord record, int position) {
    List<Integer> all = Arrays.stream(record.newTokenIds()).boxed().toList();
    int size = (int) Math.ceil(all.size() / (double) record.newBlockIds().length);
    int from = Math.min(position * size, all.size());
    return all.subList(from, Math.min(from + size, all.size()));
  }

  private void give(
      Block block,
      String request,
      List<Integer> tokens,
      String model,
      long stamp,
      List<Owed> owed) {
    List<Given> life = life(block);
    long at = life.isEmpty() ? stamp : Model.inOrder(lastAccess(life), stamp);
    Set<String> owners = owners(block);
    Meaning meaning;
    if (life.isEmpty()) {
      makeRoom();
      meaning = Meaning.NEW_LIFE;
    } else if (!life.get(0).tokens.equals(tokens)) {
      long start = life.get(0).at;
      owed.add(sample(ServerMetrics.BLOCK_LIFETIME, life, Model.inOrder(start, at) - start));
      owed.add(sample(ServerMetrics.BLOCK_IDLE_BEFORE_EVICT, life, at - lastAccess(life)));
      meaning = Meaning.NEW_LIFE;
    } else if (owners.isEmpty()) {
      owed.add(sample(ServerMetrics.BLOCK_REUSE_GAP, life, at - lastAccess(life)));
      meaning = Meaning.ACCESS;
    } else if (!owners.contains(request)) {
      meaning = Meaning.CO_OWNER;
    } else {
      meaning = Meaning.NOTHING;
    }
    log.add(new Given(block, meaning, request, tokens, model, at));
    makeRoomForOwners(block, meaning);
  }

  /** A sample under the model that the life started with. */
  private static Owed sample(Metric metric, List<Given> life, long nanos) {
    Given start = life.get(0);
    return Owed.nanos(start.block, metric, nanos, start.block.instance, start.model);
  }

  private void makeRoom() {
    Set<Block> known = known();
    if (known.size() == bound) {
      log.add(new Drop(known.iterator().next()));
    }
  }

  /**
   * All in all, blocks have two owners each at the most; one that is shared yet more goes itself.
   */
  private void makeRoomForOwners(Block block, Meaning meaning) {
    while (holdings().size() > 2 * bound) {
      log.add(new Drop(meaning == Meaning.CO_OWNER ? block : known().iterator().next()));
    }
  }

  /** The blocks that are known, the one not seen for longest first. */
  private Set<Block> known() {
    Set<Block> known = new LinkedHashSet<>();
    for (Fact fact : log) {
      if (fact instanceof Given given) {
        known.remove(given.block);
        known.add(given.block);
      } else if (fact instanceof Drop drop) {
        known.remove(drop.block);
      }
    }
    return known;
  }

  /** What a block was given since its present life began, that first; empty if it has none. */
  private List<Given> life(Block block) {
    List<Given> life = new ArrayList<>();
    for (Fact fact : log) {
      if (fact instanceof Given given && given.block.equals(block)) {
        if (given.meaning == Meaning.NEW_LIFE) {
          life.clear();
        }
        life.add(given);
      } else if (fact.equals(new Drop(block))) {
        life.clear();
      }
    }
    return life;
  }

  private Set<String> owners(Block block) {
    return holdings().stream()
        .filter(holding -> holding.block.equals(block))
        .map(Holding::request)
        .collect(Collectors.toSet());
  }

  /** Who was given what in its present life and has not ended since. */
  private Set<Holding> holdings() {
    Set<Holding> all = new HashSet<>();
    for (Fact fact : log) {
      if (fact instanceof Given given) {
        if (given.meaning == Meaning.NEW_LIFE) {
          all.removeIf(holding -> holding.block.equals(given.block));
        }
        all.add(new Holding(given.block, given.request));
      } else if (fact instanceof Ended ended) {
        all.removeIf(holding -> holding.request.equals(ended.request));
      } else if (fact instanceof Drop drop) {
        all.removeIf(holding -> holding.block.equals(drop.block));
      }
    }
    return all;
  }

  private static long lastAccess(List<Given> life) {
    return life.stream()
        .filter(g -> g.meaning == Meaning.NEW_LIFE || g.meaning == Meaning.ACCESS)
        .reduce((earlier, later) -> later)
        .orElseThrow()
        .at;
  }
}
