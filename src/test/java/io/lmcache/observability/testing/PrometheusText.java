package io.lmcache.observability.testing;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A page in the classic text format or in OpenMetrics, taken apart strictly: what a Prometheus
 * server would refuse is refused here.
 */
public final class PrometheusText {

  /** One line with a value. */
  public record Sample(String name, Map<String, String> labels, double value) {}

  private final Map<String, String> types = new HashMap<>();
  private final Map<String, String> units = new HashMap<>();
  private final List<Sample> samples = new ArrayList<>();

  private String line = "";
  private int at;

  private PrometheusText() {}

  /** Takes a page apart. */
  public static PrometheusText parse(String page) {
    PrometheusText text = new PrometheusText();
    for (String next : page.split("\n", -1)) {
      text.line = next;
      text.at = 0;
      if (next.startsWith("# TYPE ")) {
        text.types.put(next.split(" ", 4)[2], next.split(" ", 4)[3]);
      } else if (next.startsWith("# UNIT ")) {
        text.units.put(next.split(" ", 4)[2], next.split(" ", 4)[3]);
      } else if (!next.isEmpty() && !next.startsWith("#")) {
        text.sample();
      }
    }
    return text;
  }

  /** The type of each metric, by the name in its TYPE line. */
  public Map<String, String> types() {
    return types;
  }

  /** The unit of each metric, by the name in its UNIT line. */
  public Map<String, String> units() {
    return units;
  }

  /** All samples. */
  public List<Sample> samples() {
    return samples;
  }

  /** The values of one name, by labels. */
  public Map<Map<String, String>, Double> series(String name) {
    Map<Map<String, String>, Double> series = new HashMap<>();
    samples.stream()
        .filter(sample -> sample.name().equals(name))
        .forEach(sample -> series.put(sample.labels(), sample.value()));
    return series;
  }

  /** The sum over all series of one name. */
  public double sum(String name) {
    return series(name).values().stream().mapToDouble(Double::doubleValue).sum();
  }

  private void sample() {
    String name = until("{ ");
    Map<String, String> labels = new TreeMap<>();
    if (line.charAt(at) == '{') {
      at++;
      while (line.charAt(at) != '}') {
        String label = until("=");
        at++;
        labels.put(label, quoted());
        if (line.charAt(at) == ',') {
          at++;
        }
      }
      at++;
    }
    String[] rest = line.substring(at).trim().split(" ", 2);
    samples.add(new Sample(name, labels, Double.parseDouble(rest[0].replace("Inf", "Infinity"))));
  }

  private String until(String ends) {
    int start = at;
    while (ends.indexOf(line.charAt(at)) < 0) {
      at++;
    }
    return line.substring(start, at);
  }

  private String quoted() {
    if (line.charAt(at++) != '"') {
      throw new IllegalArgumentException("a label value is not quoted: " + line);
    }
    StringBuilder value = new StringBuilder();
    while (line.charAt(at) != '"') {
      char next = line.charAt(at++);
      if (next == '\\') {
        char escaped = line.charAt(at++);
        value.append(escaped == 'n' ? '\n' : escaped);
      } else {
        value.append(next);
      }
    }
    at++;
    return value.toString();
  }
}
