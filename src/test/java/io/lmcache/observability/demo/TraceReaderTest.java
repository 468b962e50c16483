package io.lmcache.observability.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lmcache.observability.demo.TraceReader.MalformedTraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TraceReaderTest {

  private static final String GOOD =
      "{\"timestamp\": 27482, \"input_length\": 6955, \"output_length\": 52,"
          + " \"hash_ids\": [46, 47, 2353]}";

  @TempDir private Path directory;

  private Path file(String text) throws IOException {
    return Files.writeString(directory.resolve("trace.jsonl"), text);
  }

  @Test
  void read_lineOfAPublicTrace_isTaken() throws IOException {
    assertThat(TraceReader.read(file(GOOD + "\n")))
        .containsExactly(new TraceRequest(27482, 6955, 52, List.of(46L, 47L, 2353L)));
  }

  @Test
  void read_otherOrderAndUnknownFields_areTaken() throws IOException {
    String line =
        "{\"hash_ids\":[],\"session\":{\"a\":[1]},\"output_length\":0,\"input_length\":0,"
            + "\"timestamp\":0}";
    assertThat(TraceReader.read(file(line + "\r\n" + GOOD)))
        .first()
        .isEqualTo(new TraceRequest(0, 0, 0, List.of()));
  }

  @Test
  void read_emptyLinesAtTheEnd_areTaken() throws IOException {
    assertThat(TraceReader.read(file(GOOD + "\n\n  \n"))).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "nonsense | is not valid JSON",
        "[] | is not a JSON object",
        "7 | is not a JSON object",
        "{\"timestamp\": 1 | is not valid JSON",
        "{} | timestamp is missing",
        "{\"timestamp\":1,\"input_length\":1,\"output_length\":1} | hash_ids is missing",
        "{\"timestamp\":1,\"timestamp\":1} | Duplicate field",
        "{\"timestamp\":null} | timestamp is not a whole number",
        "{\"timestamp\":\"1\"} | timestamp is not a whole number",
        "{\"timestamp\":1.5} | timestamp is not a whole number",
        "{\"timestamp\":-1} | timestamp is out of range: -1",
        "{\"timestamp\":9000000000000} | timestamp is out of range",
        "{\"timestamp\":99999999999999999999} | is not valid JSON",
        "{\"input_length\":-5} | input_length is out of range",
        "{\"output_length\":true} | output_length is not a whole number",
        "{\"hash_ids\":3} | hash_ids is not a list",
        "{\"hash_ids\":[1,\"2\"]} | hash_ids is not a whole number",
        "{\"hash_ids\":[[1]]} | hash_ids is not a whole number",
        "{\"hash_ids\":[1 | is not valid JSON",
      })
  void read_malformedLine_isNamedByItsNumber(String line, String reason) throws IOException {
    Path trace = file(GOOD + "\n" + line + "\n" + GOOD);
    assertThatThrownBy(() -> TraceReader.read(trace))
        .isInstanceOf(MalformedTraceException.class)
        .hasMessageStartingWith("line 2: ")
        .hasMessageContaining(reason)
        .extracting(fault -> String.valueOf(fault.getMessage()).lines().count())
        .isEqualTo(1L);
  }

  @Test
  void read_secondObjectOnALine_isRefused() throws IOException {
    Path trace = file(GOOD + GOOD);
    assertThatThrownBy(() -> TraceReader.read(trace))
        .hasMessage("line 1: goes on after the object");
  }

  @Test
  void read_emptyLineAmidst_isRefused() throws IOException {
    Path trace = file(GOOD + "\n\n" + GOOD);
    assertThatThrownBy(() -> TraceReader.read(trace)).hasMessage("line 2: is empty");
  }

  @Test
  void read_emptyFile_isRefused() throws IOException {
    Path trace = file("");
    assertThatThrownBy(() -> TraceReader.read(trace)).hasMessage("holds no request");
  }

  @Test
  void read_binaryFile_isRefused() throws IOException {
    Path trace = Files.write(directory.resolve("binary"), new byte[] {(byte) 0xff, (byte) 0xfe});
    assertThatThrownBy(() -> TraceReader.read(trace)).hasMessage("is not text in UTF-8");
  }

  @Test
  void read_missingFile_throws() {
    assertThatThrownBy(() -> TraceReader.read(directory.resolve("none")))
        .isInstanceOf(NoSuchFileException.class);
  }
}
