package io.lmcache.observability.internal.tracing;

import io.lmcache.observability.catalog.SpanTable;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import org.jspecify.annotations.Nullable;

/** The W3C trace context of a request's caller. */
record RemoteParent(String traceparent, String tracestate) {

  private static final TextMapGetter<RemoteParent> GETTER =
      new TextMapGetter<>() {
        @Override
        public @Nullable String get(@Nullable RemoteParent parent, String key) {
          if (parent == null) {
            return null;
          }
          return key.equals(SpanTable.TRACEPARENT) ? parent.traceparent : parent.tracestate;
        }
      };

  /** The context; null if the traceparent is invalid, which leaves no trace of it. */
  @Nullable Context context() {
    Context context = W3CTraceContextPropagator.getInstance().extract(Context.root(), this, GETTER);
    return Span.fromContextOrNull(context) == null ? null : context;
  }
}
