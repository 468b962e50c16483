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
final class StampedRing extends RingLayout.AfterHead {

  /* Implementation notes.
   *
   * Positions are sequence numbers that never wrap. tail is the next one to claim; a producer
   * claims it by compare-and-set, writes the stamp (plain), then the element (release). The element
   * is what the consumer waits for (acquire), so it sees the stamp. The consumer clears the slot
   * (plain) and then advances head (release); a producer that has read this head, or a limit that
   * another producer derived from it (both acquire), may use the slot again.
   *
   * limit caches head + capacity, so that producers leave the consumer's cache line alone until
   * the cached value is used up. It only ever lags, which costs a look at head, never a slot.
   *
   * close() sets bit CLOSED of tail: every later claim sees a tail beyond any limit and fails.
   * Positions stay below 2^61, so the bit is free.
   *
   * completed follows head: an element is in dispatch between the two. dispatchStamp is written
   * before head advances and read between two equal readings of completed.
   *
   * wakeAt is the position whose claim takes the queue past half full, or NEVER while the consumer
   * is awake. The consumer writes it and then reads tail; a producer claims and then reads wakeAt
   * (all four volatile): one of them sees the other.
   */

  static final int MAX_CAPACITY = 4_194_304;

  private static final long CLOSED = 1L << 62;
  private static final long NEVER = -1;

  private static final VarHandle ELEMENTS = MethodHandles.arrayElementVarHandle(Object[].class);
  private static final VarHandle TAIL;
  private static final VarHandle LIMIT;
  private static final VarHandle HEAD;
  private static final VarHandle COMPLETED;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      TAIL = lookup.findVarHandle(RingLayout.Tail.class, "tail", long.class);
      LIMIT = lookup.findVarHandle(RingLayout.Limit.class, "limit", long.class);
      HEAD = lookup.findVarHandle(RingLayout.Head.class, "head", long.class);
      COMPLETED = lookup.findVarHandle(RingLayout.Head.class, "completed", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final int capacity;
  private final long reciprocal;
  private final int shift;
  private final @Nullable Object[] elements;
  private final long[] stamps;

  /**
   * @throws IllegalArgumentException if the capacity is out of range
   */
  StampedRing(int capacity) {
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
    this.limit = capacity;
    this.wakeAt = NEVER;
  }

  int capacity() {
    return capacity;
  }

  /** Adds an element; its position, or -1 when the ring is full or closed. */
  long offer(Object element, long stamp) {
    long claimable = (long) LIMIT.getAcquire(this);
    long position;
    do {
      position = tail;
      if (position >= claimable) {
        if ((position & CLOSED) != 0) {
          return -1;
        }
        claimable = (long) HEAD.getAcquire(this) + capacity;
        if (position >= claimable) {
          return -1;
        }
        LIMIT.setRelease(this, claimable);
      }
    } while (!TAIL.compareAndSet(this, position, position + 1));
    int slot = slot(position);
    stamps[slot] = stamp;
    ELEMENTS.setRelease(elements, slot, element);
    return position;
  }

  /** The position modulo the capacity, by a multiplication: a division would double the cost. */
  int slot(long position) {
    long lap = Math.multiplyHigh(position << 2, reciprocal) >>> shift;
    return (int) (position - lap * capacity);
  }

  /** Whether a claim of this position should wake the consumer. */
  boolean wakesAt(long position) {
    return position == wakeAt;
  }

  /** Takes the oldest element into dispatch, or null when there is none; consumer only. */
  @Nullable Object take() {
    int slot = cursor;
    Object element = ELEMENTS.getAcquire(elements, slot);
    if (element == null) {
      return null;
    }
    VarHandle.storeStoreFence();
    dispatchStamp = stamps[slot];
    elements[slot] = null;
    cursor = slot + 1 == capacity ? 0 : slot + 1;
    HEAD.setRelease(this, head + 1);
    return element;
  }

  /** Ends the dispatch of the element that was taken last; consumer only. */
  void complete() {
    COMPLETED.setRelease(this, completed + 1);
  }

  /** Asks for a wake-up past half full; false when it is past that already. Consumer only. */
  boolean armWake() {
    long position = head + capacity / 2;
    wakeAt = position;
    return tail() <= position;
  }

  /** Takes the order for a wake-up back; consumer only. */
  void disarmWake() {
    wakeAt = NEVER;
  }

  /** Refuses every later offer. */
  void close() {
    TAIL.getAndBitwiseOr(this, CLOSED);
  }

  /** How many elements were ever accepted. */
  long tail() {
    return tail & ~CLOSED;
  }

  /** How many elements were ever taken. */
  long head() {
    return head;
  }

  /** How many elements were taken and have left dispatch. */
  long completed() {
    return completed;
  }

  /** How many elements wait to be taken. */
  int depth() {
    while (true) {
      long before = head;
      long last = tail();
      if (before == head) {
        return (int) (last - before);
      }
    }
  }

  /** The stamp of the oldest element that is queued or in dispatch, or -1 when there is none. */
  long oldestStamp() {
    while (true) {
      long done = completed;
      long taken = head;
      long stamp;
      if (taken > done) {
        stamp = dispatchStamp;
      } else if (tail() == taken) {
        return -1;
      } else {
        int slot = slot(taken);
        stamp = ELEMENTS.getAcquire(elements, slot) == null ? -1 : stamps[slot];
      }
      VarHandle.acquireFence();
      if (done == completed && taken == head) {
        return stamp;
      }
      Thread.onSpinWait();
    }
  }
}
