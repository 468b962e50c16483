/**
 * The OpenTelemetry SDK, its exporters, the Prometheus page and the server that shows it: the only
 * room that knows them.
 */
@NullMarked
package io.lmcache.observability.internal.export;

import org.jspecify.annotations.NullMarked;
