package io.lmcache.observability.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.catalog.Instrument;
import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.catalog.MetricCatalog;
import io.lmcache.observability.catalog.SpanTable;
import io.lmcache.observability.config.Setting;
import io.lmcache.observability.event.EventType;
import io.lmcache.observability.testing.PromQl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
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
  private static final Pattern SETTING = Pattern.compile("`((?:max|sample|pair|open)[A-Z]\\w+)`");

  private static final Pattern TRACE_QL = Pattern.compile("(?s)```traceql\n(.*?)```");

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
  void spans_areAllOnThePage_andItsTraceQlNamesWhatTheyHave() throws Exception {
    String page = Files.readString(PAGE);
    assertThat(SpanTable.all()).allMatch(row -> page.contains("`" + row.name() + "`"));
    assertThat(SpanTable.Incomplete.values())
        .allMatch(reason -> page.contains("`" + reason.wireName() + "`"));
    String queries =
        matches(TRACE_QL, PAGE).map(found -> found.group(1)).collect(Collectors.joining());
    assertThat(names(queries, "(?<![:\\w])name = \"([^\"]+)\""))
        .hasSizeGreaterThan(3)
        .isSubsetOf(SpanTable.all().stream().map(SpanTable.Row::name).toList());
    assertThat(names(queries, "span\\.([\\w.]+)"))
        .hasSizeGreaterThan(5)
        .isSubsetOf(SpanTable.all().stream().flatMap(OperatingTest::attributes).toList());
    assertThat(names(queries, "event\\.([\\w.]+)"))
        .isNotEmpty()
        .isSubsetOf(SpanTable.EXCEPTION_ATTRIBUTES.values());
    assertThat(queries).contains("event:name = \"" + SpanTable.EXCEPTION + "\"");
  }

  private static Set<String> names(String queries, String pattern) {
    return Pattern.compile(pattern)
        .matcher(queries)
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toSet());
  }

  /** What a span may have: the fields of its events, and what tracing itself says. */
  private static Stream<String> attributes(SpanTable.Row row) {
    Stream<String> fields =
        Stream.of(row.opens(), row.closes())
            .filter(Objects::nonNull)
            .flatMap(event -> EventType.of(event).fields().stream())
            .map(EventType.Field::name);
    return Stream.concat(
        fields,
        Stream.of(
            SpanTable.SESSION_ID, SpanTable.INCOMPLETE, SpanTable.END_TIME, SpanTable.HIT_RATE));
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
