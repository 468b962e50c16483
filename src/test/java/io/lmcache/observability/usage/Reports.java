package io.lmcache.observability.usage;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;

/** Takes reports and remembers them; any thread may call it. */
final class Reports implements UsageSender {

  /** One report and where it was to go. */
  record Report(URI target, String json) {

    Map<String, Object> fields() {
      return Json.object(json);
    }

    String type() {
      return String.valueOf(fields().get("message_type"));
    }
  }

  private final List<Report> all = new CopyOnWriteArrayList<>();

  @Override
  public void send(URI target, String json) {
    all.add(new Report(target, json));
  }

  List<Report> all() {
    return new ArrayList<>(all);
  }

  List<String> types() {
    return all.stream().map(Report::type).toList();
  }

  /** The fields of all reports of a type, in order. */
  List<Map<String, Object>> of(String type) {
    return all.stream().filter(r -> r.type().equals(type)).map(Report::fields).toList();
  }

  /** Waits for the arrival of so many. */
  List<Report> await(int count) {
    Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> all.size() >= count);
    return all();
  }
}
