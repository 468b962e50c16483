package io.lmcache.observability.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lmcache.observability.config.Origin.Level;
import io.lmcache.observability.config.SettingSamples.Place;
import io.lmcache.observability.config.SettingSamples.Sample;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PrecedenceTest {
  private static final List<Level> LEVELS = List.of(Level.values());

  @ParameterizedTest(name = "{0} by {1}")
  @MethodSource("samplesByLevel")
  void value_fromOneSource_holdsAndIsExplicit(Sample sample, Level level) {
    ObservabilityConfig config = new Place().put(level, sample, true).build();
    assertThat(sample.accessor().apply(config)).isEqualTo(sample.first());
    assertThat(config.value(sample.setting())).isEqualTo(sample.first());
    assertThat(config.isSet(sample.setting())).isTrue();
    assertThat(config.explicit()).containsOnlyKeys(sample.setting());
    assertThat(config.origin(sample.setting()))
        .isEqualTo(new Origin(level, spelling(sample.setting(), level)))
        .isEqualTo(config.explicit().get(sample.setting()));
  }

  @ParameterizedTest(name = "{0} by {1} and {2}")
  @MethodSource("samplesByNeighbours")
  void value_fromTwoSources_isThatOfTheBetter(Sample sample, Level better, Level worse) {
    // A toggle's flag can only say the first value.
    boolean betterFirst = worse != Level.FLAG;
    ObservabilityConfig config =
        new Place().put(worse, sample, !betterFirst).put(better, sample, betterFirst).build();
    assertThat(sample.accessor().apply(config)).isEqualTo(sample.value(betterFirst));
    assertThat(config.origin(sample.setting()).level()).isEqualTo(better);
  }

  @ParameterizedTest
  @MethodSource("io.lmcache.observability.config.SettingSamples#all")
  void value_fromEverySource_isThatOfCode(Sample sample) {
    Place place =
        new Place().put(Level.ENVIRONMENT, sample, true).put(Level.PROPERTY, sample, true);
    if (sample.setting().flag() != null) {
      place.put(Level.FLAG, sample, true);
    }
    ObservabilityConfig config = place.put(Level.CODE, sample, false).build();
    assertThat(sample.accessor().apply(config)).isEqualTo(sample.second());
  }

  @ParameterizedTest
  @MethodSource("io.lmcache.observability.config.SettingSamples#all")
  void value_blankInPropertyAndEnvironment_isUnset(Sample sample) {
    ObservabilityConfig config =
        ObservabilityConfig.builder()
            .systemProperties(Map.of(sample.setting().property(), " "))
            .environment(Map.of(sample.setting().environmentVariable(), ""))
            .build();
    assertThat(config.explicit()).isEmpty();
    assertThat(config.origin(sample.setting())).isEqualTo(Origin.DEFAULT);
    assertThat(sample.accessor().apply(config)).isEqualTo(sample.setting().defaultValue());
  }

  @Test
  void property_blank_uncoversTheEnvironment() {
    ObservabilityConfig config =
        ObservabilityConfig.builder()
            .systemProperties(Map.of("lmcache.observability.queue.size", "  "))
            .environment(Map.of("LMCACHE_OBSERVABILITY_QUEUE_SIZE", "12"))
            .build();
    assertThat(config.maxQueueSize()).isEqualTo(12);
  }

  @Test
  void value_malformedButOverridden_isNotLookedAt() {
    ObservabilityConfig.Builder builder =
        ObservabilityConfig.builder()
            .environment(Map.of("LMCACHE_OBSERVABILITY_QUEUE_SIZE", "many"))
            .systemProperties(Map.of());
    assertThatThrownBy(builder::build).hasMessageContaining("many");
    assertThat(builder.maxQueueSize(5).build().maxQueueSize()).isEqualTo(5);
  }

  @Test
  void sources_byDefault_areTheProcess() {
    String property = Setting.INSTANCE_ID.property();
    System.setProperty(property, "from-the-jvm");
    try {
      assertThat(ObservabilityConfig.builder().build().instanceId()).isEqualTo("from-the-jvm");
      assertThat(ObservabilityConfig.create().instanceId()).isEqualTo("from-the-jvm");
    } finally {
      System.clearProperty(property);
    }
    assertThat(ObservabilityConfig.create().instanceId()).isNull();
  }

  @Test
  void lists_fromCodeWithoutNames_overrideOthers() {
    ObservabilityConfig config =
        ObservabilityConfig.builder()
            .environment(Map.of("LMCACHE_OBSERVABILITY_METRICS_DROP_ATTRIBUTES", "cache_salt"))
            .systemProperties(Map.of())
            .dropAttributes()
            .build();
    assertThat(config.dropAttributes()).isEmpty();
    assertThat(config.isSet(Setting.DROP_ATTRIBUTES)).isTrue();
  }

  private static String spelling(Setting<?> setting, Level level) {
    return switch (level) {
      case CODE -> "code";
      case FLAG -> String.valueOf(setting.flag());
      case PROPERTY -> setting.property();
      case ENVIRONMENT -> setting.environmentVariable();
      case DEFAULT -> "default";
    };
  }

  static Stream<Arguments> samplesByLevel() {
    return SettingSamples.all()
        .flatMap(
            sample ->
                LEVELS.stream()
                    .filter(level -> level != Level.DEFAULT && has(sample, level))
                    .map(level -> Arguments.of(sample, level)));
  }

  static Stream<Arguments> samplesByNeighbours() {
    return SettingSamples.all()
        .flatMap(
            sample -> {
              List<Level> levels = LEVELS.stream().filter(level -> has(sample, level)).toList();
              return Stream.iterate(1, i -> i + 1)
                  .limit(levels.size() - 1)
                  .map(i -> Arguments.of(sample, levels.get(i - 1), levels.get(i)));
            });
  }

  private static boolean has(Sample sample, Level level) {
    return level != Level.FLAG || sample.setting().flag() != null;
  }
}
