package io.lmcache.observability.event;

import java.util.Arrays;
import java.util.HexFormat;

/** The key behind {@link ObjectKey#of}; two of the same facts are equal. */
@SuppressWarnings("ArrayRecordComponent")
record PlainKey(String modelName, String cacheSalt, byte[] chunkHash, int kvRank)
    implements ObjectKey {

  PlainKey {
    Fields.notNull("model_name", modelName);
    Fields.notNull("cache_salt", cacheSalt);
    Fields.notNull("chunk_hash", chunkHash);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PlainKey key
        && kvRank == key.kvRank
        && modelName.equals(key.modelName)
        && cacheSalt.equals(key.cacheSalt)
        && Arrays.equals(chunkHash, key.chunkHash);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(chunkHash) + kvRank;
  }

  @Override
  public String toString() {
    String hash = HexFormat.of().formatHex(chunkHash);
    return "ObjectKey[" + modelName + ", " + cacheSalt + ", " + hash + ", " + kvRank + "]";
  }
}
