package io.lmcache.observability.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.demo.TwoTierCache.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;

class TwoTierCacheTest {

  @Test
  void serve_newKeys_putsAndStoresThem() {
    TwoTierCache<String> cache = new TwoTierCache<>(0);
    Outcome<String> outcome = cache.serve(List.of("a", "b"));
    assertThat(outcome.hit()).isEmpty();
    assertThat(outcome.put()).containsExactly("a", "b");
    assertThat(outcome.stored()).containsExactly("a", "b");
    assertThat(cache.l1Count()).isEqualTo(2);
    assertThat(cache.l2Count()).isEqualTo(2);
  }

  @Test
  void serve_capacityZero_evictsNothing() {
    TwoTierCache<Integer> cache = new TwoTierCache<>(0);
    for (int i = 0; i < 10_000; i++) {
      assertThat(cache.serve(List.of(i)).evictedByPut()).isEmpty();
    }
    assertThat(cache.l1Count()).isEqualTo(10_000);
  }

  @Test
  void serve_keyReadAgain_isNotTheNextToGo() {
    TwoTierCache<String> cache = new TwoTierCache<>(2);
    cache.serve(List.of("a"));
    cache.serve(List.of("b"));
    cache.serve(List.of("a"));
    assertThat(cache.serve(List.of("c")).evictedByPut()).containsExactly("b");
  }

  @Test
  void serve_keyBehindAMiss_becomesTheMostRecentlyUsed() {
    TwoTierCache<String> cache = new TwoTierCache<>(3);
    cache.serve(List.of("a"));
    cache.serve(List.of("b"));
    Outcome<String> outcome = cache.serve(List.of("new", "a"));
    assertThat(outcome.hit()).isEmpty();
    assertThat(outcome.put()).containsExactly("new");
    assertThat(cache.serve(List.of("c")).evictedByPut()).containsExactly("b");
  }

  @Test
  void serve_walkOverBothTiers_loadsOnlyWhatL1Lacks() {
    TwoTierCache<String> cache = new TwoTierCache<>(2);
    cache.serve(List.of("a", "b"));
    cache.serve(List.of("c"));
    Outcome<String> outcome = cache.serve(List.of("a", "b", "d"));
    assertThat(outcome.l1PrefixCount()).isZero();
    assertThat(outcome.walkedCount()).isEqualTo(2);
    assertThat(outcome.loaded()).containsExactly("a");
    assertThat(outcome.evictedByLoad()).containsExactly("b");
    assertThat(outcome.hit()).containsExactly("a", "b");
    assertThat(outcome.stored()).containsExactly("d");
  }

  @Test
  void serve_evictedKeyBehindAMiss_isPutButNotStoredAgain() {
    TwoTierCache<String> cache = new TwoTierCache<>(1);
    cache.serve(List.of("a"));
    Outcome<String> outcome = cache.serve(List.of("new", "a"));
    assertThat(outcome.put()).containsExactly("new", "a");
    assertThat(outcome.stored()).containsExactly("new");
    assertThat(outcome.evictedByPut()).containsExactly("a", "new");
  }

  @Test
  void serve_noKeys_doesNothing() {
    Outcome<String> outcome = new TwoTierCache<String>(1).serve(List.of());
    assertThat(outcome.hit()).isEmpty();
    assertThat(outcome.put()).isEmpty();
  }
}
