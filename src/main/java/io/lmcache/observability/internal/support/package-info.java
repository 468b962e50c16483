/** Small pieces that every room may use. */
@NullMarked
package io.lmcache.observability.internal.support;

import org.jspecify.annotations.NullMarked;
