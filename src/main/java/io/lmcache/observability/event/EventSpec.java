package io.lmcache.observability.event;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What the contract says of an event, beside its fields and the comment above it, which says when
 * it is published; the source of {@link EventType} and of EVENTS.md.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface EventSpec {

  /**
   * The dotted name in logs and metric attributes, such as {@code l1.read.finished}; in upper case,
   * with underscores, it is the contract's name of the event.
   */
  String wireName();

  /** Who publishes it. */
  String publisher();

  /** The thread that publishes it. */
  String thread() default "the caller's";
}
