package io.lmcache.observability.internal.logging;

import io.lmcache.observability.event.ObjectKey;
import io.lmcache.observability.event.ServerEvent.AllocationRecord;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Fields that hold more than one value, told in brief: {@code [256:a,b,c,…]} is the number of
 * items, the first few, and whether there are more.
 *
 * <p>A key is {@code model/salt/hash/rank}, a count per salt {@code salt:count}, an allocation
 * {@code request/blocks/tokens}; bytes are hex, cut after the first eight. What a foreign key
 * refuses to say, or says as null, is {@code ?}. The result has no space, quote or equals sign.
 */
final class Digest {

  private static final int ITEMS = 5;
  private static final int BYTES = 8;
  private static final int LONGEST_TEXT = 64;
  private static final String UNKNOWN = "?";

  private Digest() {}

  static String of(Object value) {
    StringBuilder out = new StringBuilder();
    append(out, value);
    return out.toString();
  }

  private static void append(StringBuilder out, Object value) {
    if (value instanceof ObjectKey key) {
      append(out, key);
    } else if (value instanceof Collection<?> items) {
      list(out, items.size(), items.stream(), item -> append(out, item));
    } else if (value instanceof Map<?, ?> counts) {
      list(out, counts.size(), counts.entrySet().stream(), entry -> append(out, entry));
    } else if (value instanceof int[] numbers) {
      list(out, numbers.length, Arrays.stream(numbers).boxed(), out::append);
    } else if (value instanceof byte[] bytes) {
      append(out, bytes);
    } else if (value instanceof AllocationRecord record) {
      append(out, record);
    } else if (value instanceof Enum<?> constant) {
      out.append(constant.name().toLowerCase(Locale.ROOT));
    } else {
      guarded(out, () -> SafeText.item(value.toString(), LONGEST_TEXT));
    }
  }

  private static <T> void list(StringBuilder out, int size, Stream<T> items, Consumer<T> append) {
    if (size == 0) {
      out.append("[]");
      return;
    }
    out.append('[').append(size);
    char[] separator = {':'};
    items
        .limit(ITEMS)
        .forEach(
            item -> {
              out.append(separator[0]);
              append.accept(item);
              separator[0] = ',';
            });
    out.append(size > ITEMS ? ",…]" : "]");
  }

  /** Each fact is asked for by itself: a key that fails on one may still tell the others. */
  private static void append(StringBuilder out, ObjectKey key) {
    guarded(out, () -> SafeText.item(key.modelName(), LONGEST_TEXT));
    out.append('/');
    guarded(out, () -> SafeText.part(key.cacheSalt(), LONGEST_TEXT));
    out.append('/');
    guarded(out, () -> hex(key.chunkHash()));
    out.append('/');
    guarded(out, () -> Integer.toString(key.kvRank()));
  }

  private static void append(StringBuilder out, Map.Entry<?, ?> entry) {
    out.append(SafeText.item(String.valueOf(entry.getKey()), LONGEST_TEXT));
    out.append(':').append(entry.getValue());
  }

  private static void append(StringBuilder out, AllocationRecord record) {
    out.append(SafeText.part(record.reqId(), LONGEST_TEXT)).append('/');
    append(out, record.newBlockIds());
    out.append('/');
    append(out, record.newTokenIds());
  }

  private static void append(StringBuilder out, byte[] bytes) {
    out.append(hex(bytes));
  }

  private static String hex(byte[] bytes) {
    String shown = HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, BYTES));
    return bytes.length > BYTES ? shown + "…" : shown;
  }

  private static void guarded(StringBuilder out, Supplier<String> text) {
    String told;
    try {
      told = text.get();
    } catch (Throwable foreign) {
      told = UNKNOWN;
    }
    out.append(told);
  }
}
