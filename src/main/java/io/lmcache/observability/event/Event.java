package io.lmcache.observability.event;

/**
 * One fact that a cache server reports.
 *
 * <p>Every event is an immutable record and may be handed between threads freely. Its constructor
 * refuses a null or out-of-range field with an {@link IllegalArgumentException} that names the
 * field. Counts (keys, chunks, tokens, bytes) go from 0 to 2<sup>53</sup>, the largest whole number
 * that every metric format carries exactly. The bus stamps it with the time of its publication.
 *
 * @see EventType
 */
public sealed interface Event
    permits L1Event, StorageEvent, L2Event, ServerEvent, BlendEvent, CustomEvent {

  /** The session that this event belongs to; empty when it has none. */
  default String sessionId() {
    return "";
  }

  /** What kind of event this is. */
  default EventType type() {
    return EventType.of(getClass());
  }

  /** An event that names its model in a field of its own. */
  interface OfModel {

    /** The model that this is about. */
    String modelName();
  }
}
