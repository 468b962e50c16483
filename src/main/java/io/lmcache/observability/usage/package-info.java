/**
 * Usage telemetry: what deployments look like, for the maintainers of the cache. Off unless {@link
 * io.lmcache.observability.usage.UsageTelemetry} is started, and whenever the operator says so.
 */
@NullMarked
package io.lmcache.observability.usage;

import org.jspecify.annotations.NullMarked;
