package io.lmcache.observability.internal.metrics.correlation;

import java.util.Arrays;

/**
 * Entries of a few longs each, found by a 64-bit hash that several may share, in pages that are
 * never copied: growing costs a step for each entry that is added, and never a pause. Entries are
 * known by a slot number; 0 is none. For one thread.
 */
class HashSlab {

  /* Implementation notes: a linear hash. There are as many buckets as entries at the most; each
   * entry that is added beyond that splits the next bucket in turn. A bucket is a doubly linked
   * list through the field CHAIN, whose high half is the previous slot and low half the next. Free
   * slots form a list through the same field. */

  /** The first field of every entry; free for the user. */
  static final int HI = 0;

  /** The hash; its low bits choose the bucket. */
  static final int LO = 1;

  /** Two slots, for a list of the user's. */
  static final int ORDER = 2;

  private static final int CHAIN = 3;

  /** The number of fields that every entry has. */
  static final int FIELDS = 4;

  private static final int PAGE_SHIFT = 8;
  private static final int PAGE_MASK = (1 << PAGE_SHIFT) - 1;
  private static final int BUCKET_SHIFT = 10;
  private static final int BUCKET_MASK = (1 << BUCKET_SHIFT) - 1;

  private final int stride;
  private long[][] pages = new long[1][];
  private int[][] buckets = new int[1][];
  private int next = 1;
  private int free;
  private int size;
  private int level = 1;
  private int split;

  /** A list of entries, through a field of theirs that is 0 while they are not in it. */
  static final class Order {

    private final HashSlab slab;
    private final int field;
    private int first;
    private int last;

    Order(HashSlab slab, int field) {
      this.slab = slab;
      this.field = field;
    }

    /** The entry that was added before all others, or 0. */
    int first() {
      return first;
    }

    boolean has(int slot) {
      return slot == first || slab.get(slot, field) != 0;
    }

    void add(int slot) {
      slab.set(slot, field, (long) last << 32);
      if (last == 0) {
        first = slot;
      } else {
        slab.setRight(last, field, slot);
      }
      last = slot;
    }

    void remove(int slot) {
      int before = slab.left(slot, field);
      int after = slab.right(slot, field);
      if (before == 0) {
        first = after;
      } else {
        slab.setRight(before, field, after);
      }
      if (after == 0) {
        last = before;
      } else {
        slab.setLeft(after, field, before);
      }
      slab.set(slot, field, 0);
    }

    /** Makes an entry the last. */
    void renew(int slot) {
      if (slot != last) {
        remove(slot);
        add(slot);
      }
    }
  }

  /**
   * @param stride the longs of an entry, {@link #FIELDS} or more
   */
  HashSlab(int stride) {
    this.stride = stride;
    this.buckets[0] = new int[1 << BUCKET_SHIFT];
  }

  final int size() {
    return size;
  }

  final long get(int slot, int field) {
    return pages[slot >>> PAGE_SHIFT][(slot & PAGE_MASK) * stride + field];
  }

  final void set(int slot, int field, long value) {
    pages[slot >>> PAGE_SHIFT][(slot & PAGE_MASK) * stride + field] = value;
  }

  /** The high half of a field. */
  final int left(int slot, int field) {
    return (int) (get(slot, field) >>> 32);
  }

  /** The low half of a field. */
  final int right(int slot, int field) {
    return (int) get(slot, field);
  }

  final void setLeft(int slot, int field, int value) {
    set(slot, field, ((long) value << 32) | (get(slot, field) & 0xffffffffL));
  }

  final void setRight(int slot, int field, int value) {
    set(slot, field, (get(slot, field) & ~0xffffffffL) | (value & 0xffffffffL));
  }

  /** The first entry of the hash's bucket. */
  final int first(long hash) {
    return head(bucket(hash));
  }

  /** The entry behind another in its bucket. */
  final int next(int slot) {
    return right(slot, CHAIN);
  }

  /** Adds an entry whose other fields are 0. */
  final int insert(long hi, long hash) {
    if (size >= level + split) {
      splitBucket();
    }
    int slot = take();
    set(slot, HI, hi);
    set(slot, LO, hash);
    link(slot, bucket(hash));
    size++;
    return slot;
  }

  /** Takes an entry out; its slot will be used again. */
  final void delete(int slot) {
    unlink(slot, bucket(get(slot, LO)));
    size--;
    set(slot, CHAIN, free);
    free = slot;
  }

  private int take() {
    int slot = free;
    if (slot != 0) {
      free = right(slot, CHAIN);
    } else {
      slot = next;
      int page = slot >>> PAGE_SHIFT;
      if (page == pages.length) {
        pages = Arrays.copyOf(pages, page + (page >> 1) + 1);
      }
      if (pages[page] == null) {
        pages[page] = new long[stride << PAGE_SHIFT];
      }
      next++;
    }
    int start = (slot & PAGE_MASK) * stride;
    Arrays.fill(pages[slot >>> PAGE_SHIFT], start, start + stride, 0);
    return slot;
  }

  private int bucket(long hash) {
    int bucket = (int) hash & (level - 1);
    return bucket < split ? (int) hash & (2 * level - 1) : bucket;
  }

  private int head(int bucket) {
    return buckets[bucket >>> BUCKET_SHIFT][bucket & BUCKET_MASK];
  }

  private void setHead(int bucket, int slot) {
    buckets[bucket >>> BUCKET_SHIFT][bucket & BUCKET_MASK] = slot;
  }

  private void link(int slot, int bucket) {
    int head = head(bucket);
    set(slot, CHAIN, head);
    if (head != 0) {
      setLeft(head, CHAIN, slot);
    }
    setHead(bucket, slot);
  }

  private void unlink(int slot, int bucket) {
    int before = left(slot, CHAIN);
    int after = right(slot, CHAIN);
    if (before == 0) {
      setHead(bucket, after);
    } else {
      setRight(before, CHAIN, after);
    }
    if (after != 0) {
      setLeft(after, CHAIN, before);
    }
  }

  /** Moves half of the next bucket's entries to a new one. */
  private void splitBucket() {
    int old = split;
    int added = level + split;
    int page = added >>> BUCKET_SHIFT;
    if (page == buckets.length) {
      buckets = Arrays.copyOf(buckets, page + (page >> 1) + 1);
    }
    if (buckets[page] == null) {
      buckets[page] = new int[1 << BUCKET_SHIFT];
    }
    int slot = head(old);
    split++;
    while (slot != 0) {
      int after = next(slot);
      if (bucket(get(slot, LO)) == added) {
        unlink(slot, old);
        link(slot, added);
      }
      slot = after;
    }
    if (split == level) {
      level *= 2;
      split = 0;
    }
  }
}
