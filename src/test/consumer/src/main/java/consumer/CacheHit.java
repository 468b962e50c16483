package consumer;

import io.lmcache.observability.event.CustomEvent;

/** An event of the server's own. */
public record CacheHit(long chunks) implements CustomEvent {}
