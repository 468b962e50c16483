package io.lmcache.observability.internal.export;

import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * The two text formats of the page: the classic one and OpenMetrics 1.0.0. Of what an {@code
 * Accept} header takes the better liked wins, OpenMetrics when both are liked alike and it is
 * named; whoever takes neither gets the classic one. Any thread may call.
 */
enum PageFormat {
  CLASSIC(PrometheusTextFormatWriter.create(), PrometheusTextFormatWriter.CONTENT_TYPE),
  OPEN_METRICS(OpenMetricsTextFormatWriter.create(), OpenMetricsTextFormatWriter.CONTENT_TYPE);

  @SuppressWarnings("ImmutableEnumChecker") // the writers keep no state
  private final ExpositionFormatWriter writer;

  private final String contentType;

  PageFormat(ExpositionFormatWriter writer, String contentType) {
    this.writer = writer;
    this.contentType = contentType;
  }

  static PageFormat accepted(@Nullable String accept) {
    double classic = 0;
    double open = 0;
    for (WeightedToken range : WeightedToken.parse(accept)) {
      switch (range.name()) {
        case "application/openmetrics-text" -> {
          String version = range.parameters().getOrDefault("version", "1.0.0");
          if (version.equals("1.0.0") || version.equals("0.0.1")) {
            open = Math.max(open, range.quality());
          }
        }
        case "text/plain", "text/*", "*/*" -> classic = Math.max(classic, range.quality());
        default -> {
          // not ours
        }
      }
    }
    return open > 0 && open >= classic ? OPEN_METRICS : CLASSIC;
  }

  Export.Page write(MetricSnapshots snapshots) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(32 * 1024);
    try {
      writer.write(bytes, snapshots, EscapingScheme.UNDERSCORE_ESCAPING);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // memory does not fail
    }
    return new Export.Page(bytes.toByteArray(), contentType);
  }
}
