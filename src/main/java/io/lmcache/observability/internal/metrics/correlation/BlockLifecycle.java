package io.lmcache.observability.internal.metrics.correlation;

import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.catalog.ServerMetrics;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.event.ServerEvent.AllocationRecord;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The lives of sampled GPU blocks, as the engine's reports of its allocations let them be seen: a
 * block is evicted when it is given other tokens, and used again when it is given the same ones
 * after every request that had it is over.
 */
final class BlockLifecycle implements Trackers.Tracker {

  private static final int ALLOCATED = HashSlab.FIELDS;
  private static final int LAST = HashSlab.FIELDS + 1;
  private static final int TOKENS = HashSlab.FIELDS + 2;

  /** The first owner, and the labels of the life. */
  private static final int OWNER_AND_LABELS = HashSlab.FIELDS + 3;

  /** How many owners there may be for each block that there may be. */
  private static final int OWNERS_PER_BLOCK = 2;

  private final Fingerprint identity;
  private final Fingerprint content = new Fingerprint(1);
  private final Fingerprint request = new Fingerprint(1);
  private final LruTable blocks;
  private final BlockOwners owners;
  private final LabelSets labels = new LabelSets();
  private final Samples lifetime;
  private final Samples idle;
  private final Samples reuse;
  private final AtomicLong evictions = new AtomicLong();

  BlockLifecycle(ObservabilityConfig config, Function<Metric, Samples> histograms) {
    this.identity = new Fingerprint(config.sampleRate());
    this.blocks = new LruTable(HashSlab.FIELDS + 4, config.maxTrackedBlocks());
    this.owners =
        new BlockOwners(blocks, OWNER_AND_LABELS, OWNERS_PER_BLOCK * config.maxTrackedBlocks());
    this.lifetime = histograms.apply(ServerMetrics.BLOCK_LIFETIME);
    this.idle = histograms.apply(ServerMetrics.BLOCK_IDLE_BEFORE_EVICT);
    this.reuse = histograms.apply(ServerMetrics.BLOCK_REUSE_GAP);
  }

  @Override
  public String name() {
    return "l0_lifecycle";
  }

  @Override
  public void register(Trackers.Routes routes) {
    routes.on(
        ServerEvent.BlockAllocation.class,
        (e, at) -> {
          for (AllocationRecord allocation : e.records()) {
            allocated(e, allocation, at);
          }
        });
    routes.on(
        ServerEvent.EndSession.class,
        (e, at) -> {
          request.of(e.requestId());
          owners.releaseAll(request.lo());
        });
  }

  private void allocated(ServerEvent.BlockAllocation event, AllocationRecord allocation, long now) {
    int[] ids = allocation.newBlockIds();
    int[] tokens = allocation.newTokenIds();
    if (ids.length == 0) {
      return;
    }
    request.of(allocation.reqId());
    int size = (int) (((long) tokens.length + ids.length - 1) / ids.length);
    for (int i = 0; i < ids.length && (long) i * size < tokens.length; i++) {
      identity.of(event.instanceId(), ids[i]);
      if (identity.isSampled()) {
        int from = i * size;
        content.of(tokens, from, Math.min(from + size, tokens.length));
        allocated(event, now);
      }
    }
  }

  /** One block that is given tokens, under the fingerprints that have been taken. */
  private void allocated(ServerEvent.BlockAllocation event, long now) {
    int block = blocks.find(identity.hi(), identity.lo());
    if (block == 0) {
      if (blocks.isFull()) {
        evict(blocks.oldest());
      }
      int life = labels.use(event.instanceId(), event.modelName());
      begin(blocks.add(identity.hi(), identity.lo()), life, now);
      return;
    }
    blocks.touch(block);
    long last = blocks.get(block, LAST);
    long at = Trackers.inOrder(last, now);
    if (blocks.get(block, TOKENS) != content.lo()) {
      String[] of = labels.get(labelsOf(block));
      long start = blocks.get(block, ALLOCATED);
      lifetime.recordNanos(Trackers.inOrder(start, at) - start, of);
      idle.recordNanos(at - last, of);
      int life = labels.use(event.instanceId(), event.modelName());
      end(block);
      begin(block, life, at);
    } else if (!owners.hasAny(block)) {
      reuse.recordNanos(at - last, labels.get(labelsOf(block)));
      blocks.set(block, LAST, at);
      own(block);
    } else if (!owners.has(block, request.lo())) {
      share(block);
    }
  }

  private void begin(int block, int life, long now) {
    blocks.set(block, ALLOCATED, now);
    blocks.set(block, LAST, now);
    blocks.set(block, TOKENS, content.lo());
    blocks.setRight(block, OWNER_AND_LABELS, life);
    own(block);
  }

  /** Makes the request the first owner; blocks that have not been seen for long make room. */
  private void own(int block) {
    while (owners.isFull()) {
      evict(blocks.oldest());
    }
    owners.add(block, request.lo());
  }

  /** Makes the request a further owner; where there is no room, the block is given up. */
  private void share(int block) {
    if (owners.isFull()) {
      evict(block);
    } else {
      owners.add(block, request.lo());
    }
  }

  private void evict(int block) {
    evictions.incrementAndGet();
    end(block);
    blocks.remove(block);
  }

  private void end(int block) {
    owners.release(block);
    labels.release(labelsOf(block));
  }

  private int labelsOf(int block) {
    return blocks.right(block, OWNER_AND_LABELS);
  }

  @Override
  public long evictions() {
    return evictions.get();
  }

  /** The labels that lives started with, each set kept as long as a life has it. */
  private static final class LabelSets {

    private record Labels(String instance, String model) {}

    private static final class Use {
      final Labels labels;
      final int number;
      int lives;

      Use(Labels labels, int number) {
        this.labels = labels;
        this.number = number;
      }
    }

    private final Map<Labels, Use> uses = new HashMap<>();
    private final List<@Nullable Use> byNumber = new ArrayList<>();
    private final ArrayDeque<Integer> free = new ArrayDeque<>();

    int use(String instance, String model) {
      Use use =
          uses.computeIfAbsent(
              new Labels(instance, model),
              labels -> {
                Integer number = free.poll();
                if (number == null) {
                  number = byNumber.size();
                  byNumber.add(null);
                }
                Use added = new Use(labels, number);
                byNumber.set(number, added);
                return added;
              });
      use.lives++;
      return use.number;
    }

    String[] get(int number) {
      Labels labels = used(number).labels;
      return new String[] {labels.instance, labels.model};
    }

    void release(int number) {
      Use use = used(number);
      if (--use.lives == 0) {
        uses.remove(use.labels);
        byNumber.set(number, null);
        free.add(number);
      }
    }

    private Use used(int number) {
      return Objects.requireNonNull(byNumber.get(number));
    }
  }
}
