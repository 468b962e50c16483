package io.lmcache.observability.internal.metrics.correlation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FingerprintTest {

  private final Fingerprint fingerprint = new Fingerprint(1);

  private String bits() {
    return String.format("%016x%016x", fingerprint.hi(), fingerprint.lo());
  }

  private String bits(String model, String salt, int rank, byte... hash) {
    fingerprint.of(model, salt, rank, hash);
    return bits();
  }

  /** These must not change: the same chunks are to be in the sample in every version. */
  @Test
  void of_knownFacts_givesTheBitsThatItAlwaysGave() {
    byte[] hash = new byte[32];
    IntStream.range(0, hash.length).forEach(i -> hash[i] = (byte) (7 * i));
    assertThat(bits("llama", "tenant-0", 3, hash)).isEqualTo("cfdb18ee71c727558f53c63347441204");
    fingerprint.of("tenant-0", hash);
    assertThat(bits()).isEqualTo("b6296a86de6cb226805e48f99e5e1d4d");
    fingerprint.of("vllm-0", 17);
    assertThat(bits()).isEqualTo("a225d89bafc789b8444049b825ab9981");
    fingerprint.of("request-1");
    assertThat(bits()).isEqualTo("897d1970d41b5830fd4a2eb26d8c2787");
    fingerprint.of(new int[] {1, 2, 3, 4, 5, 6, 7}, 1, 7);
    assertThat(bits()).isEqualTo("81ccea6b3085867be5604033fa24fcac");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 8, 9, 15, 16, 17, 20, 31, 32, 33, 64, 100})
  void of_anyBitOfTheHash_makesADifferenceInBothHalves(int length) {
    byte[] hash = new byte[length];
    new Random(length).nextBytes(hash);
    Set<Long> highs = new HashSet<>();
    Set<Long> lows = new HashSet<>();
    for (int bit = -1; bit < 8 * length; bit++) {
      byte[] changed = hash.clone();
      if (bit >= 0) {
        changed[bit / 8] ^= (byte) (1 << (bit % 8));
      }
      fingerprint.of("m", "s", 0, changed);
      highs.add(fingerprint.hi());
      lows.add(fingerprint.lo());
    }
    assertThat(highs).hasSize(8 * length + 1);
    assertThat(lows).hasSize(8 * length + 1);
  }

  @Test
  void of_anyFact_makesADifference() {
    byte[] zeros = new byte[8];
    assertThat(
            Set.of(
                bits("m", "s", 0, zeros),
                bits("s", "m", 0, zeros),
                bits("", "ms", 0, zeros),
                bits("ms", "", 0, zeros),
                bits("m", "t", 0, zeros),
                bits("n", "s", 0, zeros),
                bits("m", "s", 1, zeros),
                bits("m", "s", -1, zeros),
                bits("m", "s", 0),
                bits("m", "s", 0, new byte[7]),
                bits("m", "s", 0, new byte[9]),
                bits("m", "s\0", 0, zeros)))
        .hasSize(12);
  }

  @Test
  void of_someNumbers_readsThoseAlone() {
    Set<Long> seen = new HashSet<>();
    int[] numbers = {9, 1, 2, 3, 4, 5, 9};
    for (int from = 0; from <= numbers.length; from++) {
      for (int to = from; to <= numbers.length; to++) {
        fingerprint.of(numbers, from, to);
        seen.add(fingerprint.lo());
      }
    }
    // All ranges differ but the empty ones and the two that hold nothing but a 9.
    assertThat(seen).hasSize(1 + 28 - 1);
    fingerprint.of(new int[] {1, 2, 3, 4, 5}, 0, 5);
    long whole = fingerprint.lo();
    fingerprint.of(numbers, 1, 6);
    assertThat(fingerprint.lo()).isEqualTo(whole);
  }

  @Property(tries = 500)
  void of_anyFacts_areTheSameWhateverCameBefore(
      @ForAll String model,
      @ForAll String salt,
      @ForAll int rank,
      @ForAll byte @Size(max = 80) [] hash) {
    String first = bits(model, salt, rank, hash);
    bits(salt, model, 1, (byte) 1);
    Fingerprint other = new Fingerprint(0.5);
    other.of(new String(model.toCharArray()), new String(salt.toCharArray()), rank, hash.clone());
    assertThat(String.format("%016x%016x", other.hi(), other.lo())).isEqualTo(first);
    assertThat(bits(model, salt, rank, hash)).isEqualTo(first);
  }

  @Test
  void of_longName_isReadToItsEnd() {
    String name = "x".repeat(4_096);
    String first = bits(name + "a", "", 0);
    assertThat(bits(name + "b", "", 0)).isNotEqualTo(first);
    assertThat(bits(name + "a", "", 0)).isEqualTo(first);
  }

  @Test
  void of_millionKeys_haveDifferentBits() {
    Set<Long> lows = new HashSet<>();
    Set<Long> highs = new HashSet<>();
    ByteBuffer hash = ByteBuffer.allocate(32);
    for (int i = 0; i < 1_000_000; i++) {
      hash.putInt(28, i);
      fingerprint.of("m", "s", 0, hash.array());
      lows.add(fingerprint.lo());
      highs.add(fingerprint.hi());
    }
    assertThat(lows).hasSize(1_000_000);
    assertThat(highs).hasSize(1_000_000);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.001, 0.01, 0.3, 0.5, 0.999})
  void isSampled_manyKeys_takesTheShare(double rate) {
    Fingerprint sampling = new Fingerprint(rate);
    int keys = 400_000;
    int sampled = 0;
    ByteBuffer hash = ByteBuffer.allocate(16);
    for (int i = 0; i < keys; i++) {
      hash.putInt(0, i);
      sampling.of("m", "tenant-" + i % 10, i % 4, hash.array());
      sampled += sampling.isSampled() ? 1 : 0;
    }
    double deviation = Math.sqrt(keys * rate * (1 - rate));
    assertThat((double) sampled)
        .isBetween(keys * rate - 5 * deviation, keys * rate + 5 * deviation);
  }

  @Property(tries = 2_000)
  void isSampled_higherRate_takesNoFewer(
      @ForAll @DoubleRange(min = 0, minIncluded = false, max = 1) double rate, @ForAll int key) {
    Fingerprint lower = new Fingerprint(rate / 2);
    Fingerprint higher = new Fingerprint(rate);
    lower.of("m", key);
    higher.of("m", key);
    assertThat(lower.isSampled() && !higher.isSampled()).isFalse();
    fingerprint.of("m", key);
    assertThat(fingerprint.isSampled()).isTrue();
  }
}
