/**
 * What can be set, and what holds: one immutable, validated {@link
 * io.lmcache.observability.config.ObservabilityConfig}, resolved from code, command line, system
 * properties, environment and defaults. Inert: nothing here opens a socket or starts a thread.
 */
@NullMarked
package io.lmcache.observability.config;

import org.jspecify.annotations.NullMarked;
