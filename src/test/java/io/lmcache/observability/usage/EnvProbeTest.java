package io.lmcache.observability.usage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The look at the machine, at files that look like one. */
class EnvProbeTest {

  @TempDir private Path root;

  private void file(String name, String text) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private UsageMessage.EnvMessage probe(String runPod, String jar) {
    return new EnvProbe(root, runPod, jar).message();
  }

  private UsageMessage.EnvMessage probe() {
    return probe("", "");
  }

  @Test
  void machine_thatShowsNothing_isUnknown() {
    UsageMessage.EnvMessage message = probe();
    assertThat(message.provider()).isEqualTo("UNKNOWN");
    assertThat(message.source()).isEqualTo("UNKNOWN");
    assertThat(message.numCpu()).isPositive();
    assertThat(message.totalMemory()).isZero();
    assertThat(message.gpuCount()).isZero();
    assertThat(message.gpuMemoryPerDevice()).isZero();
    assertThat(message.cpuType()).isEmpty();
    assertThat(message.architecture()).matches("(32|64)bit,(ELF|Mach-O|WindowsPE)");
    assertThat(message.platforms())
        .isEqualTo(
            System.getProperty("os.name")
                + "-"
                + System.getProperty("os.version")
                + "-"
                + System.getProperty("os.arch"));
  }

  @Test
  void processorAndMemory_areTold() throws Exception {
    file(
        "proc/cpuinfo",
        """
        processor\t: 0
        cpu family\t: 6
        model\t\t: 85
        model name\t: Xeon  8275 @ 3.00GHz
        stepping\t: 7

        processor\t: 1
        model name\t: another
        """);
    file("proc/meminfo", "MemTotal:       16384 kB\nMemFree: 1 kB\n");
    UsageMessage.EnvMessage message = probe();
    assertThat(message.cpuType()).isEqualTo("Xeon 8275 @ 3.00GHz");
    assertThat(message.cpuFamilyModelStepping()).isEqualTo("6,85,7");
    assertThat(message.totalMemory()).isEqualTo(16_384L * 1_024);
  }

  @ParameterizedTest
  @CsvSource({
    "product_version,4.2.amazon,AWS",
    "sys_vendor,Microsoft Corporation,AZURE",
    "bios_vendor,Google,GCP",
    "chassis_asset_tag,OracleCloud.com,OCI",
    "sys_vendor,ACME,UNKNOWN"
  })
  void provider_isToldByTheFirmware(String name, String text, String wanted) throws Exception {
    file("sys/class/dmi/id/" + name, text + "\n");
    assertThat(probe().provider()).isEqualTo(wanted);
  }

  @Test
  void provider_withoutFirmware_isToldByRunPod() throws Exception {
    assertThat(probe("EU-7", "").provider()).isEqualTo("RUNPOD");
    file("sys/class/dmi/id/sys_vendor", "Amazon EC2");
    assertThat(probe("EU-7", "").provider()).isEqualTo("AWS");
  }

  @Test
  void gpus_areToldByTheDriver() throws Exception {
    file("proc/driver/nvidia/gpus/0000:17:00.0/information", "Model: \t\t NVIDIA H100\nIRQ: 5\n");
    file("proc/driver/nvidia/gpus/0000:65:00.0/information", "Model: \t\t NVIDIA H100\n");
    assertThat(probe().gpuCount()).isEqualTo(2);
    assertThat(probe().gpuType()).isEqualTo("NVIDIA H100");
    assertThat(probe().gpuMemoryPerDevice()).isZero();
  }

  @Test
  void gpus_ofAmd_tellTheirMemory() throws Exception {
    file("sys/class/drm/card0/device/vendor", "0x8086\n");
    file("sys/class/drm/card1/device/vendor", "0x1002\n");
    file("sys/class/drm/card1/device/product_name", "Instinct MI300X\n");
    file("sys/class/drm/card1/device/mem_info_vram_total", "205888946176\n");
    assertThat(probe().gpuCount()).isEqualTo(1);
    assertThat(probe().gpuType()).isEqualTo("Instinct MI300X");
    assertThat(probe().gpuMemoryPerDevice()).isEqualTo(205_888_946_176L);
  }

  @Test
  void source_isAContainer_orTheRepositoryOfTheJar() throws Exception {
    assertThat(probe("", "/home/x/.m2/repository/a.jar").source()).isEqualTo("MAVEN");
    assertThat(probe("", "/home/x/.gradle/caches/a.jar").source()).isEqualTo("GRADLE");
    assertThat(probe("", "/opt/secret/a.jar").source()).isEqualTo("UNKNOWN");
    file(".dockerenv", "");
    assertThat(probe("", "/home/x/.m2/repository/a.jar").source()).isEqualTo("DOCKER");
  }

  @Test
  void filesThatAreGarbage_doNoHarm() throws Exception {
    Files.createDirectories(root.resolve("proc/cpuinfo"));
    file("proc/meminfo", "MemTotal: lots\n");
    Files.write(
        Files.createDirectories(root.resolve("sys/class/dmi/id")).resolve("sys_vendor"),
        new byte[] {(byte) 0xff, (byte) 0xfe, 0, 10});
    assertThat(probe().totalMemory()).isZero();
    assertThat(probe().provider()).isEqualTo("UNKNOWN");
  }
}
