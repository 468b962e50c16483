package io.lmcache.observability.internal.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.L1Event;
import io.lmcache.observability.event.L2Event;
import io.lmcache.observability.event.ServerEvent;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FieldAttributeTest {

  private static Map<String, Object> written(Event event) {
    InMemorySpanExporter exporter = InMemorySpanExporter.create();
    try (SdkTracerProvider provider =
        SdkTracerProvider.builder()
            .addSpanProcessor(SimpleSpanProcessor.create(exporter))
            .build()) {
      Tracer tracer = provider.get("test");
      SpanBuilder builder = tracer.spanBuilder("early");
      Span late = tracer.spanBuilder("late").startSpan();
      event
          .type()
          .fields()
          .forEach(
              field -> {
                new FieldAttribute(field).write(builder, event);
                new FieldAttribute(field).write(late, event);
              });
      builder.startSpan().end();
      late.end();
      assertThat(exporter.getFinishedSpanItems().get(0).getAttributes())
          .isEqualTo(exporter.getFinishedSpanItems().get(1).getAttributes());
      return TracingFixture.attributes(exporter.getFinishedSpanItems().get(0));
    }
  }

  @Test
  void lists_areArrays_bytesAreHex_listsOfListsAreText() {
    assertThat(
            written(
                new ServerEvent.Lookup(
                    "s",
                    "r",
                    List.of(new byte[] {1, (byte) 0xab}, new byte[0]),
                    "m",
                    16,
                    64,
                    List.of("bf16"),
                    List.of(List.of(2, 32), List.of()))))
        .isEqualTo(
            Map.of(
                "session_id",
                "s",
                "request_id",
                "r",
                "chunk_hashes",
                List.of("01ab", ""),
                "model_name",
                "m",
                "chunk_size",
                16L,
                "seq_len",
                64L,
                "dtypes",
                List.of("bf16"),
                "shapes",
                List.of("[2, 32]", "[]")));
  }

  @Test
  void numbersAndBooleans_keepTheirType() {
    assertThat(written(new L1Event.EvictionLoopTick(true, 0.5, 0.8)))
        .isEqualTo(Map.of("triggered", true, "usage", 0.5, "watermark", 0.8));
    assertThat(written(new L2Event.StoreSubmitted(7, 8, "fs", Map.of("a", 3L), 9)))
        .containsEntry("adapter_index", 7L)
        .containsEntry("task_id", 8L)
        .containsEntry("key_count_per_salt", "{a=3}");
  }

  @Test
  void emptyList_isAnEmptyArray() {
    assertThat(
            written(new ServerEvent.Lookup("s", "r", List.of(), "m", 1, 1, List.of(), List.of())))
        .containsEntry("dtypes", List.of());
  }
}
