/** The consumer as a module. */
module consumer {
  requires io.lmcache.observability;
  requires io.opentelemetry.sdk.metrics;
  requires io.opentelemetry.sdk.testing;
  requires java.net.http;
  requires jdk.httpserver;
}
