package io.lmcache.observability.internal.export;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.internal.support.Warnings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Configurations apart from the process's own, raw requests, and what the log says. */
final class ExportFixture {

  private ExportFixture() {}

  /** A configuration of nothing but what is set here. */
  static ObservabilityConfig.Builder config() {
    return config(Map.of());
  }

  static ObservabilityConfig.Builder config(Map<String, String> environment) {
    return ObservabilityConfig.builder().environment(environment).systemProperties(Map.of());
  }

  /** An export that serves its page on a free port. */
  static Export serving() {
    return Export.start(config().prometheusPort(0).build(), List.of(), null, true);
  }

  static String text(Export export) {
    return text(export, null);
  }

  static String text(Export export, @Nullable String accept) {
    return new String(export.page(accept, Set.of()).body(), StandardCharsets.UTF_8);
  }

  static Socket connect(Export export) throws IOException {
    URI uri = Objects.requireNonNull(export.prometheusUri());
    Socket socket = new Socket(uri.getHost(), uri.getPort());
    socket.setSoTimeout(20_000);
    return socket;
  }

  static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    socket.getOutputStream().flush();
  }

  /** One request on a connection of its own, and all that comes back. */
  static Response request(Export export, String head) throws IOException {
    try (Socket socket = connect(export)) {
      send(socket, head + "\r\nHost: h\r\nConnection: close\r\n\r\n");
      return Response.of(socket.getInputStream().readAllBytes());
    }
  }

  static Response get(Export export, String target, String... headers) throws IOException {
    StringBuilder head = new StringBuilder("GET " + target + " HTTP/1.1");
    for (String header : headers) {
      head.append("\r\n").append(header);
    }
    return request(export, head.toString());
  }

  /** Reads one response of known length from a connection that stays open. */
  static Response read(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
      int read = in.read();
      if (read < 0) {
        throw new IOException("ended after " + head.size() + " bytes");
      }
      head.write(read);
    }
    Response response = Response.of(head.toByteArray());
    int length = Integer.parseInt(response.header("content-length"));
    return new Response(response.status(), response.headers(), in.readNBytes(length));
  }

  /** Threads of ours and of the push; the span processor's may idle on for five seconds. */
  static Set<String> ourThreads() {
    Set<String> names = new TreeSet<>();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("lmcache-")
          || thread.getName().startsWith("PeriodicMetricReader")) {
        names.add(thread.getName());
      }
    }
    return names;
  }

  @SuppressWarnings("ArrayRecordComponent")
  record Response(int status, Map<String, String> headers, byte[] body) {

    static Response of(byte[] bytes) {
      String all = new String(bytes, StandardCharsets.ISO_8859_1);
      int end = all.indexOf("\r\n\r\n");
      String[] lines = all.substring(0, Math.max(0, end)).split("\r\n", -1);
      Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
      for (int i = 1; i < lines.length; i++) {
        int colon = lines[i].indexOf(':');
        headers.put(lines[i].substring(0, colon), lines[i].substring(colon + 1).strip());
      }
      byte[] body = all.substring(end + 4).getBytes(StandardCharsets.ISO_8859_1);
      return new Response(Integer.parseInt(lines[0].split(" ", 3)[1]), headers, body);
    }

    String header(String name) {
      return headers.getOrDefault(name, "");
    }

    String text() {
      return new String(body, StandardCharsets.UTF_8);
    }
  }

  /** What the library's own logger says from here on, until it is closed. */
  static final class Log implements AutoCloseable {

    private final Logger logger = (Logger) LoggerFactory.getLogger(Warnings.LOGGER);
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    Log() {
      appender.list = new CopyOnWriteArrayList<>();
      appender.start();
      logger.addAppender(appender);
    }

    List<String> lines(String level) {
      return appender.list.stream()
          .filter(event -> event.getLevel().toString().equals(level))
          .map(ILoggingEvent::getFormattedMessage)
          .toList();
    }

    @Override
    public void close() {
      logger.detachAppender(appender);
    }
  }
}
