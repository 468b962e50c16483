package io.lmcache.observability.usage;

import io.lmcache.observability.event.L2Event;
import io.lmcache.observability.event.ServerEvent;
import io.lmcache.observability.testing.FakeClock;
import java.nio.file.Path;
import java.util.Map;

/** What the tests of this room share: options that are on, whole setups, events. */
final class UsageFixture {

  static final int CHUNK = 256;

  private UsageFixture() {}

  /** On, below a folder, to a sender, with a clock that stands. */
  static UsageTelemetry.Options on(Path home, UsageSender sender, FakeClock clock) {
    return UsageTelemetry.options()
        .environment(Map.<String, String>of()::get)
        .home(home)
        .url("http://127.0.0.1:1")
        .clock(clock)
        .sender(sender);
  }

  static EngineUsage.Setup engine() {
    return EngineUsage.setup()
        .chunkSize(CHUNK)
        .localDevice("cpu")
        .maxLocalCacheSize(5)
        .remoteUrl("redis://cache-7.example:6379/3")
        .remoteSerde("naive")
        .pipelinedBackend(true)
        .saveDecodeCache(true)
        .blending(true, 256)
        .modelName("meta-llama/Llama-3.1-8B")
        .worker(8, 3)
        .kvCache("torch.bfloat16", 2, 32, 2, CHUNK, 8, 128);
  }

  static MpServerUsage.Setup server() {
    return MpServerUsage.setup()
        .version("0.3.1")
        .chunkSize(CHUNK)
        .hashAlgorithm("sha256_cbor_64bit")
        .engineType("blend")
        .enableSegmentedPrefix(true)
        .supportedTransferMode("both")
        .separateObjectGroups(true)
        .maxWorkers(4, 16)
        .p2pEnabled(true)
        .l1(MpServerUsage.L1Medium.DRAM_DEVDAX, 1L << 36, true)
        .evictionPolicy("LRU")
        .l2Adapter("fs", null)
        .l2Adapter("redis", "cachegen")
        .l2Policies("write_through", "all");
  }

  static ServerEvent stored(long chunks, long bytes) {
    return new ServerEvent.StoreEnd("s", "cuda:0", "e", "m", chunks, bytes);
  }

  static ServerEvent retrieved(long chunks) {
    return new ServerEvent.RetrieveEnd("s", "cuda:0", "e", "m", "salt", chunks, 1);
  }

  static L2Event l2Stored(String l2Name, long keys, long failed, long bytes) {
    return new L2Event.StoreCompleted(0, 1, l2Name, keys, failed, Map.of("salt", keys), bytes);
  }

  static L2Event l2Loading(String l2Name, long keys, long bytes) {
    return new L2Event.LoadTaskSubmitted(1, 0, 1, l2Name, keys, bytes);
  }
}
