package io.lmcache.observability.producer;

import io.lmcache.observability.bus.EventSink;
import io.lmcache.observability.catalog.Gauges;
import io.lmcache.observability.catalog.L1Metrics;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.L1Event.AllocationPurpose;
import io.lmcache.observability.event.L1Event.ReadFailure;
import io.lmcache.observability.event.L1Event.ReadPurpose;
import io.lmcache.observability.event.ObjectKey;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * What happens in L1, the cache in host memory.
 *
 * <p>Any thread may call any method. Reporting never blocks and never throws: an event with an
 * invalid field is dropped, counted in {@code recording_errors} and warned about once. A list of
 * keys is taken as it is when it is immutable ({@code List.of}, {@code List.copyOf}), else copied.
 */
public final class L1Manager {

  private final Emitter emitter;
  private final Gauges gauges;

  /** Reports to a sink and registers gauges there. */
  public L1Manager(EventSink sink, Gauges gauges) {
    this.emitter = new Emitter(sink);
    this.gauges = gauges;
  }

  /** Chunks were locked for reading. */
  public void readReserved(List<? extends ObjectKey> keys) {
    if (emitter.isOff()) {
      return;
    }
    try {
      emitter.publish(new L1Event.ReadReserved(keys));
    } catch (Throwable fault) {
      emitter.refused(L1Event.ReadReserved.class, fault);
    }
  }

  /** A read of chunks is complete. */
  public void readFinished(List<? extends ObjectKey> keys) {
    if (emitter.isOff()) {
      return;
    }
    try {
      emitter.publish(new L1Event.ReadFinished(keys));
    } catch (Throwable fault) {
      emitter.refused(L1Event.ReadFinished.class, fault);
    }
  }

  /** Memory was reserved for chunks to be written. */
  public void writeReserved(List<? extends ObjectKey> keys) {
    if (emitter.isOff()) {
      return;
    }
    try {
      emitter.publish(new L1Event.WriteReserved(keys));
    } catch (Throwable fault) {
      emitter.refused(L1Event.WriteReserved.class, fault);
    }
  }

  /** A write of chunks is complete. */
  public void writeFinished(List<? extends ObjectKey> keys) {
    if (emitter.isOff()) {
      return;
    }
    try {
      emitter.publish(new L1Event.WriteFinished(keys));
    } catch (Throwable fault) {
      emitter.refused(L1Event.WriteFinished.class, fault);
    }
  }

  /** A write is complete and its chunks were locked for reading in the same step. */
  public void writeFinishedAndReadReserved(List<? extends ObjectKey> keys) {
    if (emitter.isOff()) {
      return;
    }
    try {
      emitter.publish(new L1Event.WriteFinishedAndReadReserved(keys));
    } catch (Throwable fault) {
      emitter.refused(L1Event.WriteFinishedAndReadReserved.class, fault);
    }
  }

  /** Chunks were evicted. */
  public void keysEvicted(List<? extends ObjectKey> keys) {
    if (emitter.isOff()) {
      return;
    }
    try {
      emitter.publish(new L1Event.KeysEvicted(keys));
    } catch (Throwable fault) {
      emitter.refused(L1Event.KeysEvicted.class, fault);
    }
  }

  /**
   * The eviction loop looked at the fullness of L1.
   *
   * @param triggered whether it evicted
   * @param usage the share of L1 in use, 0 … 1
   * @param watermark the share above which it evicts, 0 … 1
   */
  public void evictionLoopTicked(boolean triggered, double usage, double watermark) {
    if (emitter.isOff()) {
      return;
    }
    try {
      emitter.publish(new L1Event.EvictionLoopTick(triggered, usage, watermark));
    } catch (Throwable fault) {
      emitter.refused(L1Event.EvictionLoopTick.class, fault);
    }
  }

  /** L1 had no memory for chunks. Published by the caller of the L1 API, who knows the purpose. */
  public void allocationFailed(AllocationPurpose during, List<? extends ObjectKey> keys) {
    if (emitter.isOff()) {
      return;
    }
    try {
      emitter.publish(new L1Event.AllocationFailed(during, keys));
    } catch (Throwable fault) {
      emitter.refused(L1Event.AllocationFailed.class, fault);
    }
  }

  /** Chunks that a lookup had found could not be read. Published by the caller of the L1 API. */
  public void readFailed(ReadPurpose during, ReadFailure reason, List<? extends ObjectKey> keys) {
    if (emitter.isOff()) {
      return;
    }
    try {
      emitter.publish(new L1Event.ReadFailed(during, reason, keys));
    } catch (Throwable fault) {
      emitter.refused(L1Event.ReadFailed.class, fault);
    }
  }

  /**
   * Reports the fullness of L1 as {@code l1_usage_ratio}: used / total, 0 when the total is 0.
   *
   * @throws IllegalStateException if it is reported already
   */
  public Gauges.Registration registerUsageRatio(LongSupplier usedBytes, LongSupplier totalBytes) {
    Objects.requireNonNull(usedBytes, "usedBytes");
    Objects.requireNonNull(totalBytes, "totalBytes");
    return gauges.register(
        L1Metrics.USAGE_RATIO,
        measurement -> {
          long total = totalBytes.getAsLong();
          measurement.record(total == 0 ? 0 : (double) usedBytes.getAsLong() / total);
        });
  }

  /**
   * Reports the bytes held in L1 as {@code l1_memory_usage_bytes}.
   *
   * @throws IllegalStateException if they are reported already
   */
  public Gauges.Registration registerMemoryUsage(LongSupplier usedBytes) {
    Objects.requireNonNull(usedBytes, "usedBytes");
    return gauges.register(
        L1Metrics.MEMORY_USAGE, measurement -> measurement.record((double) usedBytes.getAsLong()));
  }
}
