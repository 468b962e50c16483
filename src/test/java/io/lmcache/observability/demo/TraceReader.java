package io.lmcache.observability.demo;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a trace: JSON lines, one request each, in the format of the public Mooncake traces. Fields
 * that it does not know are passed over; empty lines may only stand at the end. Lines are counted
 * from 1 in messages.
 */
final class TraceReader {

  /** A trace spans a century at most, so that its times fit into nanoseconds since the epoch. */
  private static final long LAST_TIMESTAMP = Duration.ofDays(36_525).toMillis();

  private static final JsonFactory JSON =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private TraceReader() {}

  /**
   * The requests of a file, at least one.
   *
   * @throws MalformedTraceException if a line is not a request, or there is none
   */
  static List<TraceRequest> read(Path file) throws IOException {
    List<TraceRequest> requests = new ArrayList<>();
    int number = 0;
    try (BufferedReader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        number++;
        if (line.isBlank()) {
          continue;
        }
        if (requests.size() != number - 1) {
          throw new MalformedTraceException("line " + (requests.size() + 1) + ": is empty");
        }
        requests.add(request(line));
      }
    } catch (JsonProcessingException e) {
      throw new MalformedTraceException("line " + number + ": " + firstLine(e));
    } catch (LineFault e) {
      throw new MalformedTraceException("line " + number + ": " + e.getMessage());
    } catch (CharacterCodingException e) {
      throw new MalformedTraceException("is not text in UTF-8");
    }
    if (requests.isEmpty()) {
      throw new MalformedTraceException("holds no request");
    }
    return requests;
  }

  private static TraceRequest request(String line) throws IOException {
    try (JsonParser json = JSON.createParser(line)) {
      expect(json.nextToken() == JsonToken.START_OBJECT, "is not a JSON object");
      Long timestamp = null;
      Long input = null;
      Long output = null;
      List<Long> hashIds = null;
      for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
        JsonToken value = json.nextToken();
        switch (name) {
          case "timestamp" -> timestamp = number(json, value, name, 0, LAST_TIMESTAMP);
          case "input_length" -> input = number(json, value, name, 0, Integer.MAX_VALUE);
          case "output_length" -> output = number(json, value, name, 0, Integer.MAX_VALUE);
          case "hash_ids" -> hashIds = numbers(json, value, name);
          default -> json.skipChildren();
        }
      }
      expect(json.nextToken() == null, "goes on after the object");
      return new TraceRequest(
          present(timestamp, "timestamp"),
          present(input, "input_length"),
          present(output, "output_length"),
          present(hashIds, "hash_ids"));
    }
  }

  private static List<Long> numbers(JsonParser json, @Nullable JsonToken token, String name)
      throws IOException {
    expect(token == JsonToken.START_ARRAY, name + " is not a list");
    List<Long> numbers = new ArrayList<>();
    for (JsonToken next = json.nextToken(); next != JsonToken.END_ARRAY; next = json.nextToken()) {
      numbers.add(number(json, next, name, Long.MIN_VALUE, Long.MAX_VALUE));
    }
    return numbers;
  }

  private static long number(
      JsonParser json, @Nullable JsonToken token, String name, long least, long most)
      throws IOException {
    expect(token == JsonToken.VALUE_NUMBER_INT, name + " is not a whole number");
    long value = json.getLongValue();
    expect(value >= least && value <= most, name + " is out of range: " + value);
    return value;
  }

  private static <T> T present(@Nullable T value, String name) throws LineFault {
    if (value == null) {
      throw new LineFault(name + " is missing");
    }
    return value;
  }

  private static void expect(boolean condition, String otherwise) throws LineFault {
    if (!condition) {
      throw new LineFault(otherwise);
    }
  }

  private static String firstLine(JsonProcessingException e) {
    return "is not valid JSON: " + e.getOriginalMessage().lines().findFirst().orElse("");
  }

  /** A trace that is not what it should be; the message says where and why, on one line. */
  static final class MalformedTraceException extends IOException {

    private static final long serialVersionUID = 1;

    MalformedTraceException(String message) {
      super(message);
    }
  }

  /** What is wrong with a line. */
  private static final class LineFault extends IOException {

    private static final long serialVersionUID = 1;

    LineFault(String message) {
      super(message);
    }
  }
}
