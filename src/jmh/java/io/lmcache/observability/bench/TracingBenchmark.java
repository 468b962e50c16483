package io.lmcache.observability.bench;

import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.internal.support.SpanLookup;
import io.lmcache.observability.internal.tracing.TracingSubscriber;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What tracing costs the drain thread: the spans of requests that hit, from their events, with many
 * requests open at a time; time per span.
 *
 * <p>The yardstick is {@link #bareSdk}: the same spans by direct calls, keys and parents at hand.
 * The processor behind both drops them, so that nothing else is measured.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(5)
public class TracingBenchmark {

  private static final int SESSIONS = 256;
  private static final int SPANS = 4;
  private static final String DEVICE = "cuda:0";
  private static final String ENGINE = "engine-0";
  private static final String MODEL = "llama-8b";
  private static final String SALT = "tenant-a";

  private static final AttributeKey<String> SESSION_KEY = AttributeKey.stringKey("session_id");
  private static final AttributeKey<String> DEVICE_KEY = AttributeKey.stringKey("device");
  private static final AttributeKey<String> ENGINE_KEY = AttributeKey.stringKey("engine_id");
  private static final AttributeKey<String> MODEL_KEY = AttributeKey.stringKey("model_name");
  private static final AttributeKey<String> SALT_KEY = AttributeKey.stringKey("cache_salt");
  private static final AttributeKey<Long> FOUND = AttributeKey.longKey("found_count");
  private static final AttributeKey<Long> REQUESTED = AttributeKey.longKey("requested_tokens");
  private static final AttributeKey<Long> HIT = AttributeKey.longKey("hit_tokens");
  private static final AttributeKey<Double> HIT_RATE = AttributeKey.doubleKey("hit_rate");
  private static final AttributeKey<Long> RETRIEVED = AttributeKey.longKey("retrieved_count");
  private static final AttributeKey<Long> STORED = AttributeKey.longKey("stored_count");
  private static final AttributeKey<Long> BYTES = AttributeKey.longKey("total_bytes");

  private final SdkTracerProvider provider =
      SdkTracerProvider.builder().addSpanProcessor(new Discard()).build();
  private final Tracer tracer = provider.get("lmcache_mp.server");
  private final TracingSubscriber subscriber =
      new TracingSubscriber(
          provider,
          ObservabilityConfig.builder().environment(Map.of()).systemProperties(Map.of()).build(),
          new SpanLookup());
  private final String[] sessions = new String[SESSIONS];
  private final Event[][] steps = new Event[8][SESSIONS];
  private final Event[][] stepsWithSubmitted = new Event[10][SESSIONS];
  private final Span[] roots = new Span[SESSIONS];
  private final Context[] parents = new Context[SESSIONS];
  private final Span[] children = new Span[SESSIONS];
  private long now = 1_700_000_000_000_000_000L;

  /** Makes the events. */
  public TracingBenchmark() {
    for (int i = 0; i < SESSIONS; i++) {
      String session = "6f1c2b1e-8f0e-4f0e-9d5d-" + (100_000_000_000L + i);
      sessions[i] = session;
      steps[0][i] = new ServerEvent.RequestStart(session);
      steps[1][i] = new ServerEvent.LookupPrefetchStart(session);
      steps[2][i] = new ServerEvent.LookupPrefetchEnd(session, 3, 64, 48, MODEL, SALT);
      steps[3][i] = new ServerEvent.RetrieveStart(session, DEVICE, ENGINE, MODEL);
      steps[4][i] = new ServerEvent.RetrieveEnd(session, DEVICE, ENGINE, MODEL, SALT, 3, 4_096);
      steps[5][i] = new ServerEvent.StoreStart(session, DEVICE, ENGINE, MODEL);
      steps[6][i] = new ServerEvent.StoreEnd(session, DEVICE, ENGINE, MODEL, 3, 4_096);
      steps[7][i] = new ServerEvent.RequestEnd(session);
      stepsWithSubmitted[3][i] = new ServerEvent.RetrieveSubmitted(session, DEVICE);
      stepsWithSubmitted[6][i] = new ServerEvent.StoreSubmitted(session, DEVICE);
    }
    int next = 0;
    for (int i = 0; i < stepsWithSubmitted.length; i++) {
      if (stepsWithSubmitted[i][0] == null) {
        stepsWithSubmitted[i] = steps[next++];
      }
    }
  }

  /** The subscriber, given the events that open and close the spans. */
  @Benchmark
  @OperationsPerInvocation(SESSIONS * SPANS)
  public long tracing() throws Exception {
    return dispatch(steps);
  }

  /** The same with the events that announce copies, two for four spans. */
  @Benchmark
  @OperationsPerInvocation(SESSIONS * SPANS)
  public long tracingWithSubmitted() throws Exception {
    return dispatch(stepsWithSubmitted);
  }

  private long dispatch(Event[][] script) throws Exception {
    for (Event[] step : script) {
      for (Event event : step) {
        subscriber.onEvent(event, now++);
      }
    }
    return subscriber.openSpans();
  }

  /** The yardstick. */
  @Benchmark
  @OperationsPerInvocation(SESSIONS * SPANS)
  public void bareSdk() {
    for (int i = 0; i < SESSIONS; i++) {
      roots[i] = start("request", Context.root(), i);
      parents[i] = Context.root().with(roots[i]);
    }
    for (int i = 0; i < SESSIONS; i++) {
      children[i] = start("mp.lookup_prefetch", parents[i], i);
    }
    for (int i = 0; i < SESSIONS; i++) {
      Span span = children[i];
      span.setAttribute(FOUND, 3L).setAttribute(REQUESTED, 64L).setAttribute(HIT, 48L);
      span.setAttribute(MODEL_KEY, MODEL).setAttribute(SALT_KEY, SALT);
      roots[i].setAttribute(REQUESTED, 64L).setAttribute(HIT, 48L).setAttribute(HIT_RATE, 0.75);
      span.end(now++, TimeUnit.NANOSECONDS);
    }
    for (int i = 0; i < SESSIONS; i++) {
      children[i] = startCopy("mp.retrieve", i);
    }
    for (int i = 0; i < SESSIONS; i++) {
      Span span = children[i];
      span.setAttribute(SALT_KEY, SALT).setAttribute(RETRIEVED, 3L).setAttribute(BYTES, 4_096L);
      span.end(now++, TimeUnit.NANOSECONDS);
    }
    for (int i = 0; i < SESSIONS; i++) {
      children[i] = startCopy("mp.store", i);
    }
    for (int i = 0; i < SESSIONS; i++) {
      children[i].setAttribute(STORED, 3L).setAttribute(BYTES, 4_096L);
      children[i].end(now++, TimeUnit.NANOSECONDS);
    }
    for (int i = 0; i < SESSIONS; i++) {
      roots[i].end(now++, TimeUnit.NANOSECONDS);
    }
  }

  private Span start(String name, Context parent, int session) {
    return tracer
        .spanBuilder(name)
        .setParent(parent)
        .setStartTimestamp(now++, TimeUnit.NANOSECONDS)
        .setAttribute(SESSION_KEY, sessions[session])
        .startSpan();
  }

  private Span startCopy(String name, int session) {
    return tracer
        .spanBuilder(name)
        .setParent(parents[session])
        .setStartTimestamp(now++, TimeUnit.NANOSECONDS)
        .setAttribute(SESSION_KEY, sessions[session])
        .setAttribute(DEVICE_KEY, DEVICE)
        .setAttribute(ENGINE_KEY, ENGINE)
        .setAttribute(MODEL_KEY, MODEL)
        .startSpan();
  }

  /** Wants the ends, without which the SDK records nothing, and does nothing with them. */
  private static final class Discard implements SpanProcessor {

    @Override
    public void onStart(Context parent, ReadWriteSpan span) {}

    @Override
    public boolean isStartRequired() {
      return false;
    }

    @Override
    public void onEnd(ReadableSpan span) {}

    @Override
    public boolean isEndRequired() {
      return true;
    }
  }
}
