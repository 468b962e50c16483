package io.lmcache.observability.config;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which endpoint each signal is pushed to. On one level our own general endpoint wins over OTEL's
 * general one; a signal's own endpoint wins over a general one of the same or a lower level. The
 * protocol is the signal's own, else the general one, else grpc, as with OpenTelemetry itself.
 */
final class Otlp {
  private static final String PREFIX = "otel.exporter.otlp.";
  private static final Map<String, String> INSTEAD =
      Map.of(
          "metrics", "to push set otlpEndpoint, to serve Prometheus set prometheusPort",
          "traces", "to push spans set otlpEndpoint and tracing",
          "logs", "records are written to SLF4J, which logging switches");

  private final OtelSettings otel;
  private final Faults faults;
  private final @Nullable Endpoint general;
  private final boolean generalIsOurs;

  Otlp(Sources.@Nullable Given ours, OtelSettings otel, Faults faults) {
    this.otel = otel;
    this.faults = faults;
    OtelSettings.Entry theirs = otel.find(PREFIX + "endpoint");
    generalIsOurs = ours != null && (theirs == null || ours.origin().ranksWith(theirs.origin()));
    if (generalIsOurs && ours != null) {
      general = parseOurs(ours);
    } else {
      general = theirs == null ? null : parseTheirs(theirs, true);
    }
    checkExporter("logs");
  }

  @Nullable Endpoint general() {
    return general;
  }

  /** Where the signal, {@code metrics} or {@code traces}, is pushed to; null if nowhere. */
  @Nullable Push push(String signal) {
    OtelSettings.Entry exporter = otel.find("otel." + signal + ".exporter");
    if (exporter != null && exporter.text().equals("none")) {
      return null;
    }
    checkExporter(signal);
    Push.Protocol protocol = protocol(signal);
    OtelSettings.Entry own = otel.find(PREFIX + signal + ".endpoint");
    boolean useOwn = own != null && (general == null || own.origin().ranksWith(general.origin()));
    Endpoint endpoint = useOwn && own != null ? parseTheirs(own, false) : general;
    if (protocol == null || endpoint == null) {
      return null;
    }
    String misfit = endpoint.misfit(protocol, !useOwn);
    if (misfit == null) {
      String url = endpoint.urlOf(signal, protocol, !useOwn);
      return new Push(url, protocol, endpoint.origin());
    }
    if (useOwn) {
      faults.addOtel(endpoint.origin().spelling(), misfit);
    } else {
      faultOfGeneral(endpoint.origin(), misfit);
    }
    return null;
  }

  private @Nullable Endpoint parseOurs(Sources.Given given) {
    try {
      return Endpoint.parse(given.read(Setting.OTLP_ENDPOINT.kind()), given.origin());
    } catch (Kind.Refused e) {
      faults.add(Setting.OTLP_ENDPOINT, given.origin(), e.reason());
      return null;
    }
  }

  private @Nullable Endpoint parseTheirs(OtelSettings.Entry entry, boolean isGeneral) {
    try {
      return Endpoint.parse(entry.text(), entry.origin());
    } catch (Kind.Refused e) {
      String spelling = entry.origin().spelling();
      faults.addOtel(
          isGeneral ? Setting.OTLP_ENDPOINT.label(entry.origin()) : spelling, e.reason());
      return null;
    }
  }

  private void faultOfGeneral(Origin origin, String reason) {
    if (generalIsOurs) {
      faults.add(Setting.OTLP_ENDPOINT, origin, reason);
    } else {
      faults.addOtel(Setting.OTLP_ENDPOINT.label(origin), reason);
    }
  }

  private Push.@Nullable Protocol protocol(String signal) {
    OtelSettings.Entry own = otel.find(PREFIX + signal + ".protocol");
    OtelSettings.Entry entry = own != null ? own : otel.find(PREFIX + "protocol");
    if (entry == null) {
      return Push.Protocol.GRPC;
    }
    for (Push.Protocol protocol : Push.Protocol.values()) {
      if (protocol.text().equals(entry.text())) {
        return protocol;
      }
    }
    faults.addOtel(
        entry.origin().spelling(),
        Faults.quote(entry.text()) + " is neither grpc nor http/protobuf");
    return null;
  }

  /** Which exporters run is not OTEL's to say, except none. */
  private void checkExporter(String signal) {
    OtelSettings.Entry entry = otel.find("otel." + signal + ".exporter");
    if (entry != null && !entry.text().equals("otlp") && !entry.text().equals("none")) {
      faults.addOtel(
          entry.origin().spelling(),
          Faults.quote(entry.text()) + " is neither otlp nor none; " + INSTEAD.get(signal));
    }
  }
}
