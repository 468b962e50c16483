package io.lmcache.observability.testing;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceResponse;
import io.opentelemetry.proto.collector.metrics.v1.MetricsServiceGrpc;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.collector.trace.v1.TraceServiceGrpc;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * An OpenTelemetry collector for tests: takes OTLP metrics and spans on a loopback port, over gRPC
 * or HTTP, keeps the latest number of each series, and misbehaves as it is told.
 *
 * <p>Any thread may ask; behaviour may change while it runs. What it refuses it does not keep.
 */
@NullMarked
public final class OtlpReceiver implements AutoCloseable {

  /** The transport. */
  public enum Transport {
    GRPC,
    HTTP
  }

  private final Map<String, Map<Map<String, String>, Number>> totals = new ConcurrentHashMap<>();
  private final Map<String, Metric> metrics = new ConcurrentHashMap<>();
  private final List<Span> spans = new CopyOnWriteArrayList<>();
  private final Map<ByteString, String> scopes = new ConcurrentHashMap<>();
  private final List<Resource> resources = new CopyOnWriteArrayList<>();
  private final AtomicInteger requests = new AtomicInteger();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final ExecutorService threads;
  private final @Nullable HttpServer http;
  private final @Nullable Server grpc;
  private volatile int status = 200;
  private volatile Duration delay = Duration.ZERO;
  private volatile boolean silent;

  private OtlpReceiver(Transport transport, int port) throws IOException {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    threads =
        Executors.newCachedThreadPool(
            task -> {
              Thread thread = new Thread(task, "otlp-receiver");
              thread.setDaemon(true);
              return thread;
            });
    if (transport == Transport.HTTP) {
      http = HttpServer.create(address, 0);
      http.setExecutor(threads);
      http.createContext("/", this::handle);
      http.start();
      grpc = null;
    } else {
      http = null;
      grpc =
          NettyServerBuilder.forAddress(address)
              .executor(threads)
              .addService(new MetricsService())
              .addService(new TraceService())
              .build()
              .start();
    }
  }

  /** Starts on a free port. */
  public static OtlpReceiver start(Transport transport) throws IOException {
    return start(transport, 0);
  }

  /** Starts on a given port, as after a pause. */
  public static OtlpReceiver start(Transport transport, int port) throws IOException {
    return new OtlpReceiver(transport, port);
  }

  /** The port. */
  public int port() {
    return http != null ? http.getAddress().getPort() : Objects.requireNonNull(grpc).getPort();
  }

  /** The endpoint for both signals, as in {@code OTEL_EXPORTER_OTLP_ENDPOINT}. */
  public String endpoint() {
    return "http://127.0.0.1:" + port();
  }

  /** Answers with this HTTP status; anything but 200 is UNAVAILABLE over gRPC. */
  public void answer(int status) {
    this.status = status;
  }

  /** Waits before each answer. */
  public void delay(Duration delay) {
    this.delay = delay;
  }

  /** Takes requests and never answers, until it is closed. */
  public void neverAnswer() {
    silent = true;
  }

  /** The latest number of each series: a sum or gauge's value, a histogram's count. */
  public Map<String, Map<Map<String, String>, Number>> totals() {
    return totals;
  }

  /** The latest number of a series; null if there is none. */
  public @Nullable Number total(String metric, Map<String, String> attributes) {
    return totals.getOrDefault(metric, Map.of()).get(attributes);
  }

  /** The metrics as they came last, by name. */
  public Map<String, Metric> metrics() {
    return metrics;
  }

  /** All spans. */
  public List<Span> spans() {
    return spans;
  }

  /** The ids of the traces that spans belong to, in hex. */
  public Set<String> traceIds() {
    return spans.stream()
        .map(span -> HexFormat.of().formatHex(span.getTraceId().toByteArray()))
        .collect(Collectors.toSet());
  }

  /** The name of the tracer that made a span. */
  public String scope(Span span) {
    return scopes.getOrDefault(span.getSpanId(), "");
  }

  /** The resource of each batch. */
  public List<Resource> resources() {
    return resources;
  }

  /** How many requests have come in, refused ones included. */
  public int requests() {
    return requests.get();
  }

  /** The attributes as text, sorted by name. */
  public static Map<String, String> attributes(List<KeyValue> attributes) {
    Map<String, String> all = new TreeMap<>();
    for (KeyValue attribute : attributes) {
      all.put(attribute.getKey(), text(attribute));
    }
    return all;
  }

