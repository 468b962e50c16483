package io.lmcache.observability.internal.support;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The library's own warnings: the first of each kind is a WARN, later ones are DEBUG.
 *
 * <p>Any thread may warn. It remembers at most 1,000 kinds; beyond that all are DEBUG. It never
 * throws, whatever the logging backend does.
 */
public final class Warnings {

  /** The logger of the library's own life. */
  public static final String LOGGER = "lmcache.observability";

  private static final int MAX_KINDS = 1_000;

  private final Logger logger = LoggerFactory.getLogger(LOGGER);
  private final Set<String> seen = ConcurrentHashMap.newKeySet();

  /** Warns of a fault, without a cause to show. */
  public void once(String kind, String message) {
    once(kind, message, null);
  }

  /** Warns of a fault and shows its cause; what is of one kind is told once. */
  public void once(String kind, String message, @Nullable Throwable cause) {
    try {
      if (first(kind)) {
        logger.warn("{} (later ones of this kind are logged at DEBUG)", message, cause);
      } else {
        logger.debug("{}", message, cause);
      }
    } catch (Throwable backendFailed) {
      // A logging backend that fails must not fail the caller.
    }
  }

  private boolean first(String kind) {
    return !seen.contains(kind) && seen.size() < MAX_KINDS && seen.add(kind);
  }
}
