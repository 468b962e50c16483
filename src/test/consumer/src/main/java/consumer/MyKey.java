package consumer;

import io.lmcache.observability.event.ObjectKey;

/** A key class of the server's own. */
public record MyKey(String modelName, String cacheSalt, byte[] chunkHash, int kvRank)
    implements ObjectKey {}
