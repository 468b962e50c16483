package io.lmcache.observability.internal.tracing;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.TracerProvider;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;

/** Stands before a tracer provider, and fails where a span is ended twice, which an SDK hides. */
final class OneEnd implements InvocationHandler {

  private static final List<Class<?>> KINDS =
      List.of(TracerProvider.class, Tracer.class, SpanBuilder.class, Span.class);

  private final Object target;
  private boolean ended;

  private OneEnd(Object target) {
    this.target = target;
  }

  static TracerProvider of(TracerProvider provider) {
    return (TracerProvider) wrap(provider);
  }

  private static Object wrap(Object target) {
    for (Class<?> kind : KINDS) {
      if (kind.isInstance(target)) {
        return Proxy.newProxyInstance(
            OneEnd.class.getClassLoader(), new Class<?>[] {kind}, new OneEnd(target));
      }
    }
    return target;
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    if (target instanceof Span && method.getName().equals("end")) {
      if (ended) {
        throw new AssertionError("ended twice: " + target);
      }
      ended = true;
    }
    try {
      Object result = method.invoke(target, arguments);
      return result == target ? proxy : wrap(result);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
