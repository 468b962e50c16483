package io.lmcache.observability.internal.metrics.correlation;

/**
 * A bounded table of entries known by 128 bits, in the order in which they were last seen. For one
 * thread. A full table takes no entry: the user lets one go first.
 */
final class LruTable extends HashSlab {

  private final int max;
  private final Order order = new Order(this, ORDER);

  /**
   * @param stride the longs of an entry, {@link #FIELDS} and the user's
   * @param max how many entries there may be
   */
  LruTable(int stride, int max) {
    super(stride);
    this.max = max;
  }

  boolean isFull() {
    return size() >= max;
  }

  /** The entry of these 128 bits, or 0. */
  int find(long hi, long lo) {
    int slot = first(lo);
    while (slot != 0 && (get(slot, LO) != lo || get(slot, HI) != hi)) {
      slot = next(slot);
    }
    return slot;
  }

  /** Adds an entry as the newest; its other fields are 0. */
  int add(long hi, long lo) {
    if (isFull()) {
      throw new IllegalStateException("the table is full");
    }
    int slot = insert(hi, lo);
    order.add(slot);
    return slot;
  }

  /** Makes an entry the newest. */
  void touch(int slot) {
    order.renew(slot);
  }

  /** The entry that was not seen for longest, or 0. */
  int oldest() {
    return order.first();
  }

  void remove(int slot) {
    order.remove(slot);
    delete(slot);
  }
}
