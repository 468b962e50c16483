package io.lmcache.observability.usage;

import static io.lmcache.observability.usage.UsageFixture.CHUNK;
import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.bus.EventBus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The reports as a real server receives them. */
class EndToEndTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** The fields of the contract and their types: s, i, d, b, or o for the histogram. */
  private static final Map<String, String> CONTRACT =
      Map.of(
          "EnvMessage",
          "provider s, num_cpu i, cpu_type s, cpu_family_model_stepping s, total_memory i,"
              + " architecture s, platforms s, gpu_count i, gpu_type s, gpu_memory_per_device i,"
              + " source s",
          "EngineMessage",
          "chunksize i, local_device s, max_local_cache_size i, remote_url s, remote_serde s,"
              + " pipelined_backend b, save_decode_cache b, enable_blending b,"
              + " blend_recompute_ratio d, blend_min_tokens i, model_name s, world_size i,"
              + " worker_id i, kv_dtype s, kv_shape s",
          "MetadataMessage",
          "start_time s, duration d",
          "MPServerMessage",
          "lmcache_version s, chunk_size i, hash_algorithm s, engine_type s,"
              + " enable_segmented_prefix b, supported_transfer_mode s, separate_object_groups b,"
              + " max_gpu_workers i, max_cpu_workers i, p2p_enabled b, l1_size_bytes i,"
              + " l1_medium s, l1_shm_enabled b, eviction_policy s, l2_adapter_types s,"
              + " l2_serde_types s, l2_store_policy s, l2_prefetch_policy s",
          "ContinuousContextMessage",
          "interval_num_stored_tokens i, interval_num_hit_tokens i, interval_stored_kv_size i,"
              + " sequence_number i, uptime_seconds d",
          "CacheLifespanMessage",
          "cache_lifespan_histogram o, sequence_number i, uptime_seconds d",
          "L2ConnectorUsageMessage",
          "l2_name s, active_seconds d, interval_stored_bytes i, interval_store_succeeded_keys i,"
              + " interval_store_failed_keys i, interval_load_submitted_keys i,"
              + " interval_load_submitted_bytes i, bytes_used i, capacity_bytes i,"
              + " unbounded_adapters i, sequence_number i, uptime_seconds d",
          "L1UsageMessage",
          "active_seconds d, bytes_used i, capacity_bytes i, sequence_number i,"
              + " uptime_seconds d");

  private static final String STAMPS =
      "message_type s, schema_version i, session_id s, machine_id s, deployment_mode s, ";

  private static final Map<String, String> ENDPOINTS =
      Map.of(
          "EnvMessage", "/context",
          "EngineMessage", "/context",
          "MetadataMessage", "/context",
          "MPServerMessage", "/context",
          "ContinuousContextMessage", "/cache-usage",
          "CacheLifespanMessage", "/cache-lifespan",
          "L2ConnectorUsageMessage", "/l2-usage",
          "L1UsageMessage", "/l1-usage");

  @TempDir private Path home;
  private StatsServer server;

  @BeforeEach
  void open() throws Exception {
    server = new StatsServer();
  }

  @AfterEach
  void close() {
    server.close();
  }

  private UsageTelemetry.Options options() {
    Map<String, String> environment = Map.of("LMCACHE_USAGE_TRACK_URL", server.url());
    return UsageTelemetry.options().environment(environment::get).home(home);
  }

  private static String shape(Map<String, Object> fields) {
    List<String> shape = new ArrayList<>();
    fields.forEach((name, value) -> shape.add(name + " " + type(value)));
    return String.join(", ", shape);
  }

  private static String type(Object value) {
    if (value instanceof Map<?, ?> map) {
      assertThat(map.values()).allMatch(Long.class::isInstance);
      return "o";
    }
    return Map.of("String", "s", "Long", "i", "Double", "d", "Boolean", "b")
        .getOrDefault(value.getClass().getSimpleName(), "?");
  }

  private static Map<String, Object> first(
      Map<String, List<StatsServer.Request>> byType, String type) {
    return byType.getOrDefault(type, List.of()).get(0).fields();
  }

  private static String text(Map<String, Object> fields, String name) {
    return String.valueOf(fields.get(name));
  }

  private Map<String, List<StatsServer.Request>> byType(int count) {
    Map<String, List<StatsServer.Request>> byType = new LinkedHashMap<>();
    for (StatsServer.Request request : server.await(count)) {
      assertThat(request.method()).isEqualTo("POST");
      assertThat(request.contentType()).isEqualTo("application/json");
      String type = String.valueOf(request.fields().get("message_type"));
      assertThat(shape(request.fields())).isEqualTo(STAMPS + CONTRACT.get(type));
      assertThat(request.path()).isEqualTo(ENDPOINTS.get(type));
      byType.computeIfAbsent(type, unused -> new ArrayList<>()).add(request);
    }
    return byType;
  }

  @Test
  void engine_sendsThreeReportsAtStart_andTwoPerInterval() {
    try (EngineUsage usage =
        UsageTelemetry.startEngine(UsageFixture.engine(), options()).orElseThrow()) {
      assertThat(byType(3)).containsOnlyKeys("EnvMessage", "EngineMessage", "MetadataMessage");
      usage.tick(100, 200, 1.0);
      usage.tick(100, 200, 1.0);
      Map<String, List<StatsServer.Request>> all = byType(5);
      assertThat(usage.close(PATIENCE)).isTrue();
      assertThat(server.requests()).hasSize(5);
      assertThat(first(all, "EngineMessage"))
          .containsEntry("schema_version", 1L)
          .containsEntry("session_id", Identity.SESSION_ID)
          .containsEntry("deployment_mode", "single_process")
          .containsEntry("chunksize", 256L)
          .containsEntry("remote_url", "redis")
          .containsEntry("blend_recompute_ratio", 0.15)
          .containsEntry("blend_min_tokens", 256L)
          .containsEntry("model_name", "meta-llama/Llama-3.1-8B")
          .containsEntry("world_size", 8L)
          .containsEntry("worker_id", 3L)
          .containsEntry("kv_dtype", "torch.bfloat16")
          .containsEntry("kv_shape", "32,2,256,8,128");
      assertThat(text(first(all, "MetadataMessage"), "start_time"))
          .matches("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d");
      assertThat(first(all, "CacheLifespanMessage").toString())
          .contains("cache_lifespan_histogram={0=0, 1=0, 5=1, 10=0,");
    }
  }

  @Test
  void server_sendsTwoReportsAtStart_andOneOfEachKindPerInterval() {
    EventBus bus = EventBus.create(100);
    bus.start();
    MpServerUsage usage =
        UsageTelemetry.startMpServer(
                bus,
                UsageFixture.server()
                    .l1Usage(() -> new MpServerUsage.L1Usage(7, 100))
                    .l2Usage(() -> List.of(new MpServerUsage.L2Usage("fs", 5, 0, 1))),
                options())
            .orElseThrow();
    Map<String, List<StatsServer.Request>> start = byType(2);
    assertThat(start).containsOnlyKeys("EnvMessage", "MPServerMessage");
    assertThat(first(start, "MPServerMessage"))
        .containsEntry("deployment_mode", "mp_server")
        .containsEntry("lmcache_version", "0.3.1")
        .containsEntry("engine_type", "blend")
        .containsEntry("max_gpu_workers", 4L)
        .containsEntry("max_cpu_workers", 16L)
        .containsEntry("l1_size_bytes", 1L << 36)
        .containsEntry("l1_medium", "dram+devdax")
        .containsEntry("l2_adapter_types", "fs,redis")
        .containsEntry("l2_serde_types", ",cachegen")
        .containsEntry("l2_prefetch_policy", "all");
    bus.publish(UsageFixture.stored(3, 1_000));
    bus.publish(UsageFixture.retrieved(2));
    bus.publish(UsageFixture.l2Stored("redis", 2, 1, 64));
    assertThat(bus.stop(PATIENCE)).isTrue();
    assertThat(usage.close(PATIENCE)).isTrue();
    Map<String, List<StatsServer.Request>> all = byType(6);
    assertThat(server.requests()).hasSize(6);
    assertThat(first(all, "ContinuousContextMessage"))
        .containsEntry("interval_num_stored_tokens", 3L * CHUNK)
        .containsEntry("interval_num_hit_tokens", 2L * CHUNK)
        .containsEntry("interval_stored_kv_size", 1_000L)
        .containsEntry("sequence_number", 1L);
    assertThat(all.get("L2ConnectorUsageMessage")).hasSize(2);
    assertThat(first(all, "L1UsageMessage")).containsEntry("bytes_used", 7L);
  }

  @Test
  void intervals_ofTheThread_followTheEnvironment() {
    EventBus bus = EventBus.create(100);
    bus.start();
    Map<String, String> environment =
        Map.of("LMCACHE_USAGE_TRACK_URL", server.url(), "LMCACHE_USAGE_TRACK_INTERVAL", "0.01");
    UsageTelemetry.startMpServer(
        bus, UsageFixture.server(), options().environment(environment::get));
    assertThat(server.await(6).subList(2, 6))
        .extracting(request -> request.fields().get("sequence_number"))
        .containsExactly(1L, 1L, 2L, 2L);
    assertThat(Double.parseDouble(text(server.requests().get(2).fields(), "uptime_seconds")))
        .isGreaterThanOrEqualTo(1);
    bus.stop(PATIENCE);
  }

  @ParameterizedTest
  @CsvSource({
    "'',/context",
    "/,/context",
    "/api/v1,/api/v1/context",
    "/api/v1/,/api/v1/context",
    "' /x ',/x/context"
  })
  void baseUrl_keepsItsPath_withAndWithoutASlash(String path, String wanted) {
    UsageTelemetry.Options options = options().url(server.url().strip() + path.stripTrailing());
    if (path.startsWith(" ")) {
      options = options().url("  " + server.url() + path.strip() + "  ");
    }
    try (EngineUsage usage =
        UsageTelemetry.startEngine(UsageFixture.engine(), options).orElseThrow()) {
      assertThat(server.await(1).get(0).path()).isEqualTo(wanted);
      assertThat(usage.close(PATIENCE)).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://stats_server:8080/api", "HTTP://stats:8080/api"})
  void baseUrl_inUnusualForms_isTaken(String url) {
    Reports reports = new Reports();
    try (EngineUsage usage =
        UsageTelemetry.startEngine(UsageFixture.engine(), options().url(url).sender(reports))
            .orElseThrow()) {
      assertThat(reports.await(1).get(0).target()).hasToString(url + "/context");
      assertThat(usage.close(PATIENCE)).isTrue();
    }
  }

  @Test
  void requests_sayNothingOfTheMachine_andLeaveNoConnection() {
    try (EngineUsage usage =
        UsageTelemetry.startEngine(UsageFixture.engine(), options()).orElseThrow()) {
      Map<String, List<String>> headers = server.await(1).get(0).headers();
      assertThat(headers.get("User-agent")).containsExactly("lmcache-observability");
      assertThat(headers.get("Connection")).containsExactly("close");
      assertThat(usage.close(PATIENCE)).isTrue();
    }
  }

  @Test
  void ids_areRandom_andTheSameInEveryReport() {
    try (EngineUsage usage =
        UsageTelemetry.startEngine(UsageFixture.engine(), options()).orElseThrow()) {
      usage.tick(0, 0);
      List<StatsServer.Request> all = server.await(5);
      for (String id : List.of("session_id", "machine_id")) {
        assertThat(all)
            .extracting(request -> request.fields().get(id))
            .containsOnly(all.get(0).fields().get(id));
        assertThat(text(all.get(0).fields(), id))
            .matches(Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"));
      }
    }
  }
}
