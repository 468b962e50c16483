package io.lmcache.observability.internal.export;

import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.config.Setting;
import io.lmcache.observability.internal.support.Await;
import io.lmcache.observability.internal.support.Warnings;
import java.io.IOException;
import java.net.BindException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The embedded Prometheus endpoint: one thread that accepts and watches, one for each connection.
 *
 * <p>At most {@link Limits#connections()} are open; a further one takes the place of the one that
 * has kept its own longest, those that never asked for anything first; threads of such may linger
 * for a moment, at most {@value #MAX_CUT} times as many. What is overdue is cut off within a
 * second. An accept that fails, as without file descriptors, is tried again. Any thread may close
 * it, again and again.
 */
final class ScrapeServer {

  private static final int BACKLOG = 128;
  private static final int WATCH_MILLIS = 500;
  private static final long RETRY_NANOS = 100_000_000;
  private static final long LEAVE_NANOS = 100_000_000;
  private static final int MAX_CUT = 8;

  /**
   * Bounds: open connections, and the time to send the first request, to take an answer, and to
   * come back with the next request.
   */
  record Limits(int connections, long requestNanos, long answerNanos, long idleNanos) {
    static final Limits DEFAULT =
        new Limits(
            64,
            Duration.ofSeconds(30).toNanos(),
            Duration.ofSeconds(15).toNanos(),
            Duration.ofSeconds(90).toNanos());
  }

  private final ServerSocket listener;
  private final URI uri;
  private final Limits limits;
  private final Warnings warnings;
  private final Set<ScrapeConnection> connections = ConcurrentHashMap.newKeySet();
  private final AtomicLong threads = new AtomicLong();
  private volatile boolean closed;
  private @Nullable Thread acceptor;

  private ScrapeServer(ServerSocket listener, URI uri, Limits limits, Warnings warnings) {
    this.listener = listener;
    this.uri = uri;
    this.limits = limits;
    this.warnings = warnings;
  }

  /**
   * Takes the port; nothing is served before {@link #start}.
   *
   * @throws IllegalStateException naming the setting, the host and the port
   */
  static ScrapeServer bind(ObservabilityConfig config, Limits limits, Warnings warnings) {
    String host = config.prometheusHost();
    int port = config.prometheusPort();
    String hostSetting = Setting.PROMETHEUS_HOST.label(config.origin(Setting.PROMETHEUS_HOST));
    String portSetting = Setting.PROMETHEUS_PORT.label(config.origin(Setting.PROMETHEUS_PORT));
    InetAddress address;
    try {
      address = InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(hostSetting + ": host \"" + host + "\" is not known", e);
    }
    String literal = address.getHostAddress();
    String where = (literal.indexOf(':') < 0 ? literal : "[" + literal + "]") + ":" + port;
    ServerSocket listener = null;
    try {
      listener = new ServerSocket();
      listener.setSoTimeout(WATCH_MILLIS);
      listener.bind(new InetSocketAddress(address, port), BACKLOG);
      URI uri = uri(host, address, listener.getLocalPort());
      return new ScrapeServer(listener, uri, limits, warnings);
    } catch (IOException e) {
      closeQuietly(listener);
      String reason = String.valueOf(e.getMessage());
      if (e instanceof BindException && reason.contains("in use")) {
        throw new IllegalStateException(portSetting + ": " + where + " is in use", e);
      }
      String label = reason.contains("assign") ? hostSetting : portSetting;
      throw new IllegalStateException(label + ": cannot listen on " + where + ": " + reason, e);
    }
  }

  /** As configured; what is called localhost by its address, which everybody finds. */
  private static URI uri(String host, InetAddress address, int port) {
    String shown = host.equalsIgnoreCase("localhost") ? address.getHostAddress() : host;
    if (address instanceof Inet6Address && shown.indexOf(':') >= 0 && !shown.startsWith("[")) {
      int zone = shown.indexOf('%');
      shown = "[" + (zone < 0 ? shown : shown.substring(0, zone)) + "]";
    }
    return URI.create("http://" + shown + ":" + port + ScrapeHandler.METRICS_PATH);
  }

  URI uri() {
    return uri;
  }

  void start(ScrapeHandler handler) {
    Thread thread = new Thread(() -> accept(handler), "lmcache-http-accept");
    thread.setDaemon(true);
    acceptor = thread;
    thread.start();
  }

  private void accept(ScrapeHandler handler) {
    while (!closed) {
      try {
        serve(listener.accept(), handler);
      } catch (SocketTimeoutException e) {
        // Time to look after the connections.
      } catch (Throwable e) {
        if (!closed) {
          warnings.once("accept", "The Prometheus endpoint could not accept a connection", e);
          cutOne();
          LockSupport.parkNanos(RETRY_NANOS);
        }
      }
      cutOverdue();
    }
  }

  private void serve(Socket socket, ScrapeHandler handler) {
    if (connections.stream().filter(c -> !c.isCut()).count() >= limits.connections()) {
      cutOne();
    }
    ScrapeConnection connection = new ScrapeConnection(socket, handler, limits, warnings);
    // Those that were cut off leave when their turn to write a page comes, which they then pass.
    if (connections.size() >= MAX_CUT * limits.connections()) {
      connection.cut();
      return;
    }
    connections.add(connection);
    try {
      Thread thread =
          new Thread(
              () -> {
                try {
                  connection.run();
                } finally {
                  connections.remove(connection);
                }
              },
              "lmcache-http-" + threads.incrementAndGet());
      thread.setDaemon(true);
      thread.start();
    } catch (Throwable noThread) {
      connections.remove(connection);
      connection.cut();
      throw noThread;
    }
    if (closed) {
      connection.cut();
    }
  }

  private void cutOne() {
    long now = System.nanoTime();
    connections.stream()
        .filter(connection -> !connection.isCut())
        .max(Comparator.comparingLong(connection -> connection.patience(now)))
        .ifPresent(ScrapeConnection::cut);
  }

  private void cutOverdue() {
    long now = System.nanoTime();
    for (ScrapeConnection connection : connections) {
      if (connection.isOverdue(now)) {
        connection.cut();
      }
    }
  }

  /** Frees the port, lets answers that are on their way arrive, bounded, and ends the rest. */
  void close(long timeoutNanos) {
    long start = System.nanoTime();
    closed = true;
    closeQuietly(listener);
    connections.stream().filter(c -> !c.isAnswering()).forEach(ScrapeConnection::cut);
    Await.until(
        () -> connections.stream().noneMatch(ScrapeConnection::isAnswering), timeoutNanos / 2);
    connections.forEach(ScrapeConnection::cut);
    Thread thread = acceptor;
    // The port is free once the thread has left accept(), which it does at once.
    Await.until(() -> thread == null || !thread.isAlive(), LEAVE_NANOS);
    Await.until(connections::isEmpty, timeoutNanos - (System.nanoTime() - start));
  }

  private static void closeQuietly(@Nullable ServerSocket socket) {
    try {
      if (socket != null) {
        socket.close();
      }
    } catch (IOException e) {
      // It is gone all the same.
    }
  }
}
