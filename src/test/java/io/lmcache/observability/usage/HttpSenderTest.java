package io.lmcache.observability.usage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lmcache.observability.testing.Threads;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpSenderTest {

  private static final Duration LIMIT = Duration.ofMillis(400);

  private static URI target(ServerSocket server) {
    return URI.create("http://127.0.0.1:" + server.getLocalPort() + "/context");
  }

  private static ServerSocket server() throws IOException {
    return new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
  }

  private static void assertGivesUpInTime(URI target) {
    long start = System.nanoTime();
    assertThatThrownBy(() -> new Outbox.HttpSender(LIMIT).send(target, "{}"))
        .isInstanceOfAny(TimeoutException.class, IOException.class);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LIMIT.multipliedBy(5));
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(Threads.named("lmcache-usage-http")).isEmpty());
  }

  @Test
  void server_thatNeverAnswers_costsTheLimit() throws Exception {
    try (ServerSocket silent = server()) {
      assertGivesUpInTime(target(silent));
    }
  }

  @Test
  void server_thatDripsItsAnswer_costsTheLimit() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    try (ServerSocket server = server()) {
      Thread drip =
          new Thread(
              () -> {
                try (Socket socket = server.accept()) {
                  byte[] drop = "HTTP/1.1 204 No".getBytes(StandardCharsets.US_ASCII);
                  for (int i = 0; !over.get(); i++) {
                    socket.getOutputStream().write(i < drop.length ? drop[i] : 'x');
                    LockSupport.parkNanos(20_000_000); // each read has a byte in time
                  }
                } catch (IOException gone) {
                  // the client has hung up
                }
              });
      drip.start();
      assertGivesUpInTime(target(server));
      over.set(true);
      Threads.join(drip);
    }
  }

  @Test
  void port_thatRefuses_throws() throws Exception {
    URI target;
    try (ServerSocket gone = server()) {
      target = target(gone);
    }
    assertGivesUpInTime(target);
  }

  @Test
  void host_thatIsUnknown_throws() {
    assertGivesUpInTime(URI.create("http://nope.invalid/context"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"302 Found", "401 Unauthorized", "404 Not Found", "503 Busy"})
  void answer_thatIsNoSuccess_throws_andIsNotFollowedOrRepeated(String status) throws Exception {
    int[] accepted = {0};
    Thread answering;
    try (ServerSocket server = server()) {
      answering =
          new Thread(
              () -> {
                while (true) {
                  try (Socket socket = server.accept()) {
                    accepted[0]++;
                    socket.getInputStream().read(new byte[1_024]);
                    String answer =
                        "HTTP/1.1 "
                            + status
                            + "\r\nLocation: /elsewhere\r\nWWW-Authenticate: Basic realm=x\r\n"
                            + "Content-Length: 0\r\n\r\n";
                    socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
                  } catch (IOException closed) {
                    return;
                  }
                }
              });
      answering.start();
      assertThatThrownBy(() -> new Outbox.HttpSender().send(target(server), "{}"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("status " + status.substring(0, 3));
    }
    Threads.join(answering);
    assertThat(accepted[0]).isEqualTo(1);
  }
}
