package io.lmcache.observability.usage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lmcache.observability.bus.EventBus;
import io.lmcache.observability.testing.DefaultEndpointGuard;
import java.net.ProxySelector;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That no test can reach the server that reports go to by default. */
class DefaultEndpointTest {

  @TempDir private Path home;

  @Test
  void suite_hasTrackingOff() {
    assertThat(System.getenv("LMCACHE_TRACK_USAGE")).isEqualTo("false");
    assertThat(UsageTelemetry.startEngine(UsageFixture.engine())).isEmpty();
    assertThat(UsageTelemetry.startMpServer(EventBus.create(1), UsageFixture.server())).isEmpty();
  }

  @Test
  void guard_isInForce() {
    assertThatThrownBy(
            () ->
                ProxySelector.getDefault()
                    .select(URI.create("http://" + DefaultEndpointGuard.HOST + ":8080/x")))
        .isInstanceOf(IllegalStateException.class);
    assertThat(DefaultEndpointGuard.takeRefused()).hasSize(1);
  }

  @Test
  void telemetryThatIsOn_withoutAUrl_isStoppedByTheGuard_andSeen() {
    UsageTelemetry.Options options =
        UsageTelemetry.options().home(home).environment(Map.<String, String>of()::get);
    EngineUsage usage = UsageTelemetry.startEngine(UsageFixture.engine(), options).orElseThrow();
    assertThat(usage.close(Duration.ofSeconds(30))).isTrue();
    assertThat(DefaultEndpointGuard.takeRefused())
        .hasSize(3)
        .allSatisfy(
            uri -> {
              assertThat(uri.getHost()).isEqualTo(DefaultEndpointGuard.HOST);
              assertThat(uri.getPort()).isEqualTo(8080);
              assertThat(uri.getPath()).isEqualTo("/context");
            });
  }
}
