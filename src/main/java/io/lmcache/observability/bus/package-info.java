/** The bounded bus between the cache server's threads and the subscribers. */
@NullMarked
package io.lmcache.observability.bus;

import org.jspecify.annotations.NullMarked;
