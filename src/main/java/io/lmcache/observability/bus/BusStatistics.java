package io.lmcache.observability.bus;

/**
 * What became of all events of a bus, read at one moment: published = dispatched + in dispatch +
 * queued + dropped, whenever no publish is under way.
 *
 * @param published all calls of publish that reached the bus, accepted or dropped
 * @param dispatched events that every subscriber has been offered
 * @param inDispatch 0 or 1
 * @param queued events that wait for their dispatch
 * @param dropped events that were not accepted, or were abandoned by a stop that ran out of time
 */
public record BusStatistics(
    long published, long dispatched, long inDispatch, long queued, long dropped) {}
