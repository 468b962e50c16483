package io.lmcache.observability.usage;

import java.net.URI;

/**
 * Takes reports to the statistics server, one at a time.
 *
 * <p>It is called on a thread of the telemetry's own, never on one of the server's. What it throws
 * is swallowed; while it hangs, further reports are lost, and nothing else.
 */
@FunctionalInterface
public interface UsageSender {

  /**
   * Sends one report.
   *
   * @param target the base URL with the report's endpoint
   * @param json the report, an object in JSON
   */
  void send(URI target, String json) throws Exception;
}
