package io.lmcache.observability.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/contributing.md shows of usage telemetry, done to a copy of the sources. */
class AddingAUsageMessageTest {

  private static final Path GUIDE = Path.of("docs/contributing.md");
  private static final String ROOM = "io/lmcache/observability/usage/";

  private static final String PROGRAM =
      """
      package io.lmcache.observability.usage;

      import io.lmcache.observability.bus.EventBus;
      import io.lmcache.observability.event.L1Event;
      import io.lmcache.observability.event.ObjectKey;
      import java.nio.file.Path;
      import java.time.Duration;
      import java.util.List;
      import java.util.Map;

      public final class Program {
        public static String run(Path home) {
          StringBuffer sent = new StringBuffer();
          var options =
              UsageTelemetry.options()
                  .environment(Map.<String, String>of()::get)
                  .home(home)
                  .url("http://127.0.0.1:1/v1")
                  .sender((target, json) -> sent.append(target).append(json));
          new Outbox(options, "mp_server").send(new UsageMessage.PrefetchMessage("all", 3, 1));
          EventBus bus = EventBus.create(10);
          UsageTelemetry.startMpServer(bus, MpServerUsage.setup(), options);
          var key = ObjectKey.of("m", "", new byte[1], 0);
          bus.start();
          bus.publish(new L1Event.KeysEvicted(List.of(key, key)));
          bus.publish(new L1Event.KeysEvicted(List.of(key)));
          bus.stop(Duration.ofSeconds(30));
          var engine = UsageTelemetry.startEngine(EngineUsage.setup(), options).orElseThrow();
          engine.tick(7, 8);
          engine.close(Duration.ofSeconds(30));
          return sent.toString();
        }
      }
      """;

  @TempDir private Path folder;

  @Test
  void messageAndSpecification_asTheGuideShows_areAllThatItTakes() throws Exception {
    List<String> blocks = Snippets.of(GUIDE, "java");
    Path sources = folder.resolve("sources");
    AddingAnEventTest.copy(Path.of("src/main/java"), sources);
    Path messages = sources.resolve(ROOM + "UsageMessage.java");
    AddingAnEventTest.insert(messages, "  /**\n   * The use of L1.", blocks.get(2));
    AddingAnEventTest.insert(
        messages,
        "      long sequenceNumber,\n      double uptimeSeconds)\n      implements UsageMessage {\n\n"
            + "    /** The wire names",
        blocks.get(3).stripTrailing());
    AddingAnEventTest.insert(
        sources.resolve(ROOM + "MpServerUsage.java"),
        "          new MetricSpec<>(\n              ServerEvent.RetrieveEnd.class",
        blocks.get(4).stripTrailing());
    Files.writeString(sources.resolve(ROOM + "Program.java"), PROGRAM);
    Path classes = Files.createDirectories(folder.resolve("classes"));
    assertThat(Snippets.compile(AddingAnEventTest.javaFiles(sources), classes)).isEmpty();
    assertThat(AddingAnEventTest.run("usage.Program", classes, folder))
        .contains("http://127.0.0.1:1/v1/prefetch-usage{\"message_type\":\"PrefetchMessage\"")
        .contains("\"prefetch_policy\":\"all\",\"sequence_number\":3,\"uptime_seconds\":1.0}")
        .contains("\"interval_num_evicted_chunks\":3,\"sequence_number\":1")
        .contains("\"interval_num_stored_tokens\":7,\"interval_num_hit_tokens\":8")
        .contains("\"interval_num_evicted_chunks\":0,\"sequence_number\":1");
  }
}
