package io.lmcache.observability.bus;

/**
 * The four positions of a {@link StampedRing}, each on a cache line of its own: a superclass lays
 * out its fields before those of its subclass.
 */
@SuppressWarnings("unused")
final class RingLayout {

  private RingLayout() {}

  abstract static class BeforeTail {
    private long a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15;
  }

  abstract static class Tail extends BeforeTail {
    volatile long tail;
  }

  abstract static class AfterTail extends Tail {
    private long b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15;
  }

  abstract static class Limit extends AfterTail {
    volatile long limit;
    volatile long wakeAt;
  }

  abstract static class AfterLimit extends Limit {
    private long c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15;
  }

  abstract static class Head extends AfterLimit {
    volatile long head;
    volatile long completed;
    long dispatchStamp;
    int cursor;
  }

  abstract static class AfterHead extends Head {
    private long d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, d12, d13, d14, d15;
  }
}
