/** Events as log lines, and the periodic summary. */
@NullMarked
package io.lmcache.observability.internal.logging;

import org.jspecify.annotations.NullMarked;
