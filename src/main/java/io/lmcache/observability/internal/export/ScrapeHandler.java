package io.lmcache.observability.internal.export;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.zip.GZIPOutputStream;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpMessage;
import org.jspecify.annotations.Nullable;

/**
 * Answers what is asked of the endpoint: {@code /metrics} and {@code /-/healthy}, by GET and HEAD.
 *
 * <p>Called by many connections at once; at most {@value #MAX_RENDERINGS} pages are written at a
 * time, the others wait their turn for {@value #MAX_WAIT_SECONDS} seconds and then hear 503.
 */
final class ScrapeHandler {

  static final String METRICS_PATH = "/metrics";
  static final String HEALTH_PATH = "/-/healthy";

  private static final int MAX_RENDERINGS = 2;
  private static final int MAX_WAIT_SECONDS = 10;

  /** Writes the page for an {@code Accept} header and the names that are asked for. */
  interface Pages {
    Export.Page page(@Nullable String accept, Set<String> names);
  }

  /** What goes back. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Answer(int status, Map<String, String> headers, byte[] body) {

    static Answer text(int status, String text, String... headers) {
      Map<String, String> all = new LinkedHashMap<>();
      all.put("Content-Type", "text/plain; charset=utf-8");
      for (int i = 0; i < headers.length; i += 2) {
        all.put(headers[i], headers[i + 1]);
      }
      return new Answer(status, all, text.getBytes(StandardCharsets.UTF_8));
    }
  }

  private final Pages pages;
  private final Semaphore renderings = new Semaphore(MAX_RENDERINGS, true);

  ScrapeHandler(Pages pages) {
    this.pages = pages;
  }

  /**
   * The answer to a request.
   *
   * @param wanted whether somebody still waits for it
   */
  Answer answer(ClassicHttpRequest request, BooleanSupplier wanted) {
    String target = target(request.getPath());
    int question = target.indexOf('?');
    String path = question < 0 ? target : target.substring(0, question);
    Set<String> names;
    try {
      decoded(path);
      names = names(question < 0 ? "" : target.substring(question + 1));
    } catch (IllegalArgumentException e) {
      return Answer.text(400, "bad percent-encoding\n");
    }
    if (!path.equals(METRICS_PATH) && !path.equals(HEALTH_PATH)) {
      return Answer.text(404, "not found; try " + METRICS_PATH + "\n");
    }
    String method = request.getMethod();
    if (!method.equals("GET") && !method.equals("HEAD")) {
      return Answer.text(405, "method not allowed\n", "Allow", "GET, HEAD");
    }
    return path.equals(METRICS_PATH) ? metrics(request, names, wanted) : Answer.text(200, "ok");
  }

  private Answer metrics(HttpMessage request, Set<String> names, BooleanSupplier wanted) {
    try {
      if (!renderings.tryAcquire(MAX_WAIT_SECONDS, TimeUnit.SECONDS)) {
        return Answer.text(503, "too many scrapes at a time\n", "Retry-After", "10");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Answer.text(503, "shutting down\n");
    }
    try {
      if (!wanted.getAsBoolean()) {
        return Answer.text(503, "too late\n");
      }
      Export.Page page = pages.page(header(request, "Accept"), names);
      Map<String, String> headers = new LinkedHashMap<>();
      headers.put("Content-Type", page.contentType());
      headers.put("Vary", "Accept, Accept-Encoding");
      byte[] body = page.body();
      if (takesGzip(header(request, "Accept-Encoding"))) {
        headers.put("Content-Encoding", "gzip");
        body = gzip(body);
      }
      return new Answer(200, headers, body);
    } finally {
      renderings.release();
    }
  }

  /** Path and query, also of a target in absolute form. */
  private static String target(@Nullable String uri) {
    if (uri == null) {
      return "";
    }
    int scheme = uri.indexOf("://");
    if (uri.startsWith("/") || scheme < 0) {
      return uri;
    }
    int slash = uri.indexOf('/', scheme + 3);
    return slash < 0 ? "/" : uri.substring(slash);
  }

  private static Set<String> names(String query) {
    Set<String> names = new LinkedHashSet<>();
    for (String pair : query.split("&", -1)) {
      int equals = pair.indexOf('=');
      String key = decoded(equals < 0 ? pair : pair.substring(0, equals));
      String value = decoded(equals < 0 ? "" : pair.substring(equals + 1));
      if (key.equals("name[]")) {
        names.add(value);
      }
    }
    return names;
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  /** All fields of one name as one. */
  private static @Nullable String header(HttpMessage request, String name) {
    Header[] fields = request.getHeaders(name);
    if (fields.length == 0) {
      return null;
    }
    StringBuilder joined = new StringBuilder();
    for (Header field : fields) {
      joined.append(joined.length() == 0 ? "" : ",").append(field.getValue());
    }
    return joined.toString();
  }

  private static boolean takesGzip(@Nullable String acceptEncoding) {
    double any = 0;
    double gzip = -1;
    for (WeightedToken coding : WeightedToken.parse(acceptEncoding)) {
      if (coding.name().equals("gzip") || coding.name().equals("x-gzip")) {
        gzip = Math.max(gzip, coding.quality());
      } else if (coding.name().equals("*")) {
        any = coding.quality();
      }
    }
    return (gzip < 0 ? any : gzip) > 0;
  }

  private static byte[] gzip(byte[] body) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(body.length / 8 + 64);
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes, 8192)) {
      gzip.write(body);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // memory does not fail
    }
    return bytes.toByteArray();
  }
}
