package io.lmcache.observability.demo;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Makes a trace: conversations that arrive one after the other, take turns with pauses in between,
 * and begin with one of a few shared system prompts. The same seed always makes the same trace.
 */
final class TraceGenerator {

  static final int CHUNK_TOKENS = 512;

  private static final int SHARED_PROMPTS = 12;
  private static final int MEAN_ARRIVAL_MILLIS = 700;
  private static final int MEAN_PAUSE_MILLIS = 120_000;

  private final SplittableRandom random;
  private long nextHashId;

  private TraceGenerator(long seed) {
    random = new SplittableRandom(seed);
  }

  /** So many requests, by their time. */
  static List<TraceRequest> generate(long seed, int requestCount) {
    return new TraceGenerator(seed).generate(requestCount);
  }

  private List<TraceRequest> generate(int requestCount) {
    List<List<Long>> prompts = new ArrayList<>();
    for (int i = 0; i < SHARED_PROMPTS; i++) {
      prompts.add(newChunks(2, 24));
    }
    List<TraceRequest> requests = new ArrayList<>();
    long arrival = 0;
    while (requests.size() < requestCount) {
      converse(arrival, prompts.get(popular(prompts.size())), requests);
      arrival += pause(MEAN_ARRIVAL_MILLIS);
    }
    requests.sort(Comparator.comparingLong(TraceRequest::timestampMillis));
    return List.copyOf(requests.subList(0, requestCount));
  }

  /** A conversation: each turn's prompt is the one before, its answer, and what the user adds. */
  private void converse(long arrival, List<Long> systemPrompt, List<TraceRequest> requests) {
    List<Long> chunks = new ArrayList<>(systemPrompt);
    chunks.addAll(newChunks(2, 80));
    long time = arrival;
    int turns = random.nextInt(1, 9);
    for (int turn = 0; turn < turns; turn++) {
      long input = (long) chunks.size() * CHUNK_TOKENS - random.nextInt(CHUNK_TOKENS);
      requests.add(new TraceRequest(time, input, random.nextInt(1, 1000), chunks));
      chunks.addAll(newChunks(1, 6));
      time += pause(MEAN_PAUSE_MILLIS);
    }
  }

  private List<Long> newChunks(int least, int most) {
    List<Long> chunks = new ArrayList<>();
    for (int i = random.nextInt(least, most + 1); i > 0; i--) {
      chunks.add(nextHashId++);
    }
    return chunks;
  }

  /** An index below the bound, a low one more often than a high one. */
  private int popular(int bound) {
    return Math.min(random.nextInt(bound), random.nextInt(bound));
  }

  /** From half of the mean to half as much again. */
  private long pause(int meanMillis) {
    return random.nextLong(meanMillis / 2, meanMillis * 3L / 2);
  }
}
