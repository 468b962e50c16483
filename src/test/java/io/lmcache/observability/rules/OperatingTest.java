package io.lmcache.observability.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.catalog.Instrument;
import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.catalog.MetricCatalog;
import io.lmcache.observability.config.Setting;
import io.lmcache.observability.testing.PromQl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the operator's page says of metrics and settings, against the code. */
class OperatingTest {

  private static final Path PAGE = Path.of("docs/operating.md");
  private static final Pattern NAME = Pattern.compile("lmcache_\\w+");
  private static final Pattern SETTING = Pattern.compile("`((?:max|sample|pair)[A-Z]\\w+)`");

  @Test
  void queries_ofThePage_coverEveryHistogram() throws Exception {
    List<String> queries = PromQl.of(PAGE);
    assertThat(MetricCatalog.all())
        .filteredOn(row -> row.instrument() == Instrument.HISTOGRAM)
        .hasSize(13)
        .allSatisfy(
            row ->
                assertThat(queries)
                    .as(row.name())
                    .anyMatch(query -> query.contains(row.prometheusName() + "_")));
  }

  @Test
  void names_inTheDocuments_areThoseOfTheCatalogue() throws Exception {
    Set<String> known =
        MetricCatalog.all().stream().flatMap(OperatingTest::series).collect(Collectors.toSet());
    try (Stream<Path> documents = Files.walk(Path.of("docs"))) {
      for (Path document : documents.filter(path -> path.toString().endsWith(".md")).toList()) {
        assertThat(matches(NAME, document).map(MatchResult::group))
            .as(document.toString())
            .filteredOn(name -> name.startsWith("lmcache_mp_") || name.startsWith("lmcache_blend_"))
            .isSubsetOf(known);
      }
    }
  }

  private static Stream<String> series(Metric row) {
    String name = row.prometheusName();
    return row.instrument() == Instrument.HISTOGRAM
        ? Stream.of("_bucket", "_sum", "_count").map(suffix -> name + suffix)
        : Stream.of(name);
  }

  @Test
  void settings_onThePage_exist() throws Exception {
    assertThat(matches(SETTING, PAGE).map(match -> match.group(1)))
        .isNotEmpty()
        .isSubsetOf(Setting.all().stream().map(Setting::name).toList());
  }

  private static Stream<MatchResult> matches(Pattern pattern, Path document) throws Exception {
    return pattern.matcher(Files.readString(document)).results();
  }
}
