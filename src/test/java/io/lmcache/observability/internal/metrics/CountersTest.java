package io.lmcache.observability.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.event.BlendEvent;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.L2Event;
import io.lmcache.observability.event.ObjectKey;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.internal.support.SpanLookup;
import io.lmcache.observability.testing.SampleEvents;
import io.lmcache.observability.testing.Totals;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Every counter against sums that are taken straight from the events. */
class CountersTest {

  private static final int EVENTS = 5_000;

  private final Map<String, Map<String, Double>> wanted = new TreeMap<>();

  @Test
  void counters_overRandomEvents_areTheSumsOfTheContract() {
    InMemoryMetricReader reader = InMemoryMetricReader.create();
    List<Event> events = new ArrayList<>();
    try (SdkMeterProvider provider =
        SdkMeterProvider.builder().registerMetricReader(reader).build()) {
      MetricsSubscriber subscriber =
          new MetricsSubscriber(
              provider.get("test"),
              MetricsFixture.config().build(),
              true,
              EventBus.create(1).recordingErrors(),
              new SpanLookup());
      SampleEvents samples = new SampleEvents(42);
      for (int i = 0; i < EVENTS; i++) {
        Event event = samples.next();
        events.add(event);
        subscriber.onEvent(event, 1);
      }
      events.forEach(this::expect);
      Map<String, Map<String, Double>> totals = withoutZeros(Totals.of(counters(reader)));
      assertThat(totals).isEqualTo(withoutZeros(wanted));
      assertThat(totals).hasSize(42);
    }
  }

  private static List<MetricData> counters(InMemoryMetricReader reader) {
    return reader.collectAllMetrics().stream()
        .filter(metric -> metric.getType() == MetricDataType.LONG_SUM)
        .toList();
  }

  private static Map<String, Map<String, Double>> withoutZeros(
      Map<String, Map<String, Double>> totals) {
    Map<String, Map<String, Double>> left = new TreeMap<>();
    totals.forEach(
        (name, points) -> {
          Map<String, Double> moved = new HashMap<>(points);
          moved.values().removeIf(value -> value == 0);
          if (!moved.isEmpty()) {
            left.put(name, moved);
          }
        });
    return left;
  }

  private void expect(Event event) {
    if (event instanceof L1Event.ReadFinished e) {
      salts("l1_read", e.keys());
    } else if (event instanceof L1Event.WriteFinished e) {
      salts("l1_write", e.keys());
    } else if (event instanceof L1Event.WriteFinishedAndReadReserved e) {
      salts("l1_write", e.keys());
    } else if (event instanceof L1Event.KeysEvicted e) {
      salts("l1_evicted", e.keys());
    } else if (event instanceof L1Event.EvictionLoopTick e) {
      mp("l1_eviction_loop_ticks", 1);
      mp("l1_eviction_loop_triggered", e.triggered() ? 1 : 0);
    } else if (event instanceof L1Event.AllocationFailed e) {
      keys(
          "l1_allocation_failure",
          e.keys(),
          key -> Map.of("during", e.during().wireName(), "model_name", key.modelName()));
    } else if (event instanceof L1Event.ReadFailed e) {
      keys(
          "l1_read_failure",
          e.keys(),
          key ->
              Map.of(
                  "during",
                  e.during().wireName(),
                  "reason",
                  e.reason().wireName(),
                  "model_name",
                  key.modelName()));
    } else if (event instanceof L2Event e) {
      expectL2(e);
    } else if (event instanceof ServerEvent e) {
      expectServer(e);
    } else if (event instanceof BlendEvent e) {
      expectBlend(e);
    }
  }

  private void expectL2(L2Event event) {
    if (event instanceof L2Event.StoreSubmitted e) {
      mp("l2_store_submitted", 1);
      salts("l2_store_submitted_objects", e.keyCountPerSalt());
    } else if (event instanceof L2Event.StoreCompleted e) {
      mp("l2_store_completed", 1, "l2_name", e.l2Name());
      salts("l2_store_completed_objects", e.keyCountPerSalt());
    } else if (event instanceof L2Event.PrefetchLookupSubmitted e) {
      mp("l2_prefetch_lookup", 1);
      salts("l2_prefetch_lookup_objects", e.keyCountPerSalt());
    } else if (event instanceof L2Event.PrefetchLookupCompleted e) {
      mp("l2_prefetch_hit", e.prefixHitCount());
    } else if (event instanceof L2Event.PrefetchLoadSubmitted e) {
      mp("l2_prefetch_load_submitted", e.adapterCount());
      salts("l2_prefetch_load_submitted_objects", e.keyCountPerSalt());
    } else if (event instanceof L2Event.PrefetchLoadCompleted e) {
      salts("l2_prefetch_load_completed", e.keyCountPerSalt());
    } else if (event instanceof L2Event.LoadTaskCompleted e) {
      mp("l2_load_completed", 1, "l2_name", e.l2Name());
    } else if (event instanceof L2Event.KeysEvicted e) {
      salts("l2_evicted_objects", e.keyCountPerSalt());
    } else if (event instanceof L2Event.PrefetchFailed e) {
      keys(
          "l2_prefetch_failure",
          e.keys(),
          key -> Map.of("reason", e.reason(), "model_name", key.modelName()));
    }
  }

