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

  /** The contract's name of the event, such as {@code L1_READ_FINISHED}. */
  String type();

  /** The dotted name in logs and metric attributes, such as {@code l1.read.finished}. */
  String wireName();

  /** Who publishes it. */
  String publisher();

  /** The thread that publishes it. */
  String thread() default "the caller's";
}
