package io.lmcache.observability.usage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lmcache.observability.testing.FakeClock;
import io.lmcache.observability.testing.Threads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdentityTest {

  private static final String ID = "0f8fad5b-d9cb-469f-a165-70867728950e";

  @TempDir private Path home;

  private Path file() {
    return home.resolve(".config/lmcache/machine_id");
  }

  private void write(String text) throws IOException {
    Files.createDirectories(file().getParent());
    Files.writeString(file(), text);
  }

  @Test
  void machineId_isMadeOnFirstUse_forTheOwnerAlone_andKept() throws Exception {
    String id = Identity.machineId(home);
    assertThat(file()).hasContent(id);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("rw-------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file().getParent())))
        .isEqualTo("rwx------");
    assertThat(Identity.machineId(home)).isEqualTo(id);
    try (Stream<Path> files = Files.list(file().getParent())) {
      assertThat(files).containsExactly(file());
    }
  }

  @Test
  void machineId_afterItsFileIsDeleted_isAnother() throws Exception {
    String id = Identity.machineId(home);
    Files.delete(file());
    assertThat(Identity.machineId(home)).isNotEqualTo(id);
  }

  @Test
  void machineId_ofManyAtOnce_isOne() {
    for (int round = 0; round < 50; round++) {
      Path folder = home.resolve("home" + round);
      Set<String> ids = ConcurrentHashMap.newKeySet();
      Threads.together(
          8,
          index -> {
            try {
              ids.add(Identity.machineId(folder));
            } catch (IOException e) {
              ids.add(e.toString());
            }
          });
      assertThat(ids).hasSize(1).first().asString().hasSize(36);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {ID, ID + "\n", " 0F8FAD5B-D9CB-469F-A165-70867728950E "})
  void machineId_thatIsThere_isTaken(String text) throws Exception {
    write(text);
    assertThat(Identity.machineId(home)).isEqualTo(ID);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "host-7", ID + ID, ID + " host", "0f8fad5b-d9cb-169f-a165-70867728950e"})
  void machineId_malformed_isNone_andLeftAlone(String text) throws Exception {
    write(text);
    assertNone();
    assertThat(file()).hasContent(text);
  }

  @Test
  void machineId_thatCannotBeMadeOrRead_isNone() throws Exception {
    Files.writeString(home.resolve(".config"), "a file where the folder should be");
    assertNone();
    Files.delete(home.resolve(".config"));
    Files.createDirectories(file());
    assertNone();
  }

  /** It throws, and the reports have an empty id. */
  private void assertNone() {
    assertThatThrownBy(() -> Identity.machineId(home)).isInstanceOf(IOException.class);
    Reports reports = new Reports();
    new Outbox(UsageFixture.on(home, reports, FakeClock.create()), "mp_server")
        .send(new UsageMessage.L1UsageMessage(1, 2, 3, 4, 5));
    assertThat(reports.all().get(0).fields()).containsEntry("machine_id", "");
  }
}
