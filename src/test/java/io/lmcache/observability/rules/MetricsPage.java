package io.lmcache.observability.rules;

import io.lmcache.observability.catalog.Instrument;
import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.catalog.MetricCatalog;
import io.lmcache.observability.catalog.Source;
import io.lmcache.observability.event.EventType;
import java.math.BigDecimal;
import java.util.List;
import java.util.stream.Collectors;

/** METRICS.md, written from the catalogue. */
final class MetricsPage {

  private static final String HEAD =
      """
      # Metrics

      Written from the catalogue by `mvn test -Dtest=DocsTest -Ddocs.update=true`; do not edit.

      Every metric has two names: the OpenTelemetry name and unit, which OTLP carries, and the
      name on the Prometheus page. All attributes are strings. Every metric carries the resource
      attributes `service.name` and `service.instance.id`; on the page they stand in
      `target_info`, and by `resourceLabels` on every series.

      A counter without attributes is on the page with 0 from the start, one whose attributes have
      closed sets of values with 0 for each combination. A gauge is there while its callback is
      registered, and is read by its callback at each collection; the callback may see a state that
      is one change old. A histogram is there from its first sample; its buckets are advice where an
      OpenTelemetry of the embedder's has a view for it. What tracing tells about itself is there
      while tracing is on.

      **Prefixes.** `lmcache_mp.` is the multiprocess server's, apart from the `lmcache.` of the
      engine; `lmcache_blend.` is cache blending's.

      **Attributes.** `cache_salt` is the tenant or isolation domain, empty when there is none.
      `l2_name` is the type under which an adapter is registered, such as `fs` or `nixl_store`;
      `adapter_index` its place in the list of adapters. `engine_id` and `worker_id` are the
      engine worker's own id, not one of its scheduler's. `device` is such as `cuda:3`.

      **Bounds.** A metric has at most `cardinalityLimit` series (2,000); what comes later adds up
      in one overflow series, labelled `otel_metric_overflow`, so totals stay right, and is warned
      about once. Attributes named in `dropAttributes` are left out at the source. An attribute
      value longer than 4,096 characters is cut. A single count may be at most 2^53, which every
      format carries exactly.

      **Lost numbers.** An event that the bus drops moves no metric but
      `lmcache_mp_event_bus_dropped_events_total` and `…_drops_by_type_total`; look there before
      trusting the others. Nothing else starts with `lmcache_`.

      ## Queries

      The hit rate of the cache (L1 and L2 together), over all and per model; by `cache_salt` in
      the same way:

      ```promql
      sum(rate(lmcache_mp_lookup_hit_tokens_total[5m]))
        / sum(rate(lmcache_mp_lookup_requested_tokens_total[5m]))

      sum by (model_name) (rate(lmcache_mp_lookup_hit_tokens_total[5m]))
        / sum by (model_name) (rate(lmcache_mp_lookup_requested_tokens_total[5m]))
      ```

      The hit rate of blending:

      ```promql
      rate(lmcache_blend_lookup_hit_tokens_total[5m])
        / rate(lmcache_blend_lookup_requested_tokens_total[5m])
      ```

      Operations per second of an L2 backend, stores and loads:

      ```promql
      rate(lmcache_mp_l2_store_completed_requests_total{l2_name="fs"}[1m])

      rate(lmcache_mp_l2_load_completed_requests_total{l2_name="fs"}[1m])
      ```

      """;

  private MetricsPage() {}

  static String text() {
    StringBuilder page = new StringBuilder(HEAD);
    page.append("## Overview\n\n| OpenTelemetry name | Prometheus name | type | unit |\n");
    page.append("|---|---|---|---|\n");
    for (Metric row : MetricCatalog.all()) {
      page.append(
          "| [`%s`](#%s) | `%s` | %s | %s |%n"
              .formatted(
                  row.name(),
                  anchor(row),
                  row.prometheusName(),
                  row.instrument().label(),
                  unit(row)));
    }
    section(page, "The contract's metrics", false);
    section(page, "Additions", true);
    return page.toString().replace("\r\n", "\n");
  }

  private static void section(StringBuilder page, String title, boolean additional) {
    page.append("\n## ").append(title).append('\n');
    for (Metric row : MetricCatalog.all()) {
      if (row.additional() == additional) {
        append(page, row);
      }
    }
  }

  private static void append(StringBuilder page, Metric row) {
    page.append("\n### ").append(row.name()).append("\n\n").append(row.description()).append('\n');
    page.append("\n- **Prometheus**: `").append(row.prometheusName()).append("`\n");
    page.append("- **Type, unit**: ").append(row.instrument().label());
    page.append(", ").append(unit(row)).append('\n');
    page.append("- **Attributes**: ").append(attributes(row)).append('\n');
    page.append("- **Source**: ").append(sources(row)).append('\n');
    page.append("- **Calculation**: ").append(calculation(row)).append('\n');
    if (row.instrument() == Instrument.HISTOGRAM) {
      page.append("- **Buckets**: ").append(buckets(row)).append('\n');
    }
    page.append("- **Answers**: ").append(row.question()).append('\n');
    row.notes().forEach(note -> page.append("- **Note**: ").append(note).append('\n'));
  }

  private static String unit(Metric row) {
    return row.unit().otel().isEmpty() ? "none" : "`" + row.unit().otel() + "`";
  }

  private static String attributes(Metric row) {
    return row.attributes().isEmpty()
        ? "none"
        : row.attributes().stream()
            .map(name -> "`" + name + "`" + closedValues(row, name))
            .collect(Collectors.joining(", "));
  }

  private static String closedValues(Metric row, String attribute) {
    return row.sources().stream()
        .flatMap(source -> source.labels().stream())
        .filter(label -> label.name().equals(attribute) && !label.values().isEmpty())
        .map(label -> " (" + String.join(", ", label.values()) + ")")
        .findFirst()
        .orElse("");
  }

  private static String sources(Metric row) {
    return row.sources().isEmpty()
        ? "a callback, read at each collection"
        : row.sources().stream()
            .map(source -> "`" + EventType.of(source.event()).name() + "`")
            .collect(Collectors.joining(", "));
  }

  private static String calculation(Metric row) {
    List<String> each = row.sources().stream().map(Source::calculation).distinct().toList();
    return each.size() > 1 ? String.join("; ", each) : row.calculation();
  }

  private static String buckets(Metric row) {
    return row.buckets().stream()
        .map(bound -> new BigDecimal(bound.toString()).stripTrailingZeros().toPlainString())
        .collect(Collectors.joining(", "));
  }

  private static String anchor(Metric row) {
    return row.name().replace(".", "");
  }
}
