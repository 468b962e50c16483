/** Turns pairs of events into spans, through the OpenTelemetry API. */
@NullMarked
package io.lmcache.observability.internal.tracing;

import org.jspecify.annotations.NullMarked;
