package io.lmcache.observability.catalog;

/**
 * Where producers register the callbacks that report a state.
 *
 * <p>Any thread may register and unregister. Callbacks run on the thread of the collection, now and
 * again at the same time for two readers. One that throws loses its own values only, is counted and
 * logged once; one that blocks holds up its whole collection.
 */
public interface Gauges {

  /** Reports the values of a gauge at a collection. */
  @FunctionalInterface
  interface Callback {

    /** Reports the values, each under attribute values of its own. */
    void observe(Measurement measurement) throws Exception;
  }

  /** Takes the values of a gauge, good for one collection. */
  interface Measurement {

    /**
     * Takes one value; several under the same attribute values add up.
     *
     * @param value a finite number, not negative; another is left out and counted
     * @param attributes the values of the row's attributes, in its order
     */
    void record(double value, String... attributes);

    /** Takes note of a value that could not be had: it is left out and counted. */
    void failed(Throwable fault);
  }

  /** A registered callback; closing it, from any thread and more than once, removes it. */
  @FunctionalInterface
  interface Registration extends AutoCloseable {

    /** Removes the callback and frees the gauge's name. */
    @Override
    void close();
  }

  /**
   * Registers the callback of a gauge of the catalogue.
   *
   * @throws IllegalStateException if one is registered for it
   */
  Registration register(Metric gauge, Callback callback);

  /** Gauges that are never read. */
  static Gauges noop() {
    return (gauge, callback) -> () -> {};
  }
}
