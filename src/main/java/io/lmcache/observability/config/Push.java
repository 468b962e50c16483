package io.lmcache.observability.config;

/**
 * Where one signal is pushed to by OTLP.
 *
 * @param endpoint the whole URL that requests go to; under {@link Protocol#HTTP_PROTOBUF} with the
 *     signal's path, under {@link Protocol#GRPC} without one; never with credentials
 * @param protocol how requests are sent
 * @param origin where the endpoint came from
 */
public record Push(String endpoint, Protocol protocol, Origin origin) {

  /** The two OTLP transports, with the names that {@code OTEL_EXPORTER_OTLP_PROTOCOL} knows. */
  public enum Protocol {
    GRPC("grpc"),
    HTTP_PROTOBUF("http/protobuf");

    private final String text;

    Protocol(String text) {
      this.text = text;
    }

    /** The name as it is written in {@code OTEL_EXPORTER_OTLP_PROTOCOL}. */
    public String text() {
      return text;
    }
  }
}
