package io.lmcache.observability.internal.tracing;

import io.lmcache.observability.catalog.SpanTable;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.EventType;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Span;
import java.util.concurrent.TimeUnit;

/** Tells of an exception on a span, by OpenTelemetry's conventions. */
final class ExceptionEvent {

  private ExceptionEvent() {}

  static void add(Span span, Event event, long epochNanos) {
    AttributesBuilder attributes = Attributes.builder();
    for (EventType.Field field : event.type().fields()) {
      String name = SpanTable.EXCEPTION_ATTRIBUTES.get(field.name());
      if (name != null) {
        attributes.put(AttributeKey.stringKey(name), (String) field.of(event));
      }
    }
    span.addEvent(SpanTable.EXCEPTION, attributes.build(), epochNanos, TimeUnit.NANOSECONDS);
  }
}
