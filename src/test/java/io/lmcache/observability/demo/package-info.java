/**
 * The demo: replays a request trace through a small cache of two tiers, reports all of it to the
 * library, and serves the numbers. Also the reference that the end-to-end tests are held against.
 */
@NullMarked
package io.lmcache.observability.demo;

import org.jspecify.annotations.NullMarked;
