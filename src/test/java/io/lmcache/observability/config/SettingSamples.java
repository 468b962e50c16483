package io.lmcache.observability.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Two values of each setting as text and as Java values, and how to set and read it. */
final class SettingSamples {

  /** The second value of a toggle is its default, since its flag can only say the first. */
  record Sample(
      Setting<?> setting,
      String firstText,
      Object first,
      String secondText,
      Object second,
      BiConsumer<ObservabilityConfig.Builder, Object> setter,
      Function<ObservabilityConfig, @Nullable Object> accessor) {

    @Override
    public String toString() {
      return setting.name();
    }

    String text(boolean useFirst) {
      return useFirst ? firstText : secondText;
    }

    Object value(boolean useFirst) {
      return useFirst ? first : second;
    }
  }

  /** Sets some sources of one setting and leaves the real environment out. */
  static final class Place {
    private final ObservabilityConfig.Builder builder = ObservabilityConfig.builder();
    private final Map<String, String> environment = new HashMap<>();
    private final Map<String, String> properties = new HashMap<>();

    Place put(Origin.Level level, Sample sample, boolean useFirst) {
      String text = sample.text(useFirst);
      switch (level) {
        case CODE -> sample.setter().accept(builder, sample.value(useFirst));
        case FLAG -> {
          String flag = Objects.requireNonNull(sample.setting().flag());
          if (sample.setting().flagArgument() == null) {
            builder.parse(flag);
          } else {
            builder.parse(flag, text);
          }
        }
        case PROPERTY -> properties.put(sample.setting().property(), text);
        case ENVIRONMENT -> environment.put(sample.setting().environmentVariable(), text);
        case DEFAULT -> {}
      }
      return this;
    }

    ObservabilityConfig build() {
      return builder.environment(environment).systemProperties(properties).build();
    }
  }

