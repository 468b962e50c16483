package io.lmcache.observability.event;

/**
 * The identity of one cached chunk, implemented by the server's own key class so that handing keys
 * over converts nothing.
 *
 * <p>Its methods are called on the bus's drain thread, after the event was published: they must
 * keep returning the same facts. The library calls neither {@code equals} nor {@code hashCode} and
 * keeps no reference to a key after the dispatch of its event.
 */
public interface ObjectKey {

  /** The model whose attention cache this is. */
  String modelName();

  /** The tenant or isolation domain; empty when there is none. */
  String cacheSalt();

  /** The hash of the chunk's prefix: the key's own array, never copied or written to. */
  byte[] chunkHash();

  /** The worker rank that holds this part of the chunk. */
  int kvRank();

  /**
   * A plain key for servers that have no class of their own.
   *
   * @throws IllegalArgumentException if a value is null
   */
  static ObjectKey of(String modelName, String cacheSalt, byte[] chunkHash, int kvRank) {
    return new PlainKey(modelName, cacheSalt, chunkHash, kvRank);
  }
}
