package io.lmcache.observability.internal.tracing;

import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.BlendEvent;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.internal.support.SpanLookup;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The tracing room over an SDK that keeps its spans; events are handed over directly. */
final class TracingFixture implements AutoCloseable {

  static final String S = "session-1";
  static final String D0 = "cuda:0";
  static final String D1 = "cuda:1";

  final InMemorySpanExporter exporter = InMemorySpanExporter.create();
  final SpanLookup current = new SpanLookup();
  final TracingSubscriber subscriber;
  private final SdkTracerProvider provider =
      SdkTracerProvider.builder().addSpanProcessor(SimpleSpanProcessor.create(exporter)).build();

  TracingFixture() {
    this(config());
  }

  TracingFixture(ObservabilityConfig.Builder config) {
    this.subscriber = new TracingSubscriber(OneEnd.of(provider), config.build(), current);
  }

  /** Settings that the machine has no part in. */
  static ObservabilityConfig.Builder config() {
    return ObservabilityConfig.builder().environment(Map.of()).systemProperties(Map.of());
  }

  /** Dispatches events, each with its time before it. */
  TracingFixture run(Object... timesAndEvents) {
    for (int i = 0; i < timesAndEvents.length; i += 2) {
      at(((Number) timesAndEvents[i]).longValue(), (Event) timesAndEvents[i + 1]);
    }
    return this;
  }

  TracingFixture at(long time, Event event) {
    try {
      subscriber.onEvent(event, time);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    return this;
  }

  void tick(long time) {
    try {
      subscriber.onTick(time);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  void stop() {
    try {
      subscriber.onStop();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** What has ended, in that order. */
  List<SpanData> spans() {
    return exporter.getFinishedSpanItems();
  }

  List<String> names() {
    return spans().stream().map(SpanData::getName).toList();
  }

  /** The one span of a name. */
  SpanData span(String name) {
    List<SpanData> found = spans().stream().filter(s -> s.getName().equals(name)).toList();
    if (found.size() != 1) {
      throw new AssertionError(found.size() + " spans " + name + " among " + names());
    }
    return found.get(0);
  }

  /** Start and end of the one span of a name. */
  List<Long> times(String name) {
    return times(span(name));
  }

  static List<Long> times(SpanData span) {
    return List.of(span.getStartEpochNanos(), span.getEndEpochNanos());
  }

  /** The attributes with their types' own values. */
  static Map<String, Object> attributes(SpanData span) {
    Map<String, Object> all = new TreeMap<>();
    span.getAttributes().forEach((key, value) -> all.put(key.getKey(), value));
    return all;
  }

  static String incomplete(SpanData span) {
    return String.valueOf(span.getAttributes().get(AttributeKey.stringKey("incomplete")));
  }

  long violations(String rule) {
    return subscriber.violations().getOrDefault(rule, -1L);
  }

  /** Nothing is open and nothing is remembered. */
  boolean isEmpty() {
    return subscriber.openSpans() == 0 && subscriber.remembered() == 0;
  }

  static ServerEvent.RequestStart requestStart() {
    return new ServerEvent.RequestStart(S);
  }

  static ServerEvent.RequestEnd requestEnd() {
    return new ServerEvent.RequestEnd(S);
  }

  static ServerEvent.LookupPrefetchStart lookupStart() {
    return new ServerEvent.LookupPrefetchStart(S);
  }

  static ServerEvent.LookupPrefetchEnd lookupEnd(long requested, long hit) {
    return new ServerEvent.LookupPrefetchEnd(S, hit / 16, requested, hit, "m", "salt");
  }

  static ServerEvent.StoreSubmitted storeSubmitted(String device) {
    return new ServerEvent.StoreSubmitted(S, device);
  }

  static ServerEvent.StoreStart storeStart(String device) {
    return new ServerEvent.StoreStart(S, device, "engine", "m");
  }

  static ServerEvent.StoreEnd storeEnd(String device, long bytes) {
    return new ServerEvent.StoreEnd(S, device, "engine", "m", 3, bytes);
  }

  static ServerEvent.RetrieveSubmitted retrieveSubmitted(String device) {
    return new ServerEvent.RetrieveSubmitted(S, device);
  }

  static ServerEvent.RetrieveStart retrieveStart(String device) {
    return new ServerEvent.RetrieveStart(S, device, "engine", "m");
  }

  static ServerEvent.RetrieveEnd retrieveEnd(String device) {
    return new ServerEvent.RetrieveEnd(S, device, "engine", "m", "salt", 4, 64);
  }

  static ServerEvent.TimeoutRaised timeout(String session) {
    return new ServerEvent.TimeoutRaised(session, "too late", "Late", "a.b.Late", "at a.b");
  }

  static BlendEvent.RequestStart blendStart() {
    return new BlendEvent.RequestStart(S);
  }

  static BlendEvent.RequestEnd blendEnd() {
    return new BlendEvent.RequestEnd(S);
  }

  @Override
  public void close() {
    provider.close();
  }
}