  private static String text(KeyValue attribute) {
    return switch (attribute.getValue().getValueCase()) {
      case INT_VALUE -> Long.toString(attribute.getValue().getIntValue());
      case DOUBLE_VALUE -> Double.toString(attribute.getValue().getDoubleValue());
      case BOOL_VALUE -> Boolean.toString(attribute.getValue().getBoolValue());
      default -> attribute.getValue().getStringValue();
    };
  }

  @Override
  public void close() {
    closed.countDown();
    if (http != null) {
      http.stop(0);
    }
    if (grpc != null) {
      grpc.shutdownNow();
    }
    threads.shutdownNow();
  }

  /** Waits as told; the status to answer, or 0 for none. */
  private int behave() {
    requests.incrementAndGet();
    int answer = status;
    try {
      if (silent) {
        closed.await();
        return 0;
      }
      return closed.await(delay.toNanos(), TimeUnit.NANOSECONDS) ? 0 : answer;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    }
  }

  private void handle(HttpExchange exchange) throws IOException {
    byte[] body;
    try (InputStream in = exchange.getRequestBody()) {
      body = in.readAllBytes();
    }
    if ("gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"))) {
      body = new GZIPInputStream(new ByteArrayInputStream(body)).readAllBytes();
    }
    int answer = behave();
    if (answer == 0) {
      exchange.close();
      return;
    }
    MessageLite response = null;
    if (answer == 200) {
      response = keep(exchange.getRequestURI().getPath(), body);
    }
    byte[] bytes = response == null ? new byte[0] : response.toByteArray();
    exchange.getResponseHeaders().add("Content-Type", "application/x-protobuf");
    exchange.sendResponseHeaders(answer, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private MessageLite keep(String path, byte[] body) throws InvalidProtocolBufferException {
    if (path.endsWith("/v1/traces")) {
      keep(ExportTraceServiceRequest.parseFrom(body));
      return ExportTraceServiceResponse.getDefaultInstance();
    }
    keep(ExportMetricsServiceRequest.parseFrom(body));
    return ExportMetricsServiceResponse.getDefaultInstance();
  }

  private void keep(ExportTraceServiceRequest request) {
    request
        .getResourceSpansList()
        .forEach(
            batch -> {
              resources.add(batch.getResource());
              batch.getScopeSpansList().forEach(this::keep);
            });
  }

  private void keep(ScopeSpans batch) {
    batch.getSpansList().forEach(span -> scopes.put(span.getSpanId(), batch.getScope().getName()));
    spans.addAll(batch.getSpansList());
  }

  private void keep(ExportMetricsServiceRequest request) {
    request
        .getResourceMetricsList()
        .forEach(
            batch -> {
              resources.add(batch.getResource());
              batch
                  .getScopeMetricsList()
                  .forEach(scope -> scope.getMetricsList().forEach(this::keep));
            });
  }

  private void keep(Metric metric) {
    Map<Map<String, String>, Number> series =
        totals.computeIfAbsent(metric.getName(), name -> new ConcurrentHashMap<>());
    List<NumberDataPoint> points = new ArrayList<>();
    points.addAll(metric.getSum().getDataPointsList());
    points.addAll(metric.getGauge().getDataPointsList());
    for (NumberDataPoint point : points) {
      Number value = point.hasAsInt() ? (Number) point.getAsInt() : (Number) point.getAsDouble();
      series.put(attributes(point.getAttributesList()), value);
    }
    for (HistogramDataPoint point : metric.getHistogram().getDataPointsList()) {
      series.put(attributes(point.getAttributesList()), point.getCount());
    }
    metrics.put(metric.getName(), metric);
  }

  private <T> void answer(Runnable keep, T response, StreamObserver<T> observer) {
    int answer = behave();
    if (answer == 200) {
      keep.run();
      observer.onNext(response);
      observer.onCompleted();
    } else if (answer != 0) {
      observer.onError(Status.UNAVAILABLE.asRuntimeException());
    }
  }

  private final class MetricsService extends MetricsServiceGrpc.MetricsServiceImplBase {
    @Override
    public void export(
        ExportMetricsServiceRequest request,
        StreamObserver<ExportMetricsServiceResponse> observer) {
      answer(() -> keep(request), ExportMetricsServiceResponse.getDefaultInstance(), observer);
    }
  }

  private final class TraceService extends TraceServiceGrpc.TraceServiceImplBase {
    @Override
    public void export(
        ExportTraceServiceRequest request, StreamObserver<ExportTraceServiceResponse> observer) {
      answer(() -> keep(request), ExportTraceServiceResponse.getDefaultInstance(), observer);
    }
  }
}
