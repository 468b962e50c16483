package io.lmcache.observability.usage;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Looks at the machine: at files of the system and of the GPU's driver only, no program is started.
 * What cannot be told is UNKNOWN, empty or 0. It reads files, so it has no place on a thread of the
 * server's.
 */
final class EnvProbe {

  private static final int MAX_LINES = 4_096;
  private static final long KIB = 1_024;
  private static final String AMD = "0x1002";

  private static final List<String> VENDOR_FILES =
      List.of("product_version", "bios_vendor", "product_name", "chassis_asset_tag", "sys_vendor");

  private static final Map<String, String> VENDORS =
      Map.of(
          "amazon", "AWS", "microsoft corporation", "AZURE", "google", "GCP", "oraclecloud", "OCI");

  private final Path root;
  private final String runPod;
  private final String jar;

  /**
   * A probe of a machine.
   *
   * @param root its root folder
   * @param runPod the data centre that RunPod names, or empty
   * @param jar where the library was loaded from
   */
  EnvProbe(Path root, String runPod, String jar) {
    this.root = root;
    this.runPod = runPod;
    this.jar = jar;
  }

  /** Sends what this machine is; a probe that fails costs that message only. */
  static void report(UsageTelemetry.Options options, Outbox outbox) {
    outbox.guarded("the probe of the machine", () -> outbox.send(of(options).message()));
  }

  /** A probe of this machine. */
  static EnvProbe of(UsageTelemetry.Options options) {
    String jar = "";
    try {
      jar = EnvProbe.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    } catch (RuntimeException unknown) {
      // A class loader need not say.
    }
    return new EnvProbe(Path.of("/"), options.environmentValue("RUNPOD_DC_ID"), jar);
  }

  UsageMessage.EnvMessage message() {
    Map<String, String> cpu = firstBlock("proc/cpuinfo");
    List<Gpu> gpus = new ArrayList<>(nvidia());
    gpus.addAll(amd());
    Gpu first = gpus.isEmpty() ? new Gpu("", 0) : gpus.get(0);
    return new UsageMessage.EnvMessage(
        provider(),
        Runtime.getRuntime().availableProcessors(),
        cpu.getOrDefault("model name", ""),
        Stream.of("cpu family", "model", "stepping")
            .map(cpu::get)
            .filter(value -> value != null)
            .collect(Collectors.joining(",")),
        number(firstBlock("proc/meminfo").getOrDefault("MemTotal", "").replace(" kB", "")) * KIB,
        architecture(System.getProperty("os.name", "")),
        Stream.of("os.name", "os.version", "os.arch")
            .map(name -> System.getProperty(name, ""))
            .collect(Collectors.joining("-")),
        gpus.size(),
        first.type(),
        first.memoryBytes(),
        source());
  }

  private String provider() {
    for (String file : VENDOR_FILES) {
      String text = text("sys/class/dmi/id/" + file).toLowerCase(Locale.ROOT);
      for (Map.Entry<String, String> vendor : VENDORS.entrySet()) {
        if (text.contains(vendor.getKey())) {
          return vendor.getValue();
        }
      }
    }
    return runPod.isEmpty() ? "UNKNOWN" : "RUNPOD";
  }

  private static String architecture(String system) {
    String bits = System.getProperty("sun.arch.data.model", "64") + "bit,";
    if (system.startsWith("Windows")) {
      return bits + "WindowsPE";
    }
    return bits + (system.startsWith("Mac") ? "Mach-O" : "ELF");
  }

  private String source() {
    if (Files.exists(root.resolve(".dockerenv"))) {
      return "DOCKER";
    }
    String path = jar.replace('\\', '/');
    if (path.contains("/.m2/")) {
      return "MAVEN";
    }
    return path.contains("/.gradle/") ? "GRADLE" : "UNKNOWN";
  }

  /** A GPU; its memory is 0 when unknown. */
  private record Gpu(String type, long memoryBytes) {}

  private List<Gpu> nvidia() {
    return folders("proc/driver/nvidia/gpus", "*").stream()
        .map(gpu -> new Gpu(firstBlock(gpu + "/information").getOrDefault("Model", ""), 0))
        .toList();
  }

  private List<Gpu> amd() {
    return folders("sys/class/drm", "card[0-9]*").stream()
        .filter(card -> text(card + "/device/vendor").equals(AMD))
        .map(
            card ->
                new Gpu(
                    text(card + "/device/product_name"),
                    number(text(card + "/device/mem_info_vram_total"))))
        .toList();
  }

  private List<String> folders(String folder, String glob) {
    try (DirectoryStream<Path> found = Files.newDirectoryStream(root.resolve(folder), glob)) {
      List<String> names = new ArrayList<>();
      found.forEach(path -> names.add(folder + "/" + path.getFileName()));
      names.sort(null);
      return names;
    } catch (IOException | RuntimeException none) {
      return List.of();
    }
  }

  /** The {@code key : value} lines of a file up to the first empty one. */
  private Map<String, String> firstBlock(String file) {
    Map<String, String> values = new HashMap<>();
    try (Stream<String> lines = Files.lines(root.resolve(file))) {
      lines
          .limit(MAX_LINES)
          .takeWhile(line -> !line.isBlank())
          .map(line -> line.split(":", 2))
          .filter(pair -> pair.length == 2)
          .forEach(pair -> values.putIfAbsent(pair[0].strip(), pair[1].strip()));
    } catch (IOException | RuntimeException none) {
      return Map.of();
    }
    return values;
  }

  private String text(String file) {
    try (Stream<String> lines = Files.lines(root.resolve(file))) {
      return lines.findFirst().orElse("").strip();
    } catch (IOException | RuntimeException none) {
      return "";
    }
  }

  private static long number(String text) {
    try {
      return Math.max(0, Long.parseLong(text.strip()));
    } catch (NumberFormatException none) {
      return 0;
    }
  }
}
