package io.lmcache.observability.producer;

import io.lmcache.observability.event.Event;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** The open half of a pair of events; it lets its end through once. */
sealed class Pair
    permits StorageManager.Store,
        StorageManager.Lookup,
        StorageManager.Load,
        StorageManager.LoadTask,
        CacheServer.Request,
        CacheServer.LookupPrefetch,
        CacheServer.Store,
        CacheServer.Retrieve,
        CacheBlend.Request,
        CacheBlend.Lookup,
        CacheBlend.Retrieve,
        CacheBlend.Store {

  private static final VarHandle ENDED;

  static {
    try {
      ENDED = MethodHandles.lookup().findVarHandle(Pair.class, "ended", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final Emitter emitter;

  @SuppressWarnings("unused") // by its handle
  private volatile boolean ended;

  Pair(Emitter emitter) {
    this.emitter = emitter;
  }

  /** Whether the end may be published now; a second end is refused and counted. */
  final boolean ends(Class<? extends Event> end) {
    if (emitter.isOff()) {
      return false;
    }
    if (!ENDED.compareAndSet(this, false, true)) {
      emitter.refused(end, new IllegalStateException("this pair has ended already"));
      return false;
    }
    return true;
  }
}
