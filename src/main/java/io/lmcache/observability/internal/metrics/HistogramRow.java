package io.lmcache.observability.internal.metrics;

import io.lmcache.observability.bus.RecordingErrors;
import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.internal.metrics.correlation.Samples;
import io.lmcache.observability.internal.support.SpanLookup;
import io.lmcache.observability.internal.support.Warnings;
import io.opentelemetry.api.metrics.DoubleHistogram;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A histogram of the catalogue at work: its instrument and its series. */
final class HistogramRow implements Samples {

  private final Metric row;
  private final DoubleHistogram histogram;
  private final Series series;
  private final int[] kept;
  private final RecordingErrors errors;
  private final Warnings warnings;
  private final SpanLookup spans;

  /**
   * @param spans where its samples find the span that they lead to
   */
  HistogramRow(
      Metric row,
      DoubleHistogram histogram,
      Series series,
      Set<String> dropped,
      RecordingErrors errors,
      Warnings warnings,
      SpanLookup spans) {
    this.row = row;
    this.histogram = histogram;
    this.series = series;
    this.kept =
        Series.kept(row.attributes(), dropped).stream()
            .mapToInt(row.attributes()::indexOf)
            .toArray();
    this.errors = errors;
    this.warnings = warnings;
    this.spans = spans;
  }

  /**
   * Where the instrument itself fails, which may be an embedder's, the sample counts as invalid.
   */
  @Override
  public void record(double value, String... labels) {
    if (!Double.isFinite(value) || value < 0) {
      leftOut(value, null);
      return;
    }
    String[] values = new String[kept.length];
    for (int i = 0; i < kept.length; i++) {
      values[i] = labels[kept[i]];
    }
    try {
      histogram.record(value, series.get(values), spans.context());
    } catch (Throwable foreign) {
      leftOut(value, foreign);
    }
  }

  private void leftOut(double value, @Nullable Throwable fault) {
    errors.count(RecordingErrors.Reason.INVALID_VALUE);
    warnings.once(row.name(), "a sample of " + row.name() + " is left out: " + value, fault);
  }
}
