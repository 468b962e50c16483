package io.lmcache.observability.rules;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import io.lmcache.observability.event.Event;
import io.lmcache.observability.event.EventSpec;
import io.lmcache.observability.event.EventType;
import io.lmcache.observability.event.ObjectKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** EVENTS.md, written from the records. */
final class EventsPage {

  private static final String HEAD =
      """
      # Events

      Written from the event records by `mvn test -Dtest=DocsTest -Ddocs.update=true`; do not
      edit.

      Each event is an immutable record in `io.lmcache.observability.event`, its components the
      fields below in camel case. The bus stamps it with the time of its publication in epoch
      nanoseconds, or with the time that it is published with. A record refuses a null or
      out-of-range field with an `IllegalArgumentException` that names the field; the facades drop
      such an event, count it in `recording_errors` and warn once.

      **Types.** *count*: a long from 0 to 2^53. *index*: an int from 0. *ratio*: a double from 0
      to 1. *keys*: a list of `ObjectKey`, an interface that a server's own key class can
      implement (`model_name`, `cache_salt`, `chunk_hash`, `kv_rank`). Lists and maps are taken as
      they are when they are immutable and copied otherwise; byte arrays are never copied.

      **Sessions.** An event with a `session_id` belongs to that session; for all others it is
      empty. START and END belong together by session and, where there is one, device
      (`instance_id` for blending).

      An embedder's own event implements `CustomEvent`; its type is `CUSTOM`, wire name `custom`.

      """;

  private static final List<String> COUNTS =
      List.of("Count", "Tokens", "Chunks", "Bytes", "Hits", "Transferred", "Size", "Len");

  private EventsPage() {}

  /** The document, with the comments of the records from the sources. */
  static String text(Path sources) {
    Map<String, String> comments = comments(sources.resolve("io/lmcache/observability/event"));
    StringBuilder page = new StringBuilder(HEAD);
    Class<?> room = null;
    for (EventType type : EventType.all()) {
      EventSpec spec = type.eventClass().getAnnotation(EventSpec.class);
      if (spec == null) {
        continue;
      }
      Class<?> next = type.eventClass().getDeclaringClass();
      if (next != room) {
        room = next;
        page.append("## ").append(room.getSimpleName()).append("\n\n");
      }
      append(page, type, spec, comments);
    }
    return page.toString().stripTrailing() + "\n";
  }

  private static void append(
      StringBuilder page, EventType type, EventSpec spec, Map<String, String> comments) {
    Class<? extends Event> record = type.eventClass();
    page.append("### ")
        .append(type.name())
        .append("\n\n")
        .append(when(record, comments))
        .append("\n\n");
    page.append("- **Wire name**: `").append(type.wireName()).append("`\n");
    page.append("- **Record**: `").append(record.getDeclaringClass().getSimpleName());
    page.append('.').append(record.getSimpleName()).append("`\n");
    page.append("- **Published by**: ").append(spec.publisher());
    page.append(", on ").append(spec.thread()).append(" thread\n");
    page.append("- **Fields**: ").append(fields(record)).append("\n\n");
  }

  private static String when(Class<?> record, Map<String, String> comments) {
    String name = record.getDeclaringClass().getSimpleName() + "." + record.getSimpleName();
    String comment = comments.get(name);
    if (comment == null) {
      throw new IllegalStateException(name + " has no comment that says when it is published");
    }
    return comment;
  }

  /** The comments of the types in a folder, by name. */
  private static Map<String, String> comments(Path folder) {
    Map<String, String> comments = new TreeMap<>();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (Stream<Path> files = Files.list(folder);
        StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  manager,
                  null,
                  null,
                  null,
                  manager.getJavaFileObjectsFromPaths(files.toList()));
      DocTrees docs = DocTrees.instance(task);
      TreePathScanner<Void, String> scanner =
          new TreePathScanner<>() {
            @Override
            public Void visitClass(ClassTree type, String outer) {
              String comment = docs.getDocComment(getCurrentPath());
              String name =
                  outer.isEmpty() ? "" + type.getSimpleName() : outer + "." + type.getSimpleName();
              if (comment != null) {
                comments.put(name, comment.strip().replaceAll("\\s+", " "));
              }
              return super.visitClass(type, name);
            }
          };
      for (CompilationUnitTree unit : task.parse()) {
        scanner.scan(unit, "");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return comments;
  }

  private static String fields(Class<?> record) {
    RecordComponent[] components = record.getRecordComponents();
    return components.length == 0
        ? "none"
        : Arrays.stream(components)
            .map(field -> "`" + snake(field.getName()) + "` (" + type(field) + ")")
            .collect(Collectors.joining(", "));
  }

  private static String type(RecordComponent field) {
    if (field.getType() == long.class) {
      return COUNTS.stream().anyMatch(field.getName()::endsWith)
              || field.getName().startsWith("num")
          ? "count"
          : "long";
    }
    if (field.getType() == int.class) {
      return "index";
    }
    if (field.getType() == double.class) {
      return "ratio";
    }
    return type(field.getGenericType());
  }

  private static String type(Type type) {
    if (type instanceof WildcardType wildcard) {
      return type(wildcard.getUpperBounds()[0]);
    }
    if (type instanceof ParameterizedType generic) {
      Type last = generic.getActualTypeArguments()[generic.getActualTypeArguments().length - 1];
      if (generic.getRawType() == Map.class) {
        return "map cache_salt → count";
      }
      return type(last).equals("ObjectKey") ? "keys" : "list of " + type(last);
    }
    Class<?> plain = (Class<?>) type;
    if (plain.isEnum()) {
      return Arrays.stream(plain.getEnumConstants())
          .map(constant -> constant.toString().toLowerCase(Locale.ROOT))
          .collect(Collectors.joining(" | "));
    }
    if (plain == ObjectKey.class) {
      return "ObjectKey";
    }
    if (plain.isRecord()) {
      return "(" + fields(plain).replace("`", "") + ")";
    }
    return plain.isArray() || plain == Integer.class || plain == String.class || plain.isPrimitive()
        ? plain.getSimpleName().toLowerCase(Locale.ROOT).replace("integer", "int")
        : plain.getSimpleName();
  }

  private static String snake(String camel) {
    return camel.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
  }
}
