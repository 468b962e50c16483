package io.lmcache.observability.config;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The command line: takes the flags of {@link Setting}'s rows and hands the rest back. */
final class Flags {
  private final Map<Setting<?>, String> values = new HashMap<>();
  private final List<Fault> faults = new ArrayList<>();

  private record Fault(Setting<?> setting, String reason) {}

  List<String> parse(String... args) {
    List<String> rest = new ArrayList<>();
    for (int i = 0; i < args.length; i++) {
      String arg = Objects.requireNonNull(args[i], "args");
      if (arg.equals("--")) {
        rest.addAll(List.of(args).subList(i, args.length));
        break;
      }
      int equals = arg.indexOf('=');
      String inline = equals < 0 ? null : arg.substring(equals + 1);
      Setting<?> setting = find(equals < 0 ? arg : arg.substring(0, equals));
      if (setting == null) {
        rest.add(arg);
      } else if (setting.flagArgument() == null) {
        turn(setting, inline);
      } else if (inline != null) {
        take(setting, inline);
      } else if (i + 1 < args.length && !args[i + 1].startsWith("--")) {
        take(setting, args[++i]);
      } else {
        faults.add(new Fault(setting, "needs a value " + setting.flagArgument()));
      }
    }
    return Collections.unmodifiableList(rest);
  }

  Sources.@Nullable Given find(Setting<?> setting, Origin origin) {
    String text = values.get(setting);
    return text == null ? null : new Sources.Given(origin, text);
  }

  void report(Faults all) {
    for (Fault fault : faults) {
      all.add(fault.setting(), Sources.flagOrigin(fault.setting()), fault.reason());
    }
  }

  private void turn(Setting<?> setting, @Nullable String inline) {
    if (inline != null) {
      faults.add(new Fault(setting, "takes no value, but was given " + Faults.quote(inline)));
    }
    values.put(setting, String.valueOf(!Boolean.parseBoolean(setting.defaultText())));
  }

  private void take(Setting<?> setting, String value) {
    if (setting.repeatable()) {
      values.merge(setting, value, (before, added) -> before + "," + added);
    } else {
      values.put(setting, value);
    }
  }

  private static @Nullable Setting<?> find(String flag) {
    for (Setting<?> setting : Setting.all()) {
      if (flag.equals(setting.flag())) {
        return setting;
      }
    }
    return null;
  }
}
