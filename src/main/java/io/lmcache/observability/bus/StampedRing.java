package io.lmcache.observability.bus;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue of elements with a time stamp each: many producers, one consumer, no locks.
 *
 * <p>It holds exactly as many elements as it was made for, in any number from 1 to {@link
 * #MAX_CAPACITY}, and costs 12 bytes a slot (16 without compressed references).
 */
final class StampedRing {

  /* Implementation notes.
   *
   * The positions stand in one array, those that different threads write 16 longs apart, so that
   * they do not share a cache line with each other or with the fields that all read.
   *
   * Positions are sequence numbers that never wrap. tail is the next one to claim; a producer
   * claims it by compare-and-set, writes the stamp (plain), then, past a release fence, the element
   * (plain). The element is what the consumer waits for (acquire), so it sees the stamp. The
   * consumer clears the slot (plain) and then advances head (release); a producer that has read
   * this head, or a limit that another producer derived from it (both acquire), may use the slot
   * again.
   *
   * A claim that is never filled would hold up the queue for good. So nothing that follows it needs
   * more stack than the claim itself: a producer that runs out of stack does so before.
   *
   * limit caches head + capacity, so that producers leave the consumer's cache line alone until
   * the cached value is used up. It only ever lags, which costs a look at head, never a slot.
   *
   * close() sets bit CLOSED of tail: every later claim sees a tail beyond any limit and fails.
   * Positions stay below 2^61, so the bit is free.
   *
   * completed follows head: an element is in dispatch between the two. dispatchStamp is written
   * before head advances and read between two equal readings of completed. completed is advanced
   * by an atomic add, because discard() may run on another thread during the last dispatch.
   *
   * wakeAt is the position whose claim takes the queue past half full, or NEVER while the consumer
   * is awake. The consumer writes it and then reads tail; a producer claims and then reads wakeAt
   * (all four volatile): one of them sees the other.
   */

  static final int MAX_CAPACITY = 4_194_304;

  private static final long CLOSED = 1L << 62;
  private static final long NEVER = -1;

  private static final VarHandle ELEMENTS = MethodHandles.arrayElementVarHandle(Object[].class);
  private static final VarHandle POSITIONS = MethodHandles.arrayElementVarHandle(long[].class);

  private static final int TAIL = 16;
  private static final int LIMIT = 32;
  private static final int WAKE_AT = 33;
  private static final int HEAD = 48;
  private static final int COMPLETED = 49;
  private static final int DISPATCH_STAMP = 50;
  private static final int CURSOR = 51;
  private static final int POSITIONS_LENGTH = 64;

  private final int capacity;
  private final long reciprocal;
  private final int shift;
  private final @Nullable Object[] elements;
  private final long[] stamps;
  private final long[] positions = new long[POSITIONS_LENGTH];

  /**
   * @throws IllegalArgumentException if the capacity is out of range
   */
  StampedRing(int capacity) {
    this(capacity, 0);
  }

  /** Starts at a position, as if so many elements had been through already. */
  StampedRing(int capacity, long position) {
    if (capacity < 1 || capacity > MAX_CAPACITY) {
      throw new IllegalArgumentException(
          "maxQueueSize is not in 1 … " + MAX_CAPACITY + ": " + capacity);
    }
    this.capacity = capacity;
    this.shift = 32 - Integer.numberOfLeadingZeros(capacity - 1);
    this.reciprocal =
        BigInteger.ONE
            .shiftLeft(62 + shift)
            .add(BigInteger.valueOf(capacity - 1L))
            .divide(BigInteger.valueOf(capacity))
            .longValueExact();
    this.elements = new Object[capacity];
    this.stamps = new long[capacity];
    positions[TAIL] = position;
    positions[HEAD] = position;
    positions[COMPLETED] = position;
    positions[CURSOR] = slot(position);
    positions[LIMIT] = position + capacity;
    positions[WAKE_AT] = NEVER;
  }

  int capacity() {
    return capacity;
  }

  /** Adds an element; its position, or -1 when the ring is full or closed. */
  long offer(Object element, long stamp) {
    long claimable = (long) POSITIONS.getAcquire(positions, LIMIT);
    long position;
    int slot;
    do {
      position = (long) POSITIONS.getVolatile(positions, TAIL);
      if (position >= claimable) {
        if ((position & CLOSED) != 0) {
          return -1;
        }
        claimable = (long) POSITIONS.getAcquire(positions, HEAD) + capacity;
        if (position >= claimable) {
          return -1;
        }
        POSITIONS.setRelease(positions, LIMIT, claimable);
      }
      slot = slot(position);
    } while (!POSITIONS.compareAndSet(positions, TAIL, position, position + 1));
    stamps[slot] = stamp;
    VarHandle.releaseFence();
    elements[slot] = element;
    return position;
  }

  /** The position modulo the capacity, by a multiplication: a division would double the cost. */
  int slot(long position) {
    long lap = Math.multiplyHigh(position << 2, reciprocal) >>> shift;
    return (int) (position - lap * capacity);
  }

  /** Whether a claim of this position should wake the consumer. */
  boolean wakesAt(long position) {
    return position == (long) POSITIONS.getVolatile(positions, WAKE_AT);
  }

  /** Takes the oldest element into dispatch, or null when there is none; consumer only. */
  @Nullable Object take() {
    int slot = (int) positions[CURSOR];
    Object element = ELEMENTS.getAcquire(elements, slot);
    if (element == null) {
      return null;
    }
    VarHandle.storeStoreFence();
    positions[DISPATCH_STAMP] = stamps[slot];
    free(slot);
    return element;
  }

  /**
   * Takes the oldest element out without a dispatch, or null when there is none; for the consumer,
   * or for one other thread at a time once the consumer takes no more.
   */
  @Nullable Object discard() {
    int slot = (int) positions[CURSOR];
    Object element = ELEMENTS.getAcquire(elements, slot);
    if (element != null) {
      free(slot);
      complete();
    }
    return element;
  }

  private void free(int slot) {
    elements[slot] = null;
    positions[CURSOR] = slot + 1 == capacity ? 0 : slot + 1;
    POSITIONS.setRelease(positions, HEAD, positions[HEAD] + 1);
  }

  /** The stamp of the element that was taken last; consumer only. */
  long dispatchStamp() {
    return positions[DISPATCH_STAMP];
  }

  /** Ends the dispatch of the element that was taken last; consumer only. */
  void complete() {
    POSITIONS.getAndAdd(positions, COMPLETED, 1L);
  }

  /** Whether an element is in dispatch. */
  boolean isDispatching() {
    long taken = head();
    return completed() < taken;
  }

  /** Asks for a wake-up past half full; false when it is past that already. Consumer only. */
  boolean armWake() {
    long position = positions[HEAD] + capacity / 2;
    POSITIONS.setVolatile(positions, WAKE_AT, position);
    return tail() <= position;
  }

  /** Takes the order for a wake-up back; consumer only. */
  void disarmWake() {
    POSITIONS.setVolatile(positions, WAKE_AT, NEVER);
  }

  /** Refuses every later offer. */
  void close() {
    POSITIONS.getAndBitwiseOr(positions, TAIL, CLOSED);
  }

  /** How many elements were ever accepted. */
  long tail() {
    return (long) POSITIONS.getVolatile(positions, TAIL) & ~CLOSED;
  }

  /** How many elements were ever taken. */
  long head() {
    return (long) POSITIONS.getVolatile(positions, HEAD);
  }

  /** How many elements were taken and have left dispatch. */
  long completed() {
    return (long) POSITIONS.getVolatile(positions, COMPLETED);
  }

  /** How many elements wait to be taken. */
  int depth() {
    while (true) {
      long before = head();
      long last = tail();
      if (before == head()) {
        return (int) (last - before);
      }
    }
  }

  /** The stamp of the oldest element that is queued or in dispatch, or -1 when there is none. */
  long oldestStamp() {
    while (true) {
      long done = completed();
      long taken = head();
      long stamp;
      if (taken > done) {
        stamp = positions[DISPATCH_STAMP];
      } else if (tail() == taken) {
        return -1;
      } else {
        int slot = slot(taken);
        stamp = ELEMENTS.getAcquire(elements, slot) == null ? -1 : stamps[slot];
      }
      VarHandle.acquireFence();
      if (done == completed() && taken == head()) {
        return stamp;
      }
      Thread.onSpinWait();
    }
  }
}
