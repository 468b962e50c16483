package io.lmcache.observability.bus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StampedRingTest {

  private static final long LAST_POSITION = (1L << 61) - 1;

  @Test
  void slot_anyCapacityAndPosition_isTheRemainder() {
    SplittableRandom random = new SplittableRandom(17);
    for (int i = 0; i < 4_000; i++) {
      int capacity =
          i < 1_100 ? i + 1 : i < 1_200 ? StampedRing.MAX_CAPACITY - (i - 1_100) : any(random, i);
      StampedRing ring = new StampedRing(Math.min(capacity, 1 << 14));
      int held = ring.capacity();
      for (int j = 0; j < 50; j++) {
        long position = random.nextLong(0, 1L << random.nextInt(1, 61));
        long lap = position / held * held;
        check(ring, position);
        check(ring, lap);
        check(ring, Math.max(0, lap - 1));
        check(ring, (1L << 60) - 1 - j);
        check(ring, (1L << 60) + j);
        check(ring, LAST_POSITION - j);
      }
    }
  }

  @Test
  void slot_largeCapacities_isTheRemainder() {
    for (int capacity : new int[] {65_535, 65_537, 1_000_003, 4_194_301, 4_194_303, 4_194_304}) {
      StampedRing ring = new StampedRing(capacity);
      SplittableRandom random = new SplittableRandom(capacity);
      for (int j = 0; j < 20_000; j++) {
        long lap = random.nextLong(0, (1L << 61) / capacity) * capacity;
        check(ring, lap);
        check(ring, Math.max(0, lap - 1));
        check(ring, LAST_POSITION - j);
      }
    }
  }

  private static int any(SplittableRandom random, int i) {
    return 1 + random.nextInt(1 << (1 + i % 14));
  }

  private static void check(StampedRing ring, long position) {
    if (ring.slot(position) != position % ring.capacity()) {
      throw new AssertionError(
          position + " % " + ring.capacity() + " is not " + ring.slot(position));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 10, 1_000, 1_024, 4_194_303, 4_194_304})
  void offer_untilFull_acceptsExactlyTheCapacity(int capacity) {
    StampedRing ring = new StampedRing(capacity);
    assertThat(fill(ring)).isEqualTo(capacity);
    assertThat(ring.depth()).isEqualTo(capacity);
    assertThat(ring.take()).isNotNull();
    assertThat(fill(ring)).isEqualTo(1);
    for (int i = 0; i < capacity; i++) {
      assertThat(ring.take()).isNotNull();
    }
    assertThat(ring.take()).isNull();
    assertThat(fill(ring)).isEqualTo(capacity);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE, 4_194_305, Integer.MAX_VALUE})
  void create_capacityOutOfRange_isRefusedWithTheSettingsName(int capacity) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new StampedRing(capacity))
        .withMessageContaining("maxQueueSize")
        .withMessageContaining(String.valueOf(capacity));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 1_000, 1_024})
  void takeAndOffer_manyLaps_keepOrderAndStamps(int capacity) {
    StampedRing ring = new StampedRing(capacity);
    laps(ring, 0);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 1_000, 1_024})
  void takeAndOffer_farFromZero_keepOrderAndStamps(int capacity) {
    long start = (1L << 60) - 2L * capacity - 1;
    laps(new StampedRing(capacity, start), start);
  }

  private static void laps(StampedRing ring, long start) {
    SplittableRandom random = new SplittableRandom(ring.capacity());
    long in = start;
    long out = start;
    while (in < start + 5L * ring.capacity()) {
      for (int some = random.nextInt(ring.capacity()) + 1; some > 0; some--) {
        long position = ring.offer(in, -in);
        assertThat(position).isEqualTo(in - out == ring.capacity() ? -1 : in);
        in += position < 0 ? 0 : 1;
      }
      for (int some = random.nextInt(ring.capacity()) + 1; some > 0 && out < in; some--) {
        assertThat(ring.oldestStamp()).isEqualTo(out == 0 ? 0 : -out);
        assertThat(ring.take()).isEqualTo(out);
        assertThat(ring.dispatchStamp()).isEqualTo(-out);
        ring.complete();
        out++;
      }
      assertThat(ring.depth()).isEqualTo((int) (in - out));
    }
    assertThat(ring.tail()).isEqualTo(in);
    assertThat(ring.head()).isEqualTo(out);
    assertThat(ring.completed()).isEqualTo(out);
  }

  @Test
  void take_element_leavesNoReferenceBehind() {
    StampedRing ring = new StampedRing(2);
    ring.offer("a", 1);
    ring.offer("b", 2);
    ring.take();
    ring.take();
    assertThat(ring.take()).isNull();
    assertThat(ring.depth()).isZero();
  }

  @Test
  void close_offersFail_andTheRestCanBeTaken() {
    StampedRing ring = new StampedRing(4);
    ring.offer("a", 1);
    ring.close();
    ring.close();
    assertThat(ring.offer("b", 2)).isNegative();
    assertThat(ring.tail()).isEqualTo(1);
    assertThat(ring.depth()).isEqualTo(1);
    assertThat(ring.take()).isEqualTo("a");
    assertThat(ring.offer("b", 2)).isNegative();
    assertThat(ring.take()).isNull();
  }

  @Test
  void oldestStamp_alongALife_isThatOfDispatchElseOfTheHead() {
    StampedRing ring = new StampedRing(3);
    assertThat(ring.oldestStamp()).isEqualTo(-1);
    ring.offer("a", 10);
    ring.offer("b", 20);
    assertThat(ring.oldestStamp()).isEqualTo(10);
    ring.take();
    assertThat(ring.oldestStamp()).isEqualTo(10);
    assertThat(ring.isDispatching()).isTrue();
    ring.complete();
    assertThat(ring.isDispatching()).isFalse();
    assertThat(ring.oldestStamp()).isEqualTo(20);
    ring.take();
    ring.complete();
    assertThat(ring.oldestStamp()).isEqualTo(-1);
  }

  @Test
  void discard_besideADispatch_leavesThatAlone() {
    StampedRing ring = new StampedRing(3);
    ring.offer("a", 10);
    ring.offer("b", 20);
    ring.offer("c", 30);
    ring.take();
    assertThat(ring.discard()).isEqualTo("b");
    assertThat(ring.isDispatching()).isTrue();
    assertThat(ring.oldestStamp()).isEqualTo(10);
    assertThat(ring.discard()).isEqualTo("c");
    assertThat(ring.discard()).isNull();
    assertThat(ring.head() - ring.completed()).isEqualTo(1);
    ring.complete();
    assertThat(ring.completed()).isEqualTo(3);
    assertThat(fill(ring)).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 10, 1_000, 1_024})
  void armWake_anEmptyRing_wakesOncePerFill(int capacity) {
    StampedRing ring = new StampedRing(capacity);
    for (int fill = 0; fill < 3; fill++) {
      assertThat(ring.armWake()).isTrue();
      int wakes = 0;
      for (int i = 0; i < capacity; i++) {
        boolean wake = ring.wakesAt(ring.offer(i, i));
        assertThat(wake).isEqualTo(i == capacity / 2);
        wakes += wake ? 1 : 0;
      }
      assertThat(wakes).isEqualTo(1);
      ring.disarmWake();
      while (ring.take() != null) {
        ring.complete();
      }
    }
  }

  @Test
  void armWake_pastHalfFull_isRefused() {
    StampedRing ring = new StampedRing(10);
    for (int i = 0; i < 5; i++) {
      ring.offer(i, i);
    }
    assertThat(ring.armWake()).isTrue();
    ring.offer(5, 5);
    assertThat(ring.armWake()).isFalse();
  }

  @Test
  void wakesAt_disarmed_neverWakes() {
    StampedRing ring = new StampedRing(4);
    ring.armWake();
    ring.disarmWake();
    for (int i = 0; i < 4; i++) {
      assertThat(ring.wakesAt(ring.offer(i, i))).isFalse();
    }
  }

  private static int fill(StampedRing ring) {
    int accepted = 0;
    while (ring.offer("x", 1) >= 0) {
      accepted++;
    }
    return accepted;
  }
}
