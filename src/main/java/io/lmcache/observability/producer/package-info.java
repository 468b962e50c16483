/** What the author of a cache server calls: one method for each moment that is worth reporting. */
@NullMarked
package io.lmcache.observability.producer;

import org.jspecify.annotations.NullMarked;
