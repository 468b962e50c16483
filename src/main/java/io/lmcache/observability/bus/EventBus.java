package io.lmcache.observability.bus;

import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.EventType;
import io.lmcache.observability.internal.support.Await;
import io.lmcache.observability.internal.support.Clock;
import io.lmcache.observability.internal.support.Durations;
import io.lmcache.observability.internal.support.Warnings;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue of events with one thread that dispatches them to the subscribers.
 *
 * <p>Any thread may call any method; {@link EventSink} says what publishing promises. A full queue
 * drops the newest event and counts it. An event waits at most 5 ms in traffic and at most 50 ms
 * after a silence. Events may be published before {@link #start}; after {@link #stop} they are
 * dropped and counted. {@code flush} and {@code stop} return false at once on the drain thread.
 *
 * @see BusStatistics
 */
public final class EventBus implements EventSink, AutoCloseable {

  /* Implementation notes: the hot path is publish(Event) and StampedRing.offer, nothing else. The
   * ring's tail counts what was accepted, drops what was not (by event type, the null event last),
   * so published needs no counter of its own. drops is also where abandoned events go; they were
   * accepted, so statistics() takes them off again. The monitor guards start, stop and the
   * abandonment, never a publish. */

  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
  private static final long ABANDON_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int NULL_INDEX = EventType.all().size();

  private final boolean enabled;
  private final StampedRing ring;
  private final Clock clock;
  private final Warnings warnings = new Warnings();
  private final Dispatcher dispatcher = new Dispatcher(warnings);
  private final RecordingErrors recordingErrors = new RecordingErrors();
  private final AtomicLongArray drops = new AtomicLongArray(NULL_INDEX + 1);
  private final DropReport dropReport;
  private final DrainLoop loop;
  private volatile @Nullable Thread drain;
  private boolean stopped;
  private long abandoned;

  private EventBus(boolean enabled, int capacity, Clock clock) {
    this.enabled = enabled;
    this.ring = new StampedRing(capacity);
    this.clock = clock;
    this.dropReport = new DropReport(this::dropped, capacity);
    this.loop = new DrainLoop(ring, dispatcher, clock, dropReport);
  }

  /**
   * A bus by the machine's clock, not started yet.
   *
   * @param maxQueueSize how many events may wait, 1 … 4,194,304
   * @throws IllegalArgumentException if it is out of range
   */
  public static EventBus create(int maxQueueSize) {
    return new EventBus(true, maxQueueSize, Clock.system());
  }

  /** A bus by a clock of the caller's, which any thread may read at any time. */
  public static EventBus create(int maxQueueSize, InstantSource clock) {
    return new EventBus(true, maxQueueSize, Clock.of(clock));
  }

  /** A bus that does nothing and counts nothing. */
  public static EventBus disabled() {
    return new EventBus(false, 1, Clock.of(InstantSource.system()));
  }

  @Override
  public boolean isEnabled() {
    return enabled;
  }

  @Override
  @SuppressWarnings("NullAway") // a null event is refused, not trusted to be absent
  public boolean publish(Event event) {
    return enabled && (event == null ? drop(null) : offer(event, event));
  }

  @Override
  public boolean publish(Event event, long epochNanos) {
    if (!enabled) {
      return false;
    }
    if (event == null) {
      return drop(null);
    }
    if (epochNanos <= 0) {
      refused(event.getClass(), new IllegalArgumentException("stamp ≤ 0: " + epochNanos));
      return false;
    }
    return offer(event, new DrainLoop.Timed(event, epochNanos));
  }

  private boolean offer(Event event, Object element) {
    long position = ring.offer(element, clock.epochNanos());
    if (position < 0) {
      return drop(event);
    }
    if (ring.wakesAt(position)) {
      wake();
    }
    return true;
  }

  private boolean drop(@Nullable Event event) {
    drops.incrementAndGet(event == null ? NULL_INDEX : EventType.of(event.getClass()).index());
    if (event == null) {
      warnings.once("null event", "a null event was published; it counts as dropped");
    }
    return false;
  }

  @Override
  public boolean publishOnStream(Executor stream, Event event) {
    if (!enabled) {
      return false;
    }
    try {
      stream.execute(() -> publish(event));
      return true;
    } catch (Throwable fault) {
      recordingErrors.count(RecordingErrors.Reason.STREAM_FAILED);
      warnings.once("stream", "a stream refused the callback that publishes an event", fault);
      return false;
    }
  }

  @Override
  public void refused(Class<? extends Event> eventClass, Throwable fault) {
    if (enabled) {
      recordingErrors.count(RecordingErrors.Reason.INVALID_FIELD);
      String kind = eventClass == null ? "null" : eventClass.getName();
      warnings.once(kind, "an event was not published, its field is invalid: " + kind, fault);
    }
  }

  /**
   * Adds a subscriber behind those that are there.
   *
   * @throws IllegalArgumentException if it has no name or asks for no events
   */
  public Subscription register(Subscriber subscriber) {
    return dispatcher.register(subscriber);
  }

  /**
   * Adds a handler for the events of one class, or of all classes below an interface.
   *
   * @param name the name in logs and in {@code event_bus.subscriber_exceptions}
   * @throws IllegalArgumentException if the name is blank
   */
  public <E extends Event> Subscription subscribe(
      Class<E> events, String name, EventHandler<? super E> handler) {
    return register(new Dispatcher.HandlerSubscriber<>(events, name, handler));
  }

  /**
   * Starts the drain thread; does nothing when it runs already or the bus is off.
   *
   * @throws IllegalStateException if the bus has been stopped
   */
  public synchronized void start() {
    if (stopped) {
      throw new IllegalStateException("a stopped bus cannot be started again");
    }
    if (enabled && drain == null) {
      Thread thread = new Thread(this::drain, "lmcache-event-bus");
      thread.setDaemon(true);
      drain = thread;
      try {
        thread.start();
      } catch (Throwable noThread) {
        drain = null;
        throw noThread;
      }
    }
  }

  private void drain() {
    loop.run();
    if (loop.isAbandoning()) {
      abandonQueued();
    }
    dropReport.last();
    dispatcher.stop();
  }

  private void wake() {
    Thread thread = drain;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }

  /** Whether the caller is a subscriber at work, whom {@code flush} and {@code stop} refuse. */
  public boolean isDrainThread() {
    return Thread.currentThread() == drain;
  }

  /**
   * Waits until all that was published before has been dispatched, and what falls due by now has
   * been told to the subscribers.
   *
   * @return false when the time ran out, events were abandoned, or this is the drain thread
   */
  public boolean flush(Duration timeout) {
    if (isDrainThread()) {
      return false;
    }
    long target = ring.tail();
    long timeoutNanos = Durations.toNanos(timeout);
    long start = System.nanoTime();
    wake();
    if (!Await.until(() -> ring.completed() >= target || loop.isAbandoning(), timeoutNanos)) {
      return false;
    }
    long turn = loop.turnsBegun();
    wake();
    return Await.until(
            () -> loop.turnsEnded() > turn || !isDraining() || loop.isAbandoning(),
            timeoutNanos - (System.nanoTime() - start))
        && !loop.isAbandoning();
  }

  private boolean isDraining() {
    return drain != null && !loop.hasEnded();
  }

  /**
   * Refuses new events, dispatches those that are queued, and ends the drain thread. Events that
   * are left when the time is over are dropped, counted and logged. May be called again.
   *
   * @return whether everything that had been accepted was dispatched and the thread has ended;
   *     false on the drain thread
   */
  public boolean stop(Duration timeout) {
    if (isDrainThread()) {
      return false;
    }
    Thread thread = closeIntake();
    if (thread == null) {
      if (ring.depth() > 0 && loop.abandon()) {
        dropReport.abandoned(abandonQueued());
      }
      dispatcher.stop();
      return abandonQueued() == 0;
    }
    LockSupport.unpark(thread);
    if (!Await.until(() -> !thread.isAlive(), Durations.toNanos(timeout))) {
      abandon(thread);
      return false;
    }
    return abandonQueued() == 0;
  }

  /** Gives up what is queued, at once if the drain thread is held up by a subscriber. */
  private void abandon(Thread thread) {
    if (loop.abandon()) {
      boolean takesNoMore =
          Await.until(() -> ring.isDispatching() || !thread.isAlive(), ABANDON_NANOS);
      long lost = takesNoMore ? abandonQueued() : ring.depth();
      if (lost > 0) {
        dropReport.abandoned(lost);
      }
    }
  }

  private synchronized @Nullable Thread closeIntake() {
    stopped = true;
    ring.close();
    loop.stop();
    return drain;
  }

  /** {@link #stop} within 5 seconds. */
  @Override
  public void close() {
    stop(CLOSE_TIMEOUT);
  }

  /** Drops what is queued; for the drain thread, or once that takes no more. The total so far. */
  private synchronized long abandonQueued() {
    while (ring.head() != ring.tail()) {
      Object next = ring.discard();
      if (next == null) {
        Thread.onSpinWait(); // claimed, and about to be filled
      } else {
        drop(next instanceof DrainLoop.Timed timed ? timed.event() : (Event) next);
        abandoned++;
      }
    }
    return abandoned;
  }

  /** How many events wait for their dispatch. */
  public int queueDepth() {
    return ring.depth();
  }

  /** How long ago the oldest event that is queued or in dispatch was published; else zero. */
  public Duration oldestEventAge() {
    long stamp = ring.oldestStamp();
    return stamp < 0 ? Duration.ZERO : Duration.ofNanos(Math.max(0, clock.epochNanos() - stamp));
  }

  /** How many events were dropped. */
  public long dropped() {
    long sum = 0;
    for (int i = 0; i <= NULL_INDEX; i++) {
      sum += drops.get(i);
    }
    return sum;
  }

  /** The drops by the event's wire name, {@code null} for null; zeros left out. */
  public Map<String, Long> droppedByType() {
    Map<String, Long> byType = new TreeMap<>();
    List<EventType> types = EventType.all();
    for (int i = 0; i <= NULL_INDEX; i++) {
      if (drops.get(i) > 0) {
        byType.put(i == NULL_INDEX ? "null" : types.get(i).wireName(), drops.get(i));
      }
    }
    return byType;
  }

  /** What subscribers threw, by their name; zero for those that threw nothing. */
  public Map<String, Long> subscriberExceptions() {
    return dispatcher.exceptions();
  }

  /** What bad values cost. */
  public RecordingErrors recordingErrors() {
    return recordingErrors;
  }

  /** All counts at one moment. */
  public synchronized BusStatistics statistics() {
    long dropped = dropped();
    while (true) {
      long completed = ring.completed();
      long head = ring.head();
      long accepted = ring.tail();
      if (completed == ring.completed() && head == ring.head()) {
        return new BusStatistics(
            accepted + dropped - abandoned,
            completed - abandoned,
            head - completed,
            accepted - head,
            dropped);
      }
    }
  }
}
