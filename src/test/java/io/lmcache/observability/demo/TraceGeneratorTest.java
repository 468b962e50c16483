package io.lmcache.observability.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class TraceGeneratorTest {

  @Test
  void generate_sameSeed_isTheSameTrace() {
    assertThat(TraceGenerator.generate(7, 300)).isEqualTo(TraceGenerator.generate(7, 300));
  }

  @Test
  void generate_otherSeed_isAnotherTrace() {
    assertThat(TraceGenerator.generate(7, 300)).isNotEqualTo(TraceGenerator.generate(8, 300));
  }

  @Test
  void generate_anySeed_makesSoManyRequestsInOrder() {
    for (long seed = 0; seed < 20; seed++) {
      List<TraceRequest> requests = TraceGenerator.generate(seed, 250);
      assertThat(requests)
          .hasSize(250)
          .isSortedAccordingTo(Comparator.comparingLong(TraceRequest::timestampMillis))
          .allSatisfy(
              request -> {
                assertThat(request.hashIds()).isNotEmpty().doesNotHaveDuplicates();
                assertThat((request.inputLength() + 511) / 512).isEqualTo(request.hashIds().size());
                assertThat(request.outputLength()).isPositive();
              });
    }
  }

  @Test
  void generate_conversations_shareAndRepeatPrefixes() {
    List<TraceRequest> requests = TraceGenerator.generate(1, 500);
    long chunks = requests.stream().mapToLong(request -> request.hashIds().size()).sum();
    HashSet<Long> distinct = new HashSet<>();
    requests.forEach(request -> distinct.addAll(request.hashIds()));
    assertThat(distinct.size()).isBetween(1000, (int) (chunks / 2));
  }
}
