/** The tables: every metric with its name, unit, attributes and meaning. Plain data. */
@NullMarked
package io.lmcache.observability.catalog;

import org.jspecify.annotations.NullMarked;
