package io.lmcache.observability.internal.support;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The span of the operation whose end came last: how the samples that this very event gives find
 * their span. For the drain thread only, on which tracing handles an event before metrics do. Where
 * tracing is off there is none.
 */
public final class SpanLookup {

  private @Nullable Supplier<Span> span;

  /** Sets the span that the event in dispatch closed; null if it closed none. */
  public void set(@Nullable Supplier<Span> span) {
    this.span = span;
  }

  /** The span's context, good after its end as well; the root context if there is no span. */
  public Context context() {
    Supplier<Span> of = span;
    return of == null ? Context.root() : Context.root().with(of.get());
  }
}
