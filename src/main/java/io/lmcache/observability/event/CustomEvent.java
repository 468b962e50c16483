package io.lmcache.observability.event;

/**
 * An event of the embedding server's own; implement it by a record.
 *
 * <p>It travels on the same bus, with the same stamps and the same bound, to the subscribers that
 * ask for its class. No metric of the catalogue counts it; when it is dropped it counts under the
 * event type {@code custom}. An implementation must be immutable.
 */
public non-sealed interface CustomEvent extends Event {}
