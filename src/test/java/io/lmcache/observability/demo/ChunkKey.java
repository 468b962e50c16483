package io.lmcache.observability.demo;

import io.lmcache.observability.event.ObjectKey;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The cache's own key class: what the demo's server keeps its chunks under. */
final class ChunkKey implements ObjectKey {

  static final String MODEL = "demo-model";

  private final String cacheSalt;
  private final long hashId;
  private final byte[] chunkHash;

  ChunkKey(String cacheSalt, long hashId) {
    this.cacheSalt = cacheSalt;
    this.hashId = hashId;
    this.chunkHash = ByteBuffer.allocate(Long.BYTES).putLong(hashId).array();
  }

  @Override
  public String modelName() {
    return MODEL;
  }

  @Override
  public String cacheSalt() {
    return cacheSalt;
  }

  @Override
  public byte[] chunkHash() {
    return chunkHash;
  }

  @Override
  public int kvRank() {
    return 0;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ChunkKey key && hashId == key.hashId && cacheSalt.equals(key.cacheSalt);
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(hashId) + cacheSalt.hashCode();
  }

  @Override
  public String toString() {
    return cacheSalt + "/" + hashId;
  }
}
