package io.lmcache.observability.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.lmcache.observability.testing.Samples;
import org.junit.jupiter.api.Test;

class ObjectKeyTest {

  private final byte[] hash = {(byte) 0xAB, 0x01};
  private final ObjectKey key = ObjectKey.of("m", "salt", hash, -3);

  @Test
  void of_values_keepsThemAndTheArrayItself() {
    assertThat(key.modelName()).isEqualTo("m");
    assertThat(key.cacheSalt()).isEqualTo("salt");
    assertThat(key.chunkHash()).isSameAs(hash);
    assertThat(key.kvRank()).isEqualTo(-3);
  }

  @Test
  void of_null_isRefusedByName() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ObjectKey.of(Samples.nothing(), "", hash, 0))
        .withMessageStartingWith("model_name ");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ObjectKey.of("", Samples.nothing(), hash, 0))
        .withMessageStartingWith("cache_salt ");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ObjectKey.of("", "", Samples.nothing(), 0))
        .withMessageStartingWith("chunk_hash ");
  }

  @Test
  void equals_sameFactsInAnotherArray_isEqual() {
    ObjectKey same = ObjectKey.of("m", "salt", hash.clone(), -3);
    assertThat(same).isEqualTo(key).hasSameHashCodeAs(key);
  }

  @Test
  void equals_oneFactDiffers_isNotEqual() {
    assertThat(key)
        .isNotEqualTo(ObjectKey.of("n", "salt", hash, -3))
        .isNotEqualTo(ObjectKey.of("m", "", hash, -3))
        .isNotEqualTo(ObjectKey.of("m", "salt", new byte[] {1}, -3))
        .isNotEqualTo(ObjectKey.of("m", "salt", hash, 3))
        .isNotEqualTo("m");
  }

  @Test
  void toString_hash_isHex() {
    assertThat(key).hasToString("ObjectKey[m, salt, ab01, -3]");
  }
}
