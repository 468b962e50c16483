package io.lmcache.observability.demo;

import java.util.List;

/**
 * One request of a trace.
 *
 * @param timestampMillis when it arrived, from the start of the trace
 * @param inputLength tokens of its prompt
 * @param outputLength tokens of its answer
 * @param hashIds the ids of the prompt's chunks, in order
 */
record TraceRequest(long timestampMillis, long inputLength, long outputLength, List<Long> hashIds) {

  TraceRequest {
    hashIds = List.copyOf(hashIds);
  }
}
