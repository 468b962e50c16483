/** Turns events that belong together into the samples of the catalogue's histograms. */
@NullMarked
package io.lmcache.observability.internal.metrics.correlation;

import org.jspecify.annotations.NullMarked;
