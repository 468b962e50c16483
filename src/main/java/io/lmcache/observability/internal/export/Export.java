package io.lmcache.observability.internal.export;

import io.lmcache.observability.config.ObservabilityConfig;
import io.lmcache.observability.config.Setting;
import io.lmcache.observability.internal.support.Warnings;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.sdk.metrics.export.MetricReader;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Where metrics and spans leave: an SDK of our own with a page, an endpoint and exporters as the
 * configuration says, or an embedder's OpenTelemetry, of which nothing is built, flushed or closed.
 *
 * <p>Any thread may call. Collectors that are down cost nobody but themselves: failed exports are
 * counted and logged, at most once a minute. Flush and close take no longer than they are given and
 * say what they abandon; a second close is quiet.
 */
public final class Export {

  /** The instrumentation scope of our metrics. */
  public static final String SCOPE = "lmcache";

  /**
   * The metrics as a Prometheus server reads them.
   *
   * @param body UTF-8 text; the caller's own
   * @param contentType what to answer as {@code Content-Type}
   */
  @SuppressWarnings("ArrayRecordComponent") // handed over once, never compared
  public record Page(byte[] body, String contentType) {}

  private final OpenTelemetry openTelemetry;
  private final @Nullable Pipeline pipeline;
  private final @Nullable PageReader page;
  private final @Nullable ScrapeServer server;
  private final Closing closing;

  private Export(
      OpenTelemetry openTelemetry,
      @Nullable Pipeline pipeline,
      @Nullable PageReader page,
      @Nullable ScrapeServer server) {
    this.openTelemetry = openTelemetry;
    this.pipeline = pipeline;
    this.page = page;
    this.server = server;
    this.closing = new Closing(pipeline, server);
  }

  /**
   * Builds and starts an SDK of our own.
   *
   * @param config without faults in its {@code OTEL_*} settings
   * @param readers the embedder's; read and closed with the SDK
   * @param spanExporter the embedder's, beside a push if there is one; used when tracing is on
   * @param servePrometheus false for the page alone, without a port
   * @throws IllegalStateException when host and port cannot be bound, naming the setting
   * @throws IllegalArgumentException naming the OpenTelemetry settings that the SDK refuses
   */
  public static Export start(
      ObservabilityConfig config,
      List<MetricReader> readers,
      @Nullable SpanExporter spanExporter,
      boolean servePrometheus) {
    return start(config, readers, spanExporter, servePrometheus, ScrapeServer.Limits.DEFAULT);
  }

  static Export start(
      ObservabilityConfig config,
      List<MetricReader> readers,
      @Nullable SpanExporter spanExporter,
      boolean servePrometheus,
      ScrapeServer.Limits limits) {
    Warnings warnings = new Warnings();
    PageReader page =
        config.metrics() ? new PageReader(SCOPE, config.resourceLabels(), warnings) : null;
    boolean alone = config.metricsPush() == null && readers.isEmpty();
    boolean serve =
        page != null && servePrometheus && (alone || config.isSet(Setting.PROMETHEUS_PORT));
    // First the port, which is what may fail.
    ScrapeServer server = serve ? ScrapeServer.bind(config, limits, warnings) : null;
    Pipeline pipeline;
    try {
      pipeline = new Pipeline(config, page, readers, spanExporter, warnings);
    } catch (Throwable e) {
      if (server != null) {
        server.close(0);
      }
      throw e;
    }
    Export export = new Export(pipeline.sdk(), pipeline, page, server);
    if (server != null) {
      server.start(new ScrapeHandler(export::page));
      LoggerFactory.getLogger(Warnings.LOGGER).info("Prometheus endpoint: {}", server.uri());
    }
    return export;
  }

  /** Wraps an embedder's OpenTelemetry: no page, no port, and nothing to flush or close. */
  public static Export of(OpenTelemetry openTelemetry) {
    return new Export(openTelemetry, null, null, null);
  }

  /** Where our instruments are made. */
  public Meter meter() {
    return openTelemetry.getMeter(SCOPE);
  }

  /** Where our tracers are made; without tracing its spans are not recorded. */
  public TracerProvider tracerProvider() {
    return openTelemetry.getTracerProvider();
  }

  /** How many spans ended and were not exported; null with an embedder's OpenTelemetry. */
  public @Nullable LongSupplier droppedSpans() {
    return pipeline == null ? null : pipeline::droppedSpans;
  }

  /** The {@code service.instance.id} in effect; empty with an embedder's OpenTelemetry. */
  public String instanceId() {
    return pipeline == null ? "" : pipeline.instanceId();
  }

  /** Where the page is served, with the real port; null if it is not. */
  public @Nullable URI prometheusUri() {
    return server == null ? null : server.uri();
  }

  /**
   * The page now, also without an endpoint.
   *
   * @param accept the request's {@code Accept} header; null for the classic text format
   * @param names only metrics with one of these names; empty for all
   * @throws IllegalStateException when metrics are off or with an embedder's OpenTelemetry
   */
  public Page page(@Nullable String accept, Set<String> names) {
    if (page == null) {
      throw new IllegalStateException(
          pipeline == null
              ? "There is no page of metrics: they belong to the OpenTelemetry that was handed in"
              : "There is no page of metrics: metrics are off");
    }
    return PageFormat.accepted(accept).write(page.read(names));
  }

  /** Collects and exports now; false when not all arrived in time. */
  public boolean flush(Duration timeout) {
    return closing.flush(timeout);
  }

  /**
   * Collects and exports a last time, then ends SDK and endpoint; false when something was
   * abandoned, which is logged. Of several calls the first does it, the others wait for it.
   */
  public boolean close(Duration timeout) {
    return closing.close(timeout);
  }
}
