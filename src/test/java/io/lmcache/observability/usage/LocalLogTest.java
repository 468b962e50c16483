package io.lmcache.observability.usage;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.testing.FakeClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalLogTest {

  @TempDir private Path home;
  private final Reports reports = new Reports();

  private void send(UsageTelemetry.Options options, UsageMessage... messages) {
    Outbox outbox = new Outbox(options, "single_process");
    for (UsageMessage message : messages) {
      outbox.send(message);
    }
  }

  private UsageTelemetry.Options options() {
    return UsageFixture.on(home, reports, FakeClock.create());
  }

  @Test
  void eachReport_isABlockOfLines_appended() throws Exception {
    Path log = home.resolve("usage.log");
    Files.writeString(log, "earlier\n\n");
    send(
        options().localLog(log),
        new UsageMessage.MetadataMessage("2024-05-06 07:08:09", 0.5),
        new UsageMessage.CacheLifespanMessage(Map.of("5", 2L), 1, 3));
    String id = Identity.machineId(home);
    assertThat(log)
        .hasContent(
            """
            earlier

            message_type: MetadataMessage
            schema_version: 1
            session_id: %1$s
            machine_id: %2$s
            deployment_mode: single_process
            start_time: 2024-05-06 07:08:09
            duration: 0.5

            message_type: CacheLifespanMessage
            schema_version: 1
            session_id: %1$s
            machine_id: %2$s
            deployment_mode: single_process
            cache_lifespan_histogram: {5=2}
            sequence_number: 1
            uptime_seconds: 3.0

            """
                .formatted(Identity.SESSION_ID, id));
    assertThat(reports.all()).hasSize(2);
  }

  @Test
  void logOfOurs_isTheOwnersAlone_andATildeIsTheHome() throws Exception {
    send(options().localLog(Path.of("~/usage.log")), new UsageMessage.MetadataMessage("", 0));
    assertThat(
            PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve("usage.log"))))
        .isEqualTo("rw-------");
  }

  @Test
  void logThatCannotBeWritten_breaksNoReport() {
    send(options().localLog(home), new UsageMessage.MetadataMessage("", 0));
    send(
        options().localLog(home.resolve("no/such/folder")),
        new UsageMessage.MetadataMessage("", 0));
    assertThat(reports.all()).hasSize(2);
  }
}
