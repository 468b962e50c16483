package io.lmcache.observability.internal.metrics.correlation;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * 128 bits that stand for an identity, and whether it is in the sample. The same facts give the
 * same bits in every process and every run. For one thread; allocates nothing.
 */
final class Fingerprint {

  /* Implementation notes: the state is mixed block by block as in MurmurHash3 x64 128. Each step is
   * a bijection of the state for a given block and of the block for a given state, so no byte is
   * without effect. Names are reduced to 128 bits first and remembered by their text, because the
   * keys of an event mostly share them; the state after the names of the last key is kept as well.
   * The sample is decided by the high half, buckets are chosen by the low half. */

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long SEED = 0x6c6d63616368654fL;
  private static final long C1 = 0x87c37b91114253d5L;
  private static final long C2 = 0x4cf5ad432745937fL;
  private static final double TWO_TO_63 = 0x1p63;
  private static final int NAMES = 256;
  private static final int MAX_KEPT_NAME = 1_024;

  private final @Nullable String[] names = new String[NAMES];
  private final long[] nameBits = new long[2 * NAMES];
  private final boolean all;
  private final long threshold;
  private @Nullable String first;
  private @Nullable String second;
  private long prefixHi;
  private long prefixLo;
  private long hi;
  private long lo;

  /**
   * @param rate the share of identities that are in the sample, above 0, at most 1
   */
  Fingerprint(double rate) {
    this.all = rate >= 1;
    this.threshold = (long) (rate * TWO_TO_63) << 1;
  }

  long hi() {
    return hi;
  }

  long lo() {
    return lo;
  }

  /** Whether the identity is in the sample. */
  boolean isSampled() {
    return all || Long.compareUnsigned(hi, threshold) < 0;
  }

  /** Two names, a number and bytes. */
  void of(String firstName, String secondName, int number, byte[] bytes) {
    names(firstName, secondName);
    hash(number, bytes);
  }

  /** A name and bytes. */
  void of(String name, byte[] bytes) {
    names(name, "");
    hash(0, bytes);
  }

  /** A name and a number. */
  void of(String name, int number) {
    names(name, "");
    absorb(number, 0);
    finish();
  }

  /** A name. */
  void of(String name) {
    names(name, "");
    finish();
  }

  /** Some of an array's numbers. */
  void of(int[] numbers, int from, int to) {
    hi = SEED;
    lo = (long) to - from;
    int i = from;
    for (; i + 4 <= to; i += 4) {
      absorb(pair(numbers[i], numbers[i + 1]), pair(numbers[i + 2], numbers[i + 3]));
    }
    for (; i < to; i++) {
      absorb(numbers[i], 1);
    }
    finish();
  }

  private static long pair(int high, int low) {
    return ((long) high << 32) | (low & 0xffffffffL);
  }

  /** Starts with the state after two names. */
  @SuppressWarnings("ReferenceEquality") // a shortcut past a comparison of the texts
  private void names(String firstName, String secondName) {
    if (first != firstName || second != secondName) {
      first = null;
      name(secondName);
      long secondHi = hi;
      long secondLo = lo;
      name(firstName);
      absorb(secondHi, secondLo);
      prefixHi = hi;
      prefixLo = lo;
      first = firstName;
      second = secondName;
    }
    hi = prefixHi;
    lo = prefixLo;
  }

  /** Starts with the state after one name, which it remembers unless it is very long. */
  private void name(String text) {
    int slot = text.hashCode() & (NAMES - 1);
    if (text.equals(names[slot])) {
      hi = nameBits[2 * slot];
      lo = nameBits[2 * slot + 1];
      return;
    }
    hi = SEED;
    lo = text.length();
    int i = 0;
    for (; i + 4 <= text.length(); i += 4) {
      absorb(
          pair(text.charAt(i), text.charAt(i + 1)), pair(text.charAt(i + 2), text.charAt(i + 3)));
    }
    for (; i < text.length(); i++) {
      absorb(text.charAt(i), 1);
    }
    finish();
    if (text.length() <= MAX_KEPT_NAME) {
      names[slot] = text;
      nameBits[2 * slot] = hi;
      nameBits[2 * slot + 1] = lo;
    }
  }

  private void hash(int number, byte[] bytes) {
    absorb(number, bytes.length);
    int i = 0;
    for (; i + 16 <= bytes.length; i += 16) {
      absorb((long) LONGS.get(bytes, i), (long) LONGS.get(bytes, i + 8));
    }
    if (i < bytes.length) {
      long low = 0;
      long high = 0;
      for (int left = bytes.length - i - 1; left >= 0; left--) {
        long value = bytes[i + left] & 0xffL;
        if (left < 8) {
          low |= value << (8 * left);
        } else {
          high |= value << (8 * (left - 8));
        }
      }
      absorb(low, high);
    }
    finish();
  }

  private void absorb(long a, long b) {
    long h1 = hi ^ Long.rotateLeft(a * C1, 31) * C2;
    h1 = (Long.rotateLeft(h1, 27) + lo) * 5 + 0x52dce729;
    long h2 = lo ^ Long.rotateLeft(b * C2, 33) * C1;
    lo = (Long.rotateLeft(h2, 31) + h1) * 5 + 0x38495ab5;
    hi = h1;
  }

  private void finish() {
    long h1 = hi + lo;
    long h2 = lo + h1;
    h1 = mix(h1);
    h2 = mix(h2);
    hi = h1 + h2;
    lo = h2 + hi;
  }

  private static long mix(long value) {
    long k = value;
    k = (k ^ (k >>> 33)) * 0xff51afd7ed558ccdL;
    k = (k ^ (k >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return k ^ (k >>> 33);
  }
}
