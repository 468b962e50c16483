package io.lmcache.observability.rules;

import io.lmcache.observability.config.Setting;

/** The configuration table of README.md, written from the settings. */
final class SettingsTable {

  private static final String START = "<!-- settings: generated -->\n";
  private static final String END = "<!-- settings: end -->\n";

  private SettingsTable() {}

  /** The document with the table between the two marks written anew. */
  static String into(String document) {
    int start = document.indexOf(START);
    int end = document.indexOf(END);
    if (start < 0 || end < start) {
      return document + START + table() + END;
    }
    return document.substring(0, start + START.length()) + table() + document.substring(end);
  }

  private static String table() {
    StringBuilder table = new StringBuilder();
    table.append("| builder | flag | property | default | meaning |\n|---|---|---|---|---|\n");
    for (Setting<?> setting : Setting.all()) {
      String flag = setting.flag() == null ? "" : "`" + setting.flag() + argument(setting) + "`";
      table.append(
          "| `%s` | %s | `%s` | %s | %s (%s) |%n"
              .formatted(
                  setting.signature(),
                  flag,
                  setting.property(),
                  setting.defaultText(),
                  setting.meaning(),
                  setting.accepted()));
    }
    return table.toString().replace("\r\n", "\n");
  }

  private static String argument(Setting<?> setting) {
    return setting.flagArgument() == null ? "" : " " + setting.flagArgument();
  }
}
