/** Turns events into the metrics of the catalogue, through the OpenTelemetry API. */
@NullMarked
package io.lmcache.observability.internal.metrics;

import org.jspecify.annotations.NullMarked;
