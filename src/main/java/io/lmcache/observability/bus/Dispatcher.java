package io.lmcache.observability.bus;

import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.EventType;
import io.lmcache.observability.internal.support.Warnings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Knows who wants which event, and calls them guarded.
 *
 * <p>Any thread may register; only the drain thread dispatches. The routes by event class are a
 * cache of the drain thread's, thrown away when the registrations have changed.
 */
final class Dispatcher {

  private record Entry(Subscriber subscriber, String name, List<Class<? extends Event>> events) {

    boolean wants(Class<?> eventClass) {
      return events.stream().anyMatch(wanted -> wanted.isAssignableFrom(eventClass));
    }
  }

  /** A handler for the events of one class. */
  record HandlerSubscriber<E extends Event>(
      Class<E> eventClass, String name, EventHandler<? super E> handler) implements Subscriber {

    HandlerSubscriber {
      Objects.requireNonNull(eventClass, "events");
      Objects.requireNonNull(handler, "handler");
    }

    @Override
    public List<Class<? extends Event>> events() {
      return List.of(eventClass);
    }

    @Override
    public void onEvent(Event event, long epochNanos) throws Exception {
      handler.handle(eventClass.cast(event), epochNanos);
    }
  }

  /** How many names are told apart, once those that are closed add to them. */
  private static final int MAX_NAMES = 100;

  /** Stands for closed subscribers beyond that. */
  private static final String CLOSED = "closed";

  private final Warnings warnings;
  private final Map<String, AtomicLong> exceptions = new ConcurrentHashMap<>();
  private final Map<Class<?>, Entry[]> routes = new HashMap<>();
  private volatile List<Entry> entries = List.of();
  private List<Entry> routed = entries;
  private boolean stopped;

  Dispatcher(Warnings warnings) {
    this.warnings = warnings;
  }

  /**
   * Adds a subscriber behind those that are there; one that comes after the end is told of it.
   *
   * @throws IllegalArgumentException if it has no name or asks for nothing
   */
  Subscription register(Subscriber subscriber) {
    Entry entry = entry(subscriber);
    if (add(entry)) {
      stop(entry);
    }
    return () -> remove(entry);
  }

  private static Entry entry(Subscriber subscriber) {
    String name = subscriber.name();
    if (name == null || name.isBlank()) {
      throw new IllegalArgumentException(
          "a subscriber has no name; an anonymous class or a lambda must be given one");
    }
    List<Class<? extends Event>> asked = subscriber.events();
    List<Class<? extends Event>> events = asked == null ? List.of() : List.copyOf(asked);
    if (events.isEmpty()) {
      throw new IllegalArgumentException("subscriber " + name + " asks for no events");
    }
    return new Entry(subscriber, name, events);
  }

  /** Adds it; whether the end has been told without it. */
  private synchronized boolean add(Entry entry) {
    counter(entry.name);
    List<Entry> more = new ArrayList<>(entries);
    more.add(entry);
    entries = List.copyOf(more);
    return stopped;
  }

  @SuppressWarnings("ReferenceEquality") // one subscriber may be registered twice
  private synchronized void remove(Entry entry) {
    entries = entries.stream().filter(other -> other != entry).toList();
    if (entries.stream().anyMatch(other -> other.name.equals(entry.name))) {
      return;
    }
    AtomicLong counter = exceptions.get(entry.name);
    if (counter != null && (counter.get() == 0 || exceptions.size() > MAX_NAMES)) {
      exceptions.remove(entry.name);
      if (counter.get() > 0) {
        counter(CLOSED).addAndGet(counter.get());
      }
    }
  }

  private AtomicLong counter(String name) {
    return exceptions.computeIfAbsent(name, unused -> new AtomicLong());
  }

  void dispatch(Event event, long epochNanos) {
    for (Entry entry : route(event.getClass())) {
      try {
        entry.subscriber.onEvent(event, epochNanos);
      } catch (Throwable fault) {
        failed(entry, EventType.of(event.getClass()).name(), fault);
      }
    }
  }

  /** Tells the subscribers how far time has passed. */
  void tick(long epochNanos) {
    for (Entry entry : entries) {
      try {
        entry.subscriber.onTick(epochNanos);
      } catch (Throwable fault) {
        failed(entry, "a tick", fault);
      }
    }
  }

  @SuppressWarnings("ReferenceEquality") // a new list is a new registration
  private Entry[] route(Class<?> eventClass) {
    List<Entry> now = entries;
    if (now != routed) {
      routes.clear();
      routed = now;
    }
    Entry[] route = routes.get(eventClass);
    if (route == null) {
      route = now.stream().filter(entry -> entry.wants(eventClass)).toArray(Entry[]::new);
      routes.put(eventClass, route);
    }
    return route;
  }

  /** Tells the subscribers, once, that there will be no more events. */
  void stop() {
    for (Entry entry : end()) {
      Thread.interrupted();
      stop(entry);
    }
  }

  /** Those to tell; nobody the second time. */
  private synchronized List<Entry> end() {
    List<Entry> told = stopped ? List.of() : entries;
    stopped = true;
    return told;
  }

  private void stop(Entry entry) {
    try {
      entry.subscriber.onStop();
    } catch (Throwable fault) {
      failed(entry, "the end of the bus", fault);
    }
  }

  private void failed(Entry entry, String what, Throwable fault) {
    count(entry);
    warnings.once(
        "subscriber " + entry.name, "subscriber " + entry.name + " failed on " + what, fault);
  }

  /** Under the name, or among the closed ones if the subscription was closed meanwhile. */
  private synchronized void count(Entry entry) {
    counter(exceptions.containsKey(entry.name) ? entry.name : CLOSED).incrementAndGet();
  }

  /** The exceptions by the name of the subscriber, zeros included. */
  Map<String, Long> exceptions() {
    Map<String, Long> counts = new TreeMap<>();
    exceptions.forEach((name, count) -> counts.put(name, count.get()));
    return counts;
  }
}
