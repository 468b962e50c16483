package io.lmcache.observability.internal.metrics.correlation;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.internal.support.Warnings;
import org.junit.jupiter.api.Test;

class PairTableTest {

  private static final int BOUND = 1_000;

  private static int comparisons;

  /** A key that counts how often it is compared. */
  private static final class Key {
    @Override
    public boolean equals(Object other) {
      comparisons++;
      return other instanceof Key;
    }

    @Override
    public int hashCode() {
      return 1;
    }
  }

  private static final class Table extends PairTable<Key> {
    Table() {
      super(
          "pairs",
          TrackerFixture.config().maxOpenPairs(BOUND).build(),
          new Trackers.Faults(EventBus.create(1).recordingErrors(), new Warnings()),
          new Trackers.Ages());
    }

    @Override
    public void register(Trackers.Routes routes) {}
  }

  @Test
  void begin_fullOfOneKeyWithStampsThatDescend_dropsTheFirstWithoutASearch() {
    Table table = new Table();
    comparisons = 0;
    for (int i = 0; i < 2 * BOUND; i++) {
      table.begin(new Key(), Step.BEGIN - i, i);
    }
    assertThat(table.evictions()).isEqualTo(BOUND);
    assertThat(comparisons).isLessThan(20 * BOUND);
    assertThat(table.end(new Key())).extracting(PairTable.Open::bytes).isEqualTo((long) BOUND);
  }
}
