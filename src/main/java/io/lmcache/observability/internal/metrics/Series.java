package io.lmcache.observability.internal.metrics;

import io.lmcache.observability.catalog.Metric;
import io.lmcache.observability.internal.support.Warnings;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The attribute sets of one metric, built once each and looked up without allocating.
 *
 * <p>Belongs to one thread. It remembers as many sets as the SDK keeps series; what comes later is
 * built anew each time and ends in the SDK's overflow series, which is warned about once. A value
 * longer than 4,096 characters is cut.
 */
final class Series {

  private static final int MAX_VALUE_LENGTH = 4_096;

  private static final class Node {
    final Map<String, Node> children = new HashMap<>();
    @Nullable Attributes attributes;
  }

  private final Metric row;
  private final List<String> names;
  private final int limit;
  private final @Nullable Warnings warnings;
  private final Node root = new Node();
  private int size;

  /**
   * @param names the attributes that the series have, those that are dropped left out
   * @param limit how many sets are remembered
   * @param warnings null where the SDK's own limit is not known
   */
  Series(Metric row, List<String> names, int limit, @Nullable Warnings warnings) {
    this.row = row;
    this.names = names;
    this.limit = limit;
    this.warnings = warnings;
  }

  /** The attribute set of these values, in the order of the names. */
  Attributes get(String[] values) {
    Node node = root;
    for (String value : values) {
      Node child = node.children.get(cut(value));
      if (child == null) {
        return add(values);
      }
      node = child;
    }
    return node.attributes == null ? add(values) : node.attributes;
  }

  private Attributes add(String[] values) {
    AttributesBuilder builder = Attributes.builder();
    for (int i = 0; i < values.length; i++) {
      builder.put(names.get(i), cut(values[i]));
    }
    Attributes attributes = builder.build();
    if (size >= limit) {
      if (warnings != null) {
        warnings.once("series of " + row.name(), overflow());
      }
      return attributes;
    }
    size++;
    Node node = root;
    for (String value : values) {
      node = node.children.computeIfAbsent(cut(value), unused -> new Node());
    }
    node.attributes = attributes;
    return attributes;
  }

  private static String cut(String value) {
    return value.length() > MAX_VALUE_LENGTH ? value.substring(0, MAX_VALUE_LENGTH) : value;
  }

  private String overflow() {
    return "metric "
        + row.name()
        + " has more than "
        + limit
        + " series, most by its attribute "
        + widest()
        + "; further ones add up in its overflow series (raise cardinalityLimit or name the"
        + " attribute in dropAttributes)";
  }

  /** The attribute with the most values. */
  private String widest() {
    String widest = "";
    int most = -1;
    List<Node> level = List.of(root);
    for (String name : names) {
      Set<String> values = new HashSet<>();
      List<Node> next = new ArrayList<>();
      for (Node node : level) {
        values.addAll(node.children.keySet());
        next.addAll(node.children.values());
      }
      if (values.size() > most) {
        most = values.size();
        widest = name;
      }
      level = next;
    }
    return widest;
  }

  /** The names of a row's attributes that are not dropped. */
  static List<String> kept(List<String> names, Set<String> dropped) {
    return names.stream().filter(name -> !dropped.contains(name)).toList();
  }
}
