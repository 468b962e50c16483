package io.lmcache.observability.internal.metrics.correlation;

/**
 * Which requests have which blocks: found from either side, and released from either side. For one
 * thread.
 */
final class BlockOwners {

  /* Implementation notes: an entry of the slab is one request that has one block. Its hash is the
   * request, so a request's entries share a bucket; its field HI is the block, its field ORDER the
   * previous and the next entry of the block, whose own field keeps the first in its left half. */

  private final LruTable blocks;
  private final int first;
  private final int max;
  private final HashSlab entries = new HashSlab(HashSlab.FIELDS);

  /**
   * @param first the field of a block in whose left half its first entry is kept
   */
  BlockOwners(LruTable blocks, int first, int max) {
    this.blocks = blocks;
    this.first = first;
    this.max = max;
  }

  boolean isFull() {
    return entries.size() >= max;
  }

  boolean hasAny(int block) {
    return blocks.left(block, first) != 0;
  }

  /** Looks among the block's requests and among the request's blocks; the shorter list decides. */
  boolean has(int block, long request) {
    int ofBlock = blocks.left(block, first);
    int ofRequest = entries.first(request);
    while (ofBlock != 0 && ofRequest != 0) {
      if (entries.get(ofBlock, HashSlab.LO) == request || is(ofRequest, block, request)) {
        return true;
      }
      ofBlock = entries.right(ofBlock, HashSlab.ORDER);
      ofRequest = entries.next(ofRequest);
    }
    return false;
  }

  private boolean is(int entry, int block, long request) {
    return entries.get(entry, HashSlab.LO) == request && entries.get(entry, HashSlab.HI) == block;
  }

  void add(int block, long request) {
    int entry = entries.insert(block, request);
    int second = blocks.left(block, first);
    entries.set(entry, HashSlab.ORDER, second);
    if (second != 0) {
      entries.setLeft(second, HashSlab.ORDER, entry);
    }
    blocks.setLeft(block, first, entry);
  }

  /** Takes all requests off a block. */
  void release(int block) {
    int entry = blocks.left(block, first);
    while (entry != 0) {
      int after = entries.right(entry, HashSlab.ORDER);
      entries.delete(entry);
      entry = after;
    }
    blocks.setLeft(block, first, 0);
  }

  /** Takes a request off all its blocks. */
  void releaseAll(long request) {
    int entry = entries.first(request);
    while (entry != 0) {
      int after = entries.next(entry);
      if (entries.get(entry, HashSlab.LO) == request) {
        unlink(entry);
        entries.delete(entry);
      }
      entry = after;
    }
  }

  private void unlink(int entry) {
    int before = entries.left(entry, HashSlab.ORDER);
    int after = entries.right(entry, HashSlab.ORDER);
    if (before == 0) {
      blocks.setLeft((int) entries.get(entry, HashSlab.HI), first, after);
    } else {
      entries.setRight(before, HashSlab.ORDER, after);
    }
    if (after != 0) {
      entries.setLeft(after, HashSlab.ORDER, before);
    }
  }
}
