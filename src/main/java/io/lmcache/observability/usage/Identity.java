package io.lmcache.observability.usage;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Who reports, anonymously: two random ids, nothing of which comes from the machine; and whether
 * anybody may report at all.
 */
final class Identity {

  /** Random, once per process: by contract the one static state. */
  static final String SESSION_ID = UUID.randomUUID().toString();

  private static final Pattern RANDOM_UUID =
      Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
  private static final int UUID_BYTES = 36;

  private Identity() {}

  /** The one gate: whether the environment leaves usage telemetry on. Unreadable, it is off. */
  static boolean isEnabled(Function<String, @Nullable String> environment) {
    try {
      String doNotTrack = value(environment, "DO_NOT_TRACK");
      return !value(environment, "LMCACHE_TRACK_USAGE").equalsIgnoreCase("false")
          && !doNotTrack.equals("1")
          && !doNotTrack.equalsIgnoreCase("true")
          && !doNotTrack.equalsIgnoreCase("yes");
    } catch (Throwable unreadable) {
      return false;
    }
  }

  /** A variable without blanks around it; empty when it is not set. */
  static String value(Function<String, @Nullable String> environment, String name) {
    String value = environment.apply(name);
    return value == null ? "" : value.strip();
  }

  /**
   * The id in the file below a home, made when there is none.
   *
   * @throws IOException if it cannot be read or made, or is not a random UUID
   */
  static String machineId(Path home) throws IOException {
    Path folder = home.toAbsolutePath().resolve(".config").resolve("lmcache");
    Path file = folder.resolve("machine_id");
    if (!Files.exists(file)) {
      create(folder, file);
    }
    String id = Files.isRegularFile(file) ? head(file) : "";
    if (!RANDOM_UUID.matcher(id).matches()) {
      throw new IOException("no random UUID in the file machine_id");
    }
    return id;
  }

  private static String head(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      String text = new String(in.readNBytes(2 * UUID_BYTES), StandardCharsets.UTF_8);
      return text.strip().toLowerCase(Locale.ROOT);
    }
  }

  /** Makes it whole in one step, so that of several processes one wins and none sees half of it. */
  private static void create(Path folder, Path file) throws IOException {
    Files.createDirectories(folder, owner(folder, "rwx------"));
    Path whole = Files.createTempFile(folder, "machine_id", null, owner(folder, "rw-------"));
    try {
      Files.writeString(whole, UUID.randomUUID() + "\n");
      publish(whole, file);
    } catch (FileAlreadyExistsException another) {
      // Somebody was quicker: theirs it is.
    } finally {
      Files.deleteIfExists(whole);
    }
  }

  private static void publish(Path whole, Path file) throws IOException {
    try {
      Files.createLink(file, whole);
    } catch (UnsupportedOperationException | IOException noLinks) {
      Files.copy(whole, file, StandardCopyOption.COPY_ATTRIBUTES);
    }
  }

  /** For the owner alone, where the file system knows owners. */
  static FileAttribute<?>[] owner(Path path, String permissions) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }
}
