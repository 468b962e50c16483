package io.lmcache.observability.internal.support;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The span of the operation whose end is now being dispatched: how a sample of a metric finds its
 * span. For the drain thread only; set by tracing, until its next event or tick. Where tracing is
 * off there is none.
 */
public final class SpanLookup {

  private @Nullable Supplier<Span> span;

  /** Sets the span that the event in dispatch closed. */
  public void set(Supplier<Span> span) {
    this.span = span;
  }

  /** Forgets it. */
  public void clear() {
    if (span != null) { // a write costs far more than a look
      span = null;
    }
  }

  /** The span's context, good after its end as well; the root context if there is no span. */
  public Context context() {
    Supplier<Span> of = span;
    return of == null ? Context.root() : Context.root().with(of.get());
  }
}
