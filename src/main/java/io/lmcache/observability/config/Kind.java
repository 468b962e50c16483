package io.lmcache.observability.config;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A kind of value: how it is read from text and what it must satisfy, whatever source it is from.
 *
 * @param javaType the parameter type of the builder's method
 * @param accepted the accepted values in words, as they appear in messages and in the docs
 * @param reader from trimmed text; refuses what cannot be read
 * @param check refuses what is out of range, else returns the value in its normal form
 * @param absent the default of a kind whose default text is prose; null if there is none
 * @param proseDefault whether the default text describes a default rather than spelling it
 */
record Kind<T>(
    String javaType,
    String accepted,
    Function<String, T> reader,
    UnaryOperator<T> check,
    @Nullable T absent,
    boolean proseDefault) {

  /** A value that cannot be taken; the message says why and echoes it. */
  static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Refused(String reason) {
      super(reason, null, false, false);
    }

    String reason() {
      return String.valueOf(getMessage());
    }
  }

  private static final Pattern AMOUNT = Pattern.compile("([0-9]+)(ms|s|m|h|d)?");
  private static final Map<String, ChronoUnit> UNITS =
      Map.of(
          "ms", ChronoUnit.MILLIS,
          "s", ChronoUnit.SECONDS,
          "m", ChronoUnit.MINUTES,
          "h", ChronoUnit.HOURS,
          "d", ChronoUnit.DAYS);

  T parse(String text) {
    return check.apply(reader.apply(text.strip()));
  }

  @Nullable T parseDefault(String text) {
    return proseDefault ? absent : parse(text);
  }

  static Kind<Boolean> toggle() {
    return plain("boolean", "true, false", Kind::readBoolean, value -> value);
  }

  static Kind<Integer> integer(int min, int max) {
    String accepted = max == Integer.MAX_VALUE ? "at least " + min : "in " + min + " … " + max;
    return plain(
        "int",
        accepted,
        text -> {
          try {
            return Math.toIntExact(Long.parseLong(text));
          } catch (NumberFormatException | ArithmeticException e) {
            throw new Refused(Faults.quote(text) + " is not a whole number " + accepted);
          }
        },
        value -> {
          if (value < min || value > max) {
            throw new Refused(value + " is not " + accepted);
          }
          return value;
        });
  }

  static Kind<Double> rate() {
    String accepted = "in 0 < R ≤ 1";
    return plain(
        "double",
        accepted,
        text -> {
          try {
            return new BigDecimal(text).doubleValue();
          } catch (NumberFormatException e) {
            throw new Refused(Faults.quote(text) + " is not a number " + accepted);
          }
        },
        value -> {
          if (!(value > 0 && value <= 1)) {
            throw new Refused(value + " is not " + accepted);
          }
          return value;
        });
  }

  static Kind<Duration> duration(Duration min, Duration max) {
    String least = min.isZero() ? "0s" : min.toMillis() + "ms";
    String accepted = "in " + least + " … " + max.toHours() + "h";
    return plain(
        "Duration",
        accepted,
        text -> readDuration(text, accepted),
        value -> {
          if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new Refused(value + " is not " + accepted);
          }
          return value;
        });
  }

  static Kind<String> text(int maxLength) {
    return plain(
        "String",
        "not blank, at most " + maxLength + " characters",
        text -> text,
        text -> checkText(text, maxLength));
  }

  /** Read by {@link Endpoint}, which alone may echo it. */
  static Kind<String> url() {
    return new Kind<>(
        "String",
        "an http:// or https:// URL",
        text -> text,
        text -> {
          if (text.isBlank()) {
            throw new Refused(Faults.quote(text) + " is blank");
          }
          return text.strip();
        },
        null,
        true);
  }

  /** As {@link #text}, but nothing holds when nothing is given. */
  static Kind<String> optionalText(int maxLength) {
    Kind<String> text = text(maxLength);
    return new Kind<>(text.javaType, text.accepted, text.reader, text.check, null, true);
  }

  static Kind<Set<String>> names(int maxLength) {
    return new Kind<>(
        "String...",
        "names, none of them blank",
        text -> new LinkedHashSet<>(Arrays.asList(text.split(",", -1))),
        names -> {
          Set<String> checked = new LinkedHashSet<>();
          for (String name : names) {
            if (name == null) {
              throw new Refused("null is not a name");
            }
            checked.add(checkText(name, maxLength));
          }
          return Collections.unmodifiableSet(checked);
        },
        Set.of(),
        true);
  }

  private static <T> Kind<T> plain(
      String javaType, String accepted, Function<String, T> reader, UnaryOperator<T> check) {
    return new Kind<>(javaType, accepted, reader, check, null, false);
  }

  private static boolean readBoolean(String text) {
    if (text.equalsIgnoreCase("true")) {
      return true;
    }
    if (text.equalsIgnoreCase("false")) {
      return false;
    }
    throw new Refused(Faults.quote(text) + " is neither true nor false");
  }

  private static Duration readDuration(String text, String accepted) {
    Matcher amount = AMOUNT.matcher(text);
    try {
      if (!amount.matches()) {
        return Duration.parse(text);
      }
      String unit = amount.group(2) == null ? "ms" : amount.group(2);
      return Duration.of(Long.parseLong(amount.group(1)), UNITS.get(unit));
    } catch (DateTimeException | NumberFormatException | ArithmeticException e) {
      throw new Refused(
          Faults.quote(text) + " is not a duration " + accepted + ", such as 500ms, 5s or PT5S");
    }
  }

  private static String checkText(String text, int maxLength) {
    String stripped = text.strip();
    if (stripped.isEmpty()) {
      throw new Refused(Faults.quote(text) + " is blank");
    }
    if (stripped.length() > maxLength) {
      throw new Refused(Faults.quote(stripped) + " is longer than " + maxLength + " characters");
    }
    if (stripped.chars().anyMatch(c -> Faults.isControl((char) c))) {
      throw new Refused(Faults.quote(stripped) + " has control characters");
    }
    return stripped;
  }
}