  private void expectServer(ServerEvent event) {
    if (event instanceof ServerEvent.LookupPrefetchEnd e) {
      mp(
          "lookup_requested",
          e.requestedTokens(),
          "model_name",
          e.modelName(),
          "cache_salt",
          e.cacheSalt());
      mp("lookup_hit", e.hitTokens(), "model_name", e.modelName(), "cache_salt", e.cacheSalt());
    } else if (event instanceof ServerEvent.RetrieveEnd e) {
      mp(
          "num_chunks_loaded",
          e.retrievedCount(),
          "worker_id",
          e.engineId(),
          "model_name",
          e.modelName(),
          "cache_salt",
          e.cacheSalt());
    } else if (event instanceof ServerEvent.TimeoutRaised e) {
      mp("timeouts", 1, "exception_type", e.exceptionType());
    }
  }

  private void expectBlend(BlendEvent event) {
    if (event instanceof BlendEvent.LookupStart) {
      blend("lookup_requests", 1);
    } else if (event instanceof BlendEvent.LookupEnd e) {
      blend("lookup_requested_tokens", e.requestedTokens());
      blend("lookup_hit_tokens", e.hitTokens());
      blend("lookup_fingerprint_hits", e.fingerprintHits());
      blend("lookup_storage_hits", e.storageHits());
      blend("lookup_stale_chunks", e.staleChunks());
      blend("lookup_no_gpu_context_errors", e.noGpuContext() ? 1 : 0);
    } else if (event instanceof BlendEvent.RetrieveStart e) {
      blend("retrieve_requests", 1);
      blend("retrieve_chunks", e.numChunks());
    } else if (event instanceof BlendEvent.RetrieveEnd e) {
      blend("retrieve_failures", e.success() ? 0 : 1);
    } else if (event instanceof BlendEvent.StorePreComputedStart) {
      blend("store_pre_computed_requests", 1);
    } else if (event instanceof BlendEvent.StorePreComputedEnd e) {
      blend("store_pre_computed_chunks", e.storedChunks());
      blend("store_pre_computed_failures", e.success() ? 0 : 1);
    } else if (event instanceof BlendEvent.StoreFinalStart) {
      blend("store_final_requests", 1);
    } else if (event instanceof BlendEvent.StoreFinalEnd e) {
      blend("store_final_chunks", e.storedChunks());
      blend("store_final_failures", e.success() ? 0 : 1);
    } else if (event instanceof BlendEvent.FingerprintsRegistered e) {
      blend("fingerprints_registered", e.numChunks());
    } else if (event instanceof BlendEvent.ChunksEvicted e) {
      blend("chunks_evicted", e.numChunks());
    }
  }

  private void keys(
      String metric,
      List<? extends ObjectKey> keys,
      Function<ObjectKey, Map<String, String>> attributes) {
    keys.forEach(key -> add("lmcache_mp." + metric, 1, attributes.apply(key)));
  }

  private void salts(String metric, List<? extends ObjectKey> keys) {
    keys(metric, keys, key -> Map.of("cache_salt", key.cacheSalt()));
  }

  private void salts(String metric, Map<String, Long> counts) {
    counts.forEach((salt, n) -> mp(metric, n, "cache_salt", salt));
  }

  private void mp(String metric, long amount, String... attributes) {
    Map<String, String> map = new HashMap<>();
    for (int i = 0; i < attributes.length; i += 2) {
      map.put(attributes[i], attributes[i + 1]);
    }
    add("lmcache_mp." + metric, amount, map);
  }

  private void blend(String metric, long amount) {
    add("lmcache_blend." + metric, amount, Map.of());
  }

  private void add(String metric, long amount, Map<String, String> attributes) {
    wanted
        .computeIfAbsent(metric, unused -> new TreeMap<>())
        .merge(new TreeMap<>(attributes).toString(), (double) amount, Double::sum);
  }
}
