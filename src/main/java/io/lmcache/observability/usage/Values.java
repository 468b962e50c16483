package io.lmcache.observability.usage;

import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reduces what comes from outside to what may be reported. Text is never a path, a URL, a host or a
 * secret of one; what does not look like what it should be is {@code other}; null is empty. Sums
 * and products stop at the largest long.
 */
final class Values {

  private static final String OTHER = "other";
  private static final int MAX_HARDWARE = 128;
  private static final Pattern TYPE = Pattern.compile("[A-Za-z0-9_+-]{1,64}");
  private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9_+-]{0,31})://.*");
  private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9_.+:, ()-]{1,64}");

  private static final String NAME = "[\\p{L}\\p{N}_-][\\p{L}\\p{N}._+-]*";
  private static final String TAG = "(:[\\p{L}\\p{N}._-]+)?";

  /** A name, perhaps with its owner's and a tag: {@code llama}, {@code org/llama:8b}. */
  private static final Pattern PUBLIC_MODEL = Pattern.compile(NAME + "(/" + NAME + ")?" + TAG);

  private static final Pattern MODEL_SEGMENT = Pattern.compile(NAME + "( " + NAME + ")*" + TAG);
  private static final int MAX_MODEL = 128;

  private static final long MAX_COUNT = 1L << 53;
  private static final double NANOS_PER_SECOND = 1e9;

  private Values() {}

  /** Whether it is a count as events have them: from 0 to 2^53. */
  static boolean isCount(long value) {
    return value >= 0 && value <= MAX_COUNT;
  }

  /** The sum of what is not negative. */
  static long plus(long a, long b) {
    return a + b < 0 ? Long.MAX_VALUE : a + b;
  }

  /** The product of what is not negative. */
  static long times(long a, long b) {
    return Math.multiplyHigh(a, b) != 0 || a * b < 0 ? Long.MAX_VALUE : a * b;
  }

  /** Seconds from one time to a later one; 0 when the clock was put back. */
  static double seconds(long fromNanos, long toNanos) {
    return Math.max(0, toNanos - fromNanos) / NANOS_PER_SECOND;
  }

  /** Numbers with commas between them. */
  static String joined(int... numbers) {
    return Arrays.stream(numbers).mapToObj(Integer::toString).collect(Collectors.joining(","));
  }

  /** A word of the configuration, such as the name of a policy. */
  static String label(@Nullable String text) {
    String trimmed = text(text);
    return trimmed.isEmpty() || LABEL.matcher(trimmed).matches() ? trimmed : OTHER;
  }

  /** The type of an adapter; of a URL, its scheme. */
  static String type(@Nullable String text) {
    String trimmed = text(text);
    if (trimmed.isEmpty() || TYPE.matcher(trimmed).matches()) {
      return trimmed;
    }
    String scheme = scheme(trimmed);
    return scheme.isEmpty() ? OTHER : scheme;
  }

  /** Types with commas between them, each reduced by itself. */
  static String types(@Nullable String text) {
    return Arrays.stream(text(text).split(",", -1))
        .map(Values::type)
        .collect(Collectors.joining(","));
  }

  /** The scheme of a URL; empty when it has none. */
  static String scheme(@Nullable String url) {
    Matcher matcher = SCHEME.matcher(text(url).lines().findFirst().orElse(""));
    return matcher.matches() ? matcher.group(1).toLowerCase(Locale.ROOT) : "";
  }

  /** The name of a model as its publisher gives it; of a path or a URL, the last segment. */
  static String modelName(@Nullable String text) {
    String name = text(text);
    if (name.length() <= MAX_MODEL && PUBLIC_MODEL.matcher(name).matches()) {
      return name;
    }
    return MODEL_SEGMENT.matcher(lastSegment(name)).matches() ? lastSegment(name) : "";
  }

  /** What is behind the last separator of a path, without query, revision and drive. */
  private static String lastSegment(String path) {
    String bare = path.split("[?#]", 2)[0].replace('\\', '/').replaceFirst("/+$", "");
    String root = bare.replaceFirst("^([A-Za-z][A-Za-z0-9+.-]*:)?//[^/]*", "");
    String segment = root.substring(root.lastIndexOf('/') + 1);
    return segment.length() > MAX_MODEL ? "" : segment;
  }

  /** What the system says of itself: printable ASCII, not too long. */
  static String hardware(@Nullable String text) {
    String printable = text(text).replaceAll("[^ -~]", "").replaceAll(" {2,}", " ");
    return printable.substring(0, Math.min(printable.length(), MAX_HARDWARE));
  }

  /** Text without blanks around it; empty for null. */
  static String text(@Nullable String text) {
    return text == null ? "" : text.strip();
  }
}
