package io.lmcache.observability.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An OTLP endpoint in its parts. Host names are taken as the exporters take them, underscores
 * included. User info is refused, since no exporter sends it, and never echoed.
 *
 * @param base scheme, host and port
 * @param path empty, or from its first slash on
 * @param origin where it was set
 */
record Endpoint(String base, String path, Origin origin) {
  private static final Pattern URL =
      Pattern.compile("(https?)://([^/?#]*)([^?#]*)(.*)", Pattern.CASE_INSENSITIVE);
  private static final Pattern AUTHORITY =
      Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^:\\[\\]]+)(?::([0-9]{1,5}))?");
  private static final Pattern BARE =
      Pattern.compile("(\\[[0-9a-fA-F:.]+]|[\\w.-]+)(:[0-9]+)?(/[\\w./-]*)?");
  private static final Pattern SIGNAL_PATH =
      Pattern.compile("/v1(/.*)?|.*/v1/(metrics|traces|logs|profiles)/?");

  static Endpoint parse(String text, Origin origin) {
    Matcher url = URL.matcher(text);
    if (text.contains("@")) {
      throw refused(text, "has an @; user info is not sent, use OTEL_EXPORTER_OTLP_HEADERS");
    }
    if (!url.matches()) {
      String hint = BARE.matcher(text).matches() ? "; write " + Faults.quote("http://" + text) : "";
      throw refused(text, "is not an http:// or https:// URL" + hint);
    }
    Matcher authority = AUTHORITY.matcher(url.group(2));
    if (url.group(2).isEmpty() || url.group(2).startsWith(":")) {
      throw refused(text, "has no host");
    }
    if (!authority.matches() || !isPort(authority.group(2))) {
      throw refused(text, "has no valid host and port");
    }
    if (!url.group(4).isEmpty()) {
      throw refused(text, "has a query or a fragment");
    }
    try {
      new URI(text);
    } catch (URISyntaxException e) {
      throw refused(text, "is not a valid URL");
    }
    String base = url.group(1).toLowerCase(Locale.ROOT) + "://" + url.group(2);
    return new Endpoint(base, url.group(3), origin);
  }

  String url() {
    return base + path;
  }

  /** Why the endpoint cannot serve under the protocol; null if it can. */
  @Nullable String misfit(Push.Protocol protocol, boolean general) {
    if (protocol == Push.Protocol.GRPC) {
      return path.isEmpty() || path.equals("/")
          ? null
          : Faults.quote(url())
              + " has a path, which grpc does not know; for HTTP set"
              + " OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf";
    }
    return general && SIGNAL_PATH.matcher(path).matches()
        ? Faults.quote(url())
            + " names a signal's path, but serves all signals; leave /v1/… out, or set"
            + " OTEL_EXPORTER_OTLP_METRICS_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
        : null;
  }

  /** The URL that a signal's requests go to. */
  String urlOf(String signal, Push.Protocol protocol, boolean general) {
    if (protocol == Push.Protocol.GRPC) {
      return base;
    }
    String slashed = path.endsWith("/") ? path : path + "/";
    return general ? base + slashed + "v1/" + signal : base + (path.isEmpty() ? "/" : path);
  }

  /** The text with what may be a secret blotted out: all before the last @, and the query. */
  static String masked(String text) {
    int at = text.lastIndexOf('@');
    int scheme = text.indexOf("://");
    String shown = text;
    if (at >= 0) {
      String kept = scheme >= 0 && scheme < at ? text.substring(0, scheme + 3) : "";
      shown = kept + "***" + text.substring(at);
    }
    int query = shown.indexOf('?');
    return query < 0 ? shown : shown.substring(0, query) + "?***";
  }

  private static boolean isPort(@Nullable String text) {
    if (text == null) {
      return true;
    }
    int port = Integer.parseInt(text);
    return port >= 1 && port <= 65_535;
  }

  private static Kind.Refused refused(String text, String reason) {
    return new Kind.Refused(Faults.quote(masked(text)) + " " + reason);
  }
}
