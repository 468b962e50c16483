package io.lmcache.observability.usage;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.event.BlendEvent;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.L2Event;
import io.lmcache.observability.event.ObjectKey;
import io.lmcache.observability.event.ServerEvent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Secrets go in wherever something can go in, and none comes out. */
class PrivacyTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** In every secret, so that whatever comes out is found; of hexadecimal digits in part. */
  private static final String MARK = "zqxsecret";

  @TempDir private Path folder;
  private final Reports reports = new Reports();

  private static String secret(String kind) {
    return MARK + "-" + kind;
  }

  private UsageTelemetry.Options options() throws Exception {
    Path home = Files.createDirectories(folder.resolve(secret("home")));
    Map<String, String> environment = new HashMap<>();
    for (String name :
        List.of("RUNPOD_DC_ID", "HOSTNAME", "USER", "HOME", "LMCACHE_INSTANCE_ID", "PATH")) {
      environment.put(name, secret(name));
    }
    return UsageTelemetry.options()
        .environment(environment::get)
        .home(home)
        .localLog(folder.resolve(secret("log")))
        .url("http://" + secret("user") + ":" + secret("password") + "@" + MARK + ".test/" + MARK)
        .sender(reports);
  }

  private void assertNothingCameOut(int atLeast) throws Exception {
    assertThat(reports.all()).hasSizeGreaterThanOrEqualTo(atLeast);
    String sent = String.join("\n", reports.all().stream().map(Reports.Report::json).toList());
    String logged = Files.readString(folder.resolve(secret("log")));
    assertThat(logged.split("message_type: ", -1)).hasSize(reports.all().size() + 1);
    for (String text : List.of(sent, logged)) {
      assertThat(text.toLowerCase(Locale.ROOT)).doesNotContain(MARK).doesNotContain("zqx");
    }
  }

  private static String path(String kind) {
    return "/mnt/" + secret(kind) + "/" + secret("folder") + "/";
  }

  @Test
  void engine_tellsNothing() throws Exception {
    for (String model :
        List.of(
            path("model") + "llama",
            "~/" + secret("x") + "/llama",
            "s3://" + secret("bucket") + "/llama?token=" + MARK,
            "https://" + MARK + ":" + MARK + "@" + MARK + "/llama#" + MARK,
            "https://" + MARK + ":" + MARK + "@" + MARK,
            "C:\\" + MARK + "\\llama",
            MARK + "@" + MARK + ":" + MARK)) {
      EngineUsage usage =
          UsageTelemetry.startEngine(
                  EngineUsage.setup()
                      .localDevice(path("device"))
                      .remoteUrl("redis://" + MARK + ":" + MARK + "@" + MARK + ":1/" + MARK)
                      .remoteSerde("/" + MARK)
                      .modelName(model)
                      .kvCache(path("dtype"), 2, 1, 2, 3, 4, 5),
                  options())
              .orElseThrow();
      usage.tick(1, 2, 3);
      assertThat(usage.close(PATIENCE)).isTrue();
    }
    assertNothingCameOut(7 * 4);
  }

  @Test
  void server_tellsNothing() throws Exception {
    EventBus bus = EventBus.create(1_000);
    bus.start();
    MpServerUsage.Setup setup =
        MpServerUsage.setup()
            .version(path("version"))
            .hashAlgorithm("k=" + MARK)
            .engineType(path("engine"))
            .supportedTransferMode(MARK + "@" + MARK)
            .evictionPolicy("\\\\" + MARK)
            .l2Adapter("fs:" + path("adapter"), path("serde"))
            .l2Adapter("s3://" + MARK, "x=" + MARK)
            .l2Policies(path("store"), path("prefetch"))
            .l2Usage(() -> List.of(new MpServerUsage.L2Usage(path("l2"), 1, 2, 3)));
    MpServerUsage usage = UsageTelemetry.startMpServer(bus, setup, options()).orElseThrow();
    events().forEach(bus::publish);
    assertThat(bus.stop(PATIENCE)).isTrue();
    assertThat(usage.close(PATIENCE)).isTrue();
    assertNothingCameOut(5);
    assertThat(reports.of("L2ConnectorUsageMessage"))
        .extracting(fields -> fields.get("l2_name"))
        .containsExactly("fs", "other");
    assertThat(reports.of("L2ConnectorUsageMessage").get(1))
        .containsEntry("interval_stored_bytes", 7L);
  }

  /** One of each event that the reporters hear, and some that they do not. */
  private static List<Event> events() {
    byte[] hash = secret("key").getBytes(StandardCharsets.UTF_8);
    ObjectKey key = ObjectKey.of(secret("model"), secret("salt"), hash, 0);
    return List.of(
        new ServerEvent.RequestStart(secret("session"), secret("parent"), secret("state")),
        new ServerEvent.StoreEnd(MARK, MARK, MARK, MARK, 1, 1),
        new ServerEvent.RetrieveEnd(MARK, MARK, MARK, MARK, secret("salt"), 1, 1),
        new L2Event.StoreCompleted(0, 1, path("l2"), 1, 0, Map.of(secret("salt"), 1L), 7),
        new L2Event.LoadTaskSubmitted(1, 0, 1, "fs://" + MARK, 1, 1),
        new L1Event.ReadFinished(List.of(key)),
        new BlendEvent.RequestStart(secret("session")));
  }

  @Test
  void messages_madeByHand_tellNothing() throws Exception {
    Outbox outbox = new Outbox(options(), "mp_server");
    outbox.send(
        new UsageMessage.EnvMessage(
            MARK, 1, "", "", 0, "", "", 0, "", 0, "/opt/" + MARK + "/library.jar"));
    outbox.send(
        new UsageMessage.L2ConnectorUsageMessage(
            "nfs:" + path("l2"), 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0));
    assertNothingCameOut(2);
  }

  @Test
  void thisMachine_isNotToldApart() throws Exception {
    EngineUsage usage = UsageTelemetry.startEngine(EngineUsage.setup(), options()).orElseThrow();
    assertThat(usage.close(PATIENCE)).isTrue();
    String sent = String.join("\n", reports.all().stream().map(Reports.Report::json).toList());
    assertThat(sent)
        .doesNotContain(java.net.InetAddress.getLocalHost().getHostName())
        .doesNotContain(System.getProperty("user.dir"))
        .doesNotContain(System.getProperty("user.home"));
  }
}
