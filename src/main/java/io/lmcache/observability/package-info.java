/** The door to the library. */
@NullMarked
package io.lmcache.observability;

import org.jspecify.annotations.NullMarked;
