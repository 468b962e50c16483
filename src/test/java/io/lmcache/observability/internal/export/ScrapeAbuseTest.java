package io.lmcache.observability.internal.export;

import static io.lmcache.observability.internal.export.ExportFixture.config;
import static io.lmcache.observability.internal.export.ExportFixture.connect;
import static io.lmcache.observability.internal.export.ExportFixture.get;
import static io.lmcache.observability.internal.export.ExportFixture.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lmcache.observability.internal.export.ExportFixture.Response;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ScrapeAbuseTest {

  private static final ScrapeServer.Limits LIMITS =
      new ScrapeServer.Limits(
          16,
          TimeUnit.MILLISECONDS.toNanos(1500),
          TimeUnit.MILLISECONDS.toNanos(1500),
          TimeUnit.MILLISECONDS.toNanos(1500));

  private final Export export =
      Export.start(config().prometheusPort(0).build(), List.of(), null, true, LIMITS);
  private final List<Socket> sockets = new ArrayList<>();

  @BeforeEach
  void record() {
    export.meter().counterBuilder("small").build().add(1);
  }

  @AfterEach
  void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    long start = System.nanoTime();
    assertThat(export.close(Duration.ofSeconds(5))).isTrue();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
    await().until(() -> ExportFixture.ourThreads().isEmpty());
  }

  /** Makes the page larger than what sockets hold for a client. */
  private void growPage() {
    Attributes big = Attributes.of(AttributeKey.stringKey("k"), "x".repeat(8 << 20));
    export.meter().counterBuilder("big").build().add(1, big);
  }

  private Socket client() throws IOException {
    Socket socket = connect(export);
    sockets.add(socket);
    return socket;
  }

  private void assertScrapes() throws IOException {
    long start = System.nanoTime();
    assertThat(get(export, "/metrics?name[]=small_total").text()).contains("small_total 1.0");
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
  }

  /** True when the server ended the connection. */
  private static boolean isEnded(Socket socket) throws IOException {
    try {
      byte[] sink = new byte[1 << 16];
      while (socket.getInputStream().read(sink) >= 0) {
        // What was on its way.
      }
      return true;
    } catch (SocketException reset) {
      return true;
    }
  }

  @Test
  void halfARequest_isCutOff() throws IOException {
    Socket half = client();
    send(half, "GET /metrics HT");
    Socket silent = client();
    assertScrapes();
    half.setSoTimeout(4000);
    silent.setSoTimeout(4000);
    assertThat(isEnded(half)).isTrue();
    assertThat(isEnded(silent)).isTrue();
    assertScrapes();
  }

  @Test
  void requestThatTrickles_isCutOffAsWell() throws IOException {
    Socket slow = client();
    await()
        .atMost(Duration.ofSeconds(4))
        .pollInterval(Duration.ofMillis(100))
        .until(
            () -> {
              try {
                send(slow, "G");
                return false;
              } catch (SocketException cut) {
                return true;
              }
            });
    assertScrapes();
  }

  @Test
  void clientsThatNeverRead_areCutOff() throws IOException {
    growPage();
    for (int i = 0; i < 4; i++) {
      Socket socket = new Socket();
      sockets.add(socket);
      socket.setReceiveBufferSize(4096);
      var uri = Objects.requireNonNull(export.prometheusUri());
      socket.connect(new InetSocketAddress(uri.getHost(), uri.getPort()));
      send(socket, "GET /metrics HTTP/1.1\r\n\r\n");
    }
    assertScrapes();
    await().atMost(Duration.ofSeconds(5)).until(() -> httpThreads() == 0);
    assertScrapes();
  }

  @Test
  void megabytesOfHeader_are431AndTheEnd() throws IOException {
    Socket socket = client();
    send(socket, "GET /metrics HTTP/1.1\r\nX: " + "x".repeat(9000) + "\r\n\r\n");
    assertThat(Response.of(socket.getInputStream().readAllBytes()).status()).isEqualTo(431);
    Socket many = client();
    send(many, "GET /metrics HTTP/1.1\r\n" + "X: y\r\n".repeat(200) + "\r\n");
    assertThat(Response.of(many.getInputStream().readAllBytes()).status()).isEqualTo(431);
    Socket endless = client();
    try {
      for (int i = 0; i < 10_000; i++) {
        send(endless, "x".repeat(10_000));
      }
    } catch (SocketException cut) {
      // As it should be.
    }
    assertThat(isEnded(endless)).isTrue();
    assertScrapes();
  }

  @Test
  void megabytesOfBody_areAnsweredAndTheEnd() throws IOException {
    for (String length : new String[] {"Content-Length: 3000000", "Transfer-Encoding: chunked"}) {
      Socket socket = client();
      send(socket, "POST /metrics HTTP/1.1\r\n" + length + "\r\n\r\n");
      for (int i = 0; i < 300; i++) {
        send(socket, "x".repeat(10_000));
      }
      socket.shutdownOutput();
      assertThat(Response.of(socket.getInputStream().readAllBytes()).status()).isEqualTo(405);
    }
    assertScrapes();
  }

  @Test
  void pipelinedGarbage_endsThatConnectionOnly() throws IOException {
    Socket socket = client();
    send(socket, "GET /-/healthy HTTP/1.1\r\n\r\n\u0000\u00ff %%% \r\n\r\nGET / HTTP/1.1\r\n\r\n");
    assertThat(isEnded(socket)).isTrue();
    Socket flood = client();
    try {
      for (int i = 0; i < 100_000; i++) {
        send(flood, "GET /metrics HTTP/1.1\r\n\r\n");
      }
    } catch (SocketException cut) {
      // Nobody reads so many answers.
    }
    assertScrapes();
  }

  @Test
  void hundredsOfConnections_leaveRoomForAScrape() throws IOException {
    for (int i = 0; i < 300; i++) {
      Socket socket = client();
      if (i % 2 == 0) {
        send(socket, "GET /metrics HTTP/1.1\r\n");
      }
      if (i % 10 == 0) {
        assertScrapes();
      }
    }
    assertScrapes();
    await().untilAsserted(() -> assertThat(httpThreads()).isLessThanOrEqualTo(16));
  }

  @Test
  void connectionsThatReset_doNoHarm() throws IOException {
    for (int i = 0; i < 100; i++) {
      Socket socket = connect(export);
      socket.setSoLinger(true, 0);
      send(socket, i % 2 == 0 ? "GET /metrics HTTP/1.1\r\n\r\n" : "GET");
      socket.close();
    }
    assertScrapes();
  }

  private static long httpThreads() {
    return ExportFixture.ourThreads().stream()
        .filter(name -> name.matches("lmcache-http-[0-9]+"))
        .count();
  }
}
