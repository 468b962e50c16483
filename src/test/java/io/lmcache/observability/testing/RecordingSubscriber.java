package io.lmcache.observability.testing;

import io.lmcache.observability.bus.Subscriber;
import io.lmcache.observability.event.Event;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Keeps all that it is given, to be read by any thread. */
public final class RecordingSubscriber implements Subscriber {

  /** An event and the stamp that came with it. */
  public record Received(Event event, long epochNanos) {}

  private final String name;
  private final List<Received> received = new CopyOnWriteArrayList<>();
  private final AtomicInteger stops = new AtomicInteger();

  private RecordingSubscriber(String name) {
    this.name = name;
  }

  /** One of the usual name. */
  public static RecordingSubscriber create() {
    return named("RecordingSubscriber");
  }

  /** One of a name of its own. */
  public static RecordingSubscriber named(String name) {
    return new RecordingSubscriber(name);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void onEvent(Event event, long epochNanos) {
    received.add(new Received(event, epochNanos));
  }

  @Override
  public void onStop() {
    stops.incrementAndGet();
  }

  /** All events, in the order of their arrival. */
  public List<Event> received() {
    return received.stream().map(Received::event).toList();
  }

  /** All stamps, in the order of their arrival. */
  public List<Long> stamps() {
    return received.stream().map(Received::epochNanos).toList();
  }

  /** How often it was told that the bus has ended. */
  public int stops() {
    return stops.get();
  }
}
