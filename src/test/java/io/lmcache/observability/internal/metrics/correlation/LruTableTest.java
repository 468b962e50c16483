package io.lmcache.observability.internal.metrics.correlation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LruTableTest {

  private static final int VALUE = HashSlab.FIELDS;

  private record Key(long hi, long lo) {}

  /** The same operations on a map in the order of access; keys share low halves on purpose. */
  @Property(tries = 100)
  void table_randomOperations_agreesWithAMap(@ForAll long seed) {
    Random random = new Random(seed);
    int max = 1 + random.nextInt(random.nextBoolean() ? 200 : 3_000);
    int keys = 1 + random.nextInt(2 * max);
    int hashes = 1 + random.nextInt(keys);
    LruTable table = new LruTable(HashSlab.FIELDS + 1, max);
    Map<Key, Long> model = new LinkedHashMap<>(16, 0.75f, true);
    for (int step = 0; step < 10_000; step++) {
      int number = random.nextInt(keys);
      Key key = new Key(number, number % hashes * 0x9e3779b97f4a7c15L);
      int slot = table.find(key.hi, key.lo);
      assertThat(slot != 0).isEqualTo(model.containsKey(key));
      if (slot != 0 && random.nextInt(3) == 0) {
        table.remove(slot);
        model.remove(key);
      } else if (slot != 0) {
        assertThat(table.get(slot, VALUE)).isEqualTo(model.get(key));
        table.touch(slot);
      } else {
        if (table.isFull()) {
          Key oldest = model.keySet().iterator().next();
          assertThat(table.get(table.oldest(), HashSlab.HI)).isEqualTo(oldest.hi);
          table.remove(table.oldest());
          model.remove(oldest);
        }
        slot = table.add(key.hi, key.lo);
        assertThat(table.get(slot, VALUE)).isZero();
        table.set(slot, VALUE, step);
        model.put(key, (long) step);
      }
      assertThat(table.size()).isEqualTo(model.size());
    }
    for (Key key : model.keySet()) {
      int slot = table.oldest();
      assertThat(table.get(slot, HashSlab.HI)).isEqualTo(key.hi);
      table.remove(slot);
    }
    assertThat(table.oldest()).isZero();
    assertThat(table.size()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 255, 256, 257, 1_023, 1_024, 1_025, 100_000})
  void add_manyEntries_areAllFoundAgain(int entries) {
    LruTable table = new LruTable(HashSlab.FIELDS + 1, entries);
    for (int i = 0; i < entries; i++) {
      table.set(table.add(i, 0xc4ceb9fe1a85ec53L * i), VALUE, -i);
    }
    assertThat(table.isFull()).isTrue();
    for (int i = 0; i < entries; i++) {
      assertThat(table.get(table.find(i, 0xc4ceb9fe1a85ec53L * i), VALUE)).isEqualTo(-i);
    }
    assertThat(table.find(entries, 1)).isZero();
  }

  @Test
  void add_fullTable_isRefused() {
    LruTable table = new LruTable(HashSlab.FIELDS, 1);
    table.add(1, 1);
    assertThatIllegalStateException().isThrownBy(() -> table.add(2, 2));
  }

  @Test
  void half_thatIsSet_leavesTheOther() {
    LruTable table = new LruTable(HashSlab.FIELDS + 1, 1);
    int slot = table.add(1, 1);
    table.setLeft(slot, VALUE, -1);
    assertThat(table.right(slot, VALUE)).isZero();
    table.setRight(slot, VALUE, Integer.MIN_VALUE);
    assertThat(table.left(slot, VALUE)).isEqualTo(-1);
    assertThat(table.right(slot, VALUE)).isEqualTo(Integer.MIN_VALUE);
  }
}
