/** What a cache server reports: typed, immutable event records. */
@NullMarked
package io.lmcache.observability.event;

import org.jspecify.annotations.NullMarked;