  static Stream<Sample> all() {
    List<Sample> all = new ArrayList<>();
    all.add(
        toggle(
            Setting.ENABLED, (b, v) -> b.enabled((boolean) v), ObservabilityConfig::enabled, true));
    all.add(
        toggle(
            Setting.METRICS, (b, v) -> b.metrics((boolean) v), ObservabilityConfig::metrics, true));
    all.add(
        toggle(
            Setting.LOGGING, (b, v) -> b.logging((boolean) v), ObservabilityConfig::logging, true));
    all.add(
        new Sample(
            Setting.SUMMARY_INTERVAL,
            "1m",
            Duration.ofMinutes(1),
            "0",
            Duration.ZERO,
            (b, v) -> b.summaryInterval((Duration) v),
            ObservabilityConfig::summaryInterval));
    all.add(
        toggle(
            Setting.TRACING,
            (b, v) -> b.tracing((boolean) v),
            ObservabilityConfig::tracing,
            false));
    all.add(
        new Sample(
            Setting.MAX_QUEUE_SIZE,
            "7",
            7,
            " 4194304 ",
            4_194_304,
            (b, v) -> b.maxQueueSize((int) v),
            ObservabilityConfig::maxQueueSize));
    all.add(
        new Sample(
            Setting.SAMPLE_RATE,
            "0.25",
            0.25,
            "1e-3",
            0.001,
            (b, v) -> b.sampleRate((double) v),
            ObservabilityConfig::sampleRate));
    all.add(
        new Sample(
            Setting.MAX_TRACKED_CHUNKS,
            "1",
            1,
            "100000000",
            100_000_000,
            (b, v) -> b.maxTrackedChunks((int) v),
            ObservabilityConfig::maxTrackedChunks));
    all.add(
        new Sample(
            Setting.MAX_REUSE_CHUNKS,
            "2",
            2,
            "99",
            99,
            (b, v) -> b.maxReuseChunks((int) v),
            ObservabilityConfig::maxReuseChunks));
    all.add(
        new Sample(
            Setting.MAX_REUSE_SALTS,
            "3",
            3,
            "77",
            77,
            (b, v) -> b.maxReuseSalts((int) v),
            ObservabilityConfig::maxReuseSalts));
    all.add(
        new Sample(
            Setting.MAX_TRACKED_BLOCKS,
            "4",
            4,
            "66",
            66,
            (b, v) -> b.maxTrackedBlocks((int) v),
            ObservabilityConfig::maxTrackedBlocks));
    all.add(
        new Sample(
            Setting.MAX_OPEN_PAIRS,
            "5",
            5,
            "55",
            55,
            (b, v) -> b.maxOpenPairs((int) v),
            ObservabilityConfig::maxOpenPairs));
    all.add(
        new Sample(
            Setting.PAIR_TIMEOUT,
            "90s",
            Duration.ofSeconds(90),
            "1",
            Duration.ofMillis(1),
            (b, v) -> b.pairTimeout((Duration) v),
            ObservabilityConfig::pairTimeout));
    all.add(
        new Sample(
            Setting.MAX_OPEN_SPANS,
            "2",
            2,
            "10000000",
            10_000_000,
            (b, v) -> b.maxOpenSpans((int) v),
            ObservabilityConfig::maxOpenSpans));
    all.add(
        new Sample(
            Setting.OPEN_SPAN_TIMEOUT,
            "2h",
            Duration.ofHours(2),
            "5",
            Duration.ofMillis(5),
            (b, v) -> b.openSpanTimeout((Duration) v),
            ObservabilityConfig::openSpanTimeout));
    all.add(
        new Sample(
            Setting.OTLP_ENDPOINT,
            " http://h:4317\t",
            "http://h:4317",
            "https://collector.example",
            "https://collector.example",
            (b, v) -> b.otlpEndpoint((String) v),
            ObservabilityConfig::otlpEndpoint));
    all.add(
        new Sample(
            Setting.PROMETHEUS_HOST,
            "0.0.0.0",
            "0.0.0.0",
            " ::1",
            "::1",
            (b, v) -> b.prometheusHost((String) v),
            ObservabilityConfig::prometheusHost));
    all.add(
        new Sample(
            Setting.PROMETHEUS_PORT,
            "0",
            0,
            "65535",
            65_535,
            (b, v) -> b.prometheusPort((int) v),
            ObservabilityConfig::prometheusPort));
    all.add(
        new Sample(
            Setting.INSTANCE_ID,
            "kv-0",
            "kv-0",
            "kv-1 ",
            "kv-1",
            (b, v) -> b.instanceId((String) v),
            ObservabilityConfig::instanceId));
    all.add(
        new Sample(
            Setting.DROP_ATTRIBUTES,
            "cache_salt",
            Set.of("cache_salt"),
            "cache_salt, model_name",
            Set.of("cache_salt", "model_name"),
            (b, v) -> b.dropAttributes(names(v)),
            ObservabilityConfig::dropAttributes));
    all.add(
        new Sample(
            Setting.CARDINALITY_LIMIT,
            "2",
            2,
            "50000",
            50_000,
            (b, v) -> b.cardinalityLimit((int) v),
            ObservabilityConfig::cardinalityLimit));
    all.add(
        new Sample(
            Setting.RESOURCE_LABELS,
            "service.instance.id",
            Set.of("service.instance.id"),
            "a,b",
            Set.of("a", "b"),
            (b, v) -> b.resourceLabels(names(v)),
            ObservabilityConfig::resourceLabels));
    all.add(
        new Sample(
            Setting.CLOSE_TIMEOUT,
            "3s",
            Duration.ofSeconds(3),
            "250",
            Duration.ofMillis(250),
            (b, v) -> b.closeTimeout((Duration) v),
            ObservabilityConfig::closeTimeout));
    return all.stream();
  }

  private static Sample toggle(
      Setting<Boolean> setting,
      BiConsumer<ObservabilityConfig.Builder, Object> setter,
      Function<ObservabilityConfig, @Nullable Object> accessor,
      boolean byDefault) {
    return new Sample(
        setting,
        String.valueOf(!byDefault),
        !byDefault,
        String.valueOf(byDefault).toUpperCase(Locale.ROOT),
        byDefault,
        setter,
        accessor);
  }

  private static String[] names(Object set) {
    return ((Set<?>) set).stream().map(String::valueOf).toArray(String[]::new);
  }

  private SettingSamples() {}
}
