package io.lmcache.observability.internal.export;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PageFormatTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        " | CLASSIC",
        "'' | CLASSIC",
        "*/* | CLASSIC",
        "text/plain | CLASSIC",
        "text/html, image/gif | CLASSIC",
        "application/openmetrics-text | OPEN_METRICS",
        "APPLICATION/OpenMetrics-Text; VERSION=1.0.0; charset=utf-8 | OPEN_METRICS",
        "application/openmetrics-text; version=\"1.0.0\" | OPEN_METRICS",
        "application/openmetrics-text; version=2.0.0 | CLASSIC",
        "application/openmetrics-text; q=0 | CLASSIC",
        "application/openmetrics-text; q=nonsense | CLASSIC",
        "application/openmetrics-text; q=0.1, text/plain | CLASSIC",
        "application/openmetrics-text; q=0.5, text/plain; q=0.5 | OPEN_METRICS",
        "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily | CLASSIC",
        "application/vnd.google.protobuf;q=0.6,application/openmetrics-text;version=1.0.0;q=0.5,"
            + "application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;q=0.3,"
            + "text/plain;version=0.0.4;q=0.2,*/*;q=0.1 | OPEN_METRICS",
        ";;;,,,\"=, | CLASSIC",
      })
  void accepted_anyHeader_picksAFormat(@Nullable String accept, PageFormat expected) {
    assertThat(PageFormat.accepted(accept)).isEqualTo(expected);
  }
}
