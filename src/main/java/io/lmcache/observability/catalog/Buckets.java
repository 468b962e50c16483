package io.lmcache.observability.catalog;

import java.util.List;

/** The upper bounds of the histograms' buckets. */
final class Buckets {

  /** From a millisecond to a day. */
  static final List<Double> SECONDS =
      List.of(
          0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 60.0, 100.0, 300.0, 1_000.0,
          3_600.0, 10_000.0, 30_000.0, 86_400.0);

  /** From a hundredth of a gigabyte a second to a thousand of them. */
  static final List<Double> GIGABYTES_PER_SECOND =
      List.of(
          0.01, 0.03, 0.1, 0.3, 1.0, 2.0, 3.0, 5.0, 10.0, 15.0, 20.0, 30.0, 50.0, 100.0, 200.0,
          300.0, 500.0, 1_000.0);

  /** The powers of 4 up to 4<sup>15</sup>. */
  static final List<Double> CHUNKS =
      List.of(
          1.0,
          4.0,
          16.0,
          64.0,
          256.0,
          1_024.0,
          4_096.0,
          16_384.0,
          65_536.0,
          262_144.0,
          1_048_576.0,
          4_194_304.0,
          16_777_216.0,
          67_108_864.0,
          268_435_456.0,
          1_073_741_824.0);

  private Buckets() {}
}
