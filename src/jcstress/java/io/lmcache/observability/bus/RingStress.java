package io.lmcache.observability.bus;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.J_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/** The races of the ring, each as small as it can be. */
public final class RingStress {

  private RingStress() {}

  /** An element is the digit of its producer and its stamp a hundred times that. */
  private static int take(StampedRing ring) {
    Object element = ring.take();
    if (element == null) {
      return 0;
    }
    int digit = (Integer) element;
    boolean own = ring.dispatchStamp() == digit * 100L;
    ring.complete();
    return own ? digit : -1;
  }

  /** Two producers: each element is there once, with its own stamp. */
  @JCStressTest
  @Outcome(
      id = {"1, 2", "2, 1"},
      expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "lost, doubled or with the stamp of another")
  @State
  public static class OfferBesideOffer {
    private final StampedRing ring = new StampedRing(3);

    /** A producer. */
    @Actor
    public void one() {
      ring.offer(1, 100);
    }

    /** Another. */
    @Actor
    public void two() {
      ring.offer(2, 200);
    }

    /** What is there. */
    @Arbiter
    public void rest(II_Result result) {
      result.r1 = take(ring);
      result.r2 = take(ring);
    }
  }

  /** A producer and the consumer: each element comes once, in order, with its own stamp. */
  @JCStressTest
  @Outcome(
      id = {"0, 0, 1, 2", "1, 0, 2, 0", "0, 1, 2, 0", "1, 2, 0, 0"},
      expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "lost, doubled, out of order or with a wrong stamp")
  @State
  public static class OffersBesideTakes {
    private final StampedRing ring = new StampedRing(3);

    /** The producer. */
    @Actor
    public void producer() {
      ring.offer(1, 100);
      ring.offer(2, 200);
    }

    /** The consumer. */
    @Actor
    public void consumer(IIII_Result result) {
      result.r1 = take(ring);
      result.r2 = take(ring);
    }

    /** What is left. */
    @Arbiter
    public void rest(IIII_Result result) {
      result.r3 = take(ring);
      result.r4 = take(ring);
    }
  }

  /** A full ring of one slot: the slot is used again only after it was taken. */
  @JCStressTest
  @Outcome(
      id = {"9, 0", "9, 1", "9, 2"},
      expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "more than the bound, or a slot used twice")
  @State
  public static class FullRing {
    private final StampedRing ring = new StampedRing(1);

    /** Fills it. */
    public FullRing() {
      ring.offer(9, 900);
    }

    /** A producer. */
    @Actor
    public void producer() {
      ring.offer(1, 100);
      ring.offer(2, 200);
    }

    /** The consumer. */
    @Actor
    public void consumer(II_Result result) {
      result.r1 = take(ring);
    }

    /** At most one got in. */
    @Arbiter
    public void rest(II_Result result) {
      result.r2 = take(ring);
      if (take(ring) != 0) {
        result.r2 = -2;
      }
    }
  }

  /** An offer beside close: accepted and there, or refused and not there. */
  @JCStressTest
  @Outcome(
      id = {"true, true", "false, false"},
      expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "accepted but lost, or refused but there")
  @State
  public static class OfferBesideClose {
    private final StampedRing ring = new StampedRing(2);

    /** A producer. */
    @Actor
    public void offer(ZZ_Result result) {
      result.r1 = ring.offer(1, 100) >= 0;
    }

    /** The end. */
    @Actor
    public void close() {
      ring.close();
    }

    /** What is there, by the count and by the slot. */
    @Arbiter
    public void rest(ZZ_Result result) {
      result.r2 = ring.tail() == 1 && take(ring) == 1;
    }
  }

  /** The consumer falls asleep beside the offer that fills half of the ring: one sees the other. */
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "asleep, and nobody wakes it")
  @State
  public static class OfferBesideSleep {
    private final StampedRing ring = new StampedRing(2);
    private boolean wakes;
    private boolean sleeps;

    /** Puts one element in, half of the ring. */
    public OfferBesideSleep() {
      ring.offer(9, 900);
    }

    /** A producer whose claim is past half. */
    @Actor
    public void offer() {
      wakes = ring.wakesAt(ring.offer(1, 100));
    }

    /** The consumer. */
    @Actor
    public void sleep() {
      sleeps = ring.armWake();
    }

    /** Whether all is well. */
    @Arbiter
    public void check(Z_Result result) {
      result.r1 = wakes || !sleeps;
    }
  }

  /** A reader of the lag beside the consumer: a stamp that was the oldest, never a later one. */
  @JCStressTest
  @Outcome(
      id = {"100", "200", "-1"},
      expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "the stamp of a slot that was used again")
  @State
  public static class LagBesideTakes {
    private final StampedRing ring = new StampedRing(2);

    /** Fills it. */
    public LagBesideTakes() {
      ring.offer(1, 100);
      ring.offer(2, 200);
    }

    /** The consumer. */
    @Actor
    public void consumer() {
      take(ring);
      take(ring);
    }

    /** A reader. */
    @Actor
    public void reader(J_Result result) {
      result.r1 = ring.oldestStamp();
    }
  }

  /** Somebody who gives up what is queued beside the end of the last dispatch. */
  @JCStressTest
  @Outcome(id = "2, 2", expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "a count was lost")
  @State
  public static class DiscardBesideComplete {
    private final StampedRing ring = new StampedRing(2);

    /** One in dispatch, one queued. */
    public DiscardBesideComplete() {
      ring.offer(1, 100);
      ring.offer(2, 200);
      ring.take();
    }

    /** The drain thread. */
    @Actor
    public void complete() {
      ring.complete();
    }

    /** The one who stops. */
    @Actor
    public void discard(II_Result result) {
      Object element = ring.discard();
      result.r1 = element == null ? 0 : (Integer) element;
    }

    /** The count. */
    @Arbiter
    public void count(II_Result result) {
      result.r2 = (int) ring.completed();
    }
  }
}
