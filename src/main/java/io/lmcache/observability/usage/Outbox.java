package io.lmcache.observability.usage;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.lmcache.observability.internal.support.Warnings;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.RecordComponent;
import java.net.Authenticator;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Where messages leave: the one place that stamps them, asks the gate, writes the local log and
 * calls the sender. Used by the thread of one telemetry; it never throws.
 */
final class Outbox {

  /** Raised only when a field that exists changes its meaning. */
  static final int SCHEMA_VERSION = 1;

  private static final JsonFactory JSON = new JsonFactory();
  private static final int MAX_KINDS = 100;

  private final UsageTelemetry.Options options;
  private final UsageSender sender;
  private final @Nullable URI base;
  private final String deploymentMode;
  private final Set<String> noted = ConcurrentHashMap.newKeySet();
  private @Nullable String machineId;
  private volatile boolean expiring;
  private volatile long lastSend;

  Outbox(UsageTelemetry.Options options, String deploymentMode) {
    this.options = options;
    this.sender = options.sender == null ? new HttpSender() : options.sender;
    this.deploymentMode = deploymentMode;
    this.base = base(options.baseUrl());
  }

  /**
   * The base URL with a slash at its end, or null: then nothing is sent, least of all elsewhere.
   */
  private @Nullable URI base(String url) {
    try {
      URI parsed = new URI(url.endsWith("/") ? url : url + "/");
      if (("http".equalsIgnoreCase(parsed.getScheme())
              || "https".equalsIgnoreCase(parsed.getScheme()))
          && !parsed.toURL().getHost().isEmpty() // a URI has no host where a name has an underscore
          && parsed.getRawQuery() == null
          && parsed.getRawFragment() == null) {
        return parsed;
      }
    } catch (Exception malformed) {
      // Not told with the note: it would show the URL, which may hold a password.
    }
    note("base URL", "the base URL of usage reports is not an http(s) URL; nothing is sent", null);
    return null;
  }

  /** Sends one message, unless the gate is closed by now. */
  void send(UsageMessage message) {
    guarded("a report", () -> deliver(message));
  }

  private void deliver(UsageMessage message) throws Exception {
    if (base == null || !options.isOn() || (expiring && System.nanoTime() - lastSend > 0)) {
      return;
    }
    Map<String, Object> payload = payload(message);
    guarded("the local log", () -> log(payload));
    sender.send(base.resolve(message.endpoint()), json(payload));
  }

  /** From now on messages are sent for a time more. */
  void expire(long nanos) {
    lastSend = System.nanoTime() + nanos;
    expiring = true;
  }

  private Map<String, Object> payload(UsageMessage message) throws ReflectiveOperationException {
    Map<String, Object> payload = new LinkedHashMap<>();
    payload.put("message_type", message.getClass().getSimpleName());
    payload.put("schema_version", SCHEMA_VERSION);
    payload.put("session_id", Identity.SESSION_ID);
    payload.put("machine_id", machineId());
    payload.put("deployment_mode", deploymentMode);
    for (RecordComponent component : message.getClass().getRecordComponents()) {
      Object value = component.getAccessor().invoke(message);
      payload.put(UsageMessage.wireName(component.getName()), value);
    }
    return payload;
  }

  private String machineId() {
    String id = machineId;
    if (id == null) {
      try {
        id = Identity.machineId(options.home());
      } catch (Throwable fault) {
        note("machine id", "no machine id: its file could not be read or made", fault);
        id = "";
      }
      machineId = id;
    }
    return id;
  }

  private static String json(Map<String, Object> payload) throws IOException {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(text)) {
      write(json, payload);
    }
    return text.toString();
  }

  private static void write(JsonGenerator json, Map<?, ?> object) throws IOException {
    json.writeStartObject();
    for (Map.Entry<?, ?> field : object.entrySet()) {
      json.writeFieldName(String.valueOf(field.getKey()));
      if (field.getValue() instanceof Map<?, ?> nested) {
        write(json, nested);
      } else {
        json.writeObject(field.getValue()); // of the simple types, without a codec
      }
    }
    json.writeEndObject();
  }

  private void log(Map<String, Object> payload) throws IOException {
    Path path = options.localLogPath();
    if (path == null) {
      return;
    }
    StringBuilder block = new StringBuilder();
    payload.forEach((name, value) -> block.append(name).append(": ").append(value).append('\n'));
    Set<StandardOpenOption> append = Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    try (var channel = Files.newByteChannel(path, append, Identity.owner(path, "rw-------"));
        var out = Channels.newOutputStream(channel)) {
      out.write(block.append('\n').toString().getBytes(StandardCharsets.UTF_8));
    }
  }

  /** What may fail. */
  @FunctionalInterface
  interface Task {
    void run() throws Exception;
  }

  /** Runs something and swallows what it throws, with a debug note. */
  void guarded(String what, Task task) {
    try {
      task.run();
    } catch (Throwable fault) {
      note(what + fault.getClass().getName(), what + " failed", fault);
    }
  }

  /** A debug note, the first time that something of a kind happens; it never throws. */
  void note(String kind, String message, @Nullable Throwable fault) {
    try {
      if (noted.size() < MAX_KINDS && noted.add(kind)) {
        debug(message, fault);
      }
    } catch (Throwable outOfMemory) {
      // It is only a note.
    }
  }

  /** A debug note; it never throws. */
  static void debug(String message, @Nullable Throwable fault) {
    try {
      LoggerFactory.getLogger(Warnings.LOGGER).debug("usage telemetry: {}", message, fault);
    } catch (Throwable backendFailed) {
      // A logging backend that fails must not fail the caller.
    }
  }

  /**
   * Posts reports by the JDK's client, each on a connection and a daemon thread of its own, so that
   * nothing is left between two reports. One limit covers all of it: the look-up of the host, the
   * connection, the answer.
   */
  static final class HttpSender implements UsageSender {

    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final Duration limit;

    HttpSender() {
      this(LIMIT);
    }

    HttpSender(Duration limit) {
      this.limit = limit;
    }

    @Override
    public void send(URI target, String json) throws Exception {
      HttpURLConnection connection = open(target);
      FutureTask<Integer> exchange = new FutureTask<>(() -> post(connection, json));
      Worker.thread("lmcache-usage-http", exchange).start();
      int status;
      try {
        status = exchange.get(limit.toNanos(), TimeUnit.NANOSECONDS);
      } catch (ExecutionException e) {
        throw e.getCause() instanceof Exception cause ? cause : e;
      } finally {
        connection.disconnect();
      }
      if (status / 100 != 2) {
        throw new IOException("status " + status);
      }
    }

    private HttpURLConnection open(URI target) throws IOException {
      HttpURLConnection connection = (HttpURLConnection) target.toURL().openConnection();
      connection.setConnectTimeout((int) limit.toMillis());
      connection.setReadTimeout((int) limit.toMillis());
      connection.setInstanceFollowRedirects(false);
      connection.setUseCaches(false);
      connection.setAuthenticator(new Authenticator() {}); // not the process's, which has passwords
      connection.setRequestMethod("POST");
      connection.setDoOutput(true);
      connection.setRequestProperty("Content-Type", "application/json");
      connection.setRequestProperty("User-Agent", "lmcache-observability");
      connection.setRequestProperty("Connection", "close");
      return connection;
    }

    private static int post(HttpURLConnection connection, String json) throws IOException {
      byte[] body = json.getBytes(StandardCharsets.UTF_8);
      connection.setFixedLengthStreamingMode(body.length); // also: never sent a second time
      try (var out = connection.getOutputStream()) {
        out.write(body);
      }
      return connection.getResponseCode();
    }
  }
}
