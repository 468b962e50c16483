package io.lmcache.observability.internal.export;

import io.lmcache.observability.internal.export.ScrapeHandler.Answer;
import io.lmcache.observability.internal.support.Warnings;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.Iterator;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpVersion;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.http.RequestHeaderFieldsTooLargeException;
import org.apache.hc.core5.http.UnsupportedHttpVersionException;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.io.DefaultBHttpServerConnection;
import org.apache.hc.core5.http.impl.io.DefaultHttpRequestParserFactory;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.message.BasicClassicHttpResponse;
import org.apache.hc.core5.http.message.MessageSupport;
import org.apache.hc.core5.http.protocol.HttpDateGenerator;

/**
 * One client's connection, served by a thread of its own, one request after the other.
 *
 * <p>It may be cut off by any thread. A turn (to send a request, to take the answer) has a time
 * limit, which the server watches: reads and writes block, but never longer. A request is at most
 * {@value #MAX_LINE} bytes a line and {@value #MAX_HEADERS} headers; one with a body is answered,
 * the body is not looked at, and the connection ends.
 */
final class ScrapeConnection implements Runnable {

  private static final int MAX_LINE = 8192;
  private static final int MAX_HEADERS = 100;
  private static final int BUFFER = 8192;
  private static final int MAX_DRAINED_BYTES = 16 << 20;
  private static final int DRAIN_MILLIS = 1000;

  private static final Http1Config HTTP =
      Http1Config.custom()
          .setMaxLineLength(MAX_LINE)
          .setMaxHeaderCount(MAX_HEADERS)
          .setMaxEmptyLineCount(10)
          .setBufferSize(BUFFER)
          .build();

  /** Without it the limit on headers would not hold. */
  private static final DefaultHttpRequestParserFactory PARSERS =
      new DefaultHttpRequestParserFactory(HTTP);

  private final Socket socket;
  private final ScrapeHandler handler;
  private final ScrapeServer.Limits limits;
  private final Warnings warnings;
  private volatile long turnStart = System.nanoTime();
  private volatile boolean answering;
  private volatile boolean served;
  private volatile boolean cut;

  ScrapeConnection(
      Socket socket, ScrapeHandler handler, ScrapeServer.Limits limits, Warnings warnings) {
    this.socket = socket;
    this.handler = handler;
    this.limits = limits;
    this.warnings = warnings;
  }

  @Override
  public void run() {
    // Not closed as a resource: its close() flushes, to a client that may not read.
    DefaultBHttpServerConnection connection =
        new DefaultBHttpServerConnection("http", HTTP, null, null, null, null, PARSERS, null);
    try {
      socket.setTcpNoDelay(true);
      connection.bind(socket);
      boolean more = true;
      while (more) {
        more = turn(connection);
      }
      connection.flush();
      drain();
    } catch (IOException | HttpException e) {
      // The client went away or was cut off.
    } catch (Throwable e) {
      warnings.once("scrape:" + e.getClass().getName(), "A scrape failed", e);
    } finally {
      cut();
    }
  }

  /** One request and its answer; false when it was the last. */
  private boolean turn(DefaultBHttpServerConnection connection) throws IOException, HttpException {
    startTurn(false);
    ClassicHttpRequest request;
    try {
      request = connection.receiveRequestHeader();
    } catch (UnsupportedHttpVersionException e) {
      return refuse(connection, 505, "HTTP version not supported\n");
    } catch (RequestHeaderFieldsTooLargeException | MessageConstraintException e) {
      return refuse(connection, 431, "request header too large\n");
    } catch (HttpException | RuntimeException e) {
      return refuse(connection, 400, "bad request\n");
    }
    if (request == null) {
      return false;
    }
    startTurn(true);
    boolean more = canStay(request);
    send(connection, answer(request), more, request.getMethod().equals("HEAD"));
    served = true;
    return more;
  }

  private Answer answer(ClassicHttpRequest request) {
    try {
      return handler.answer(request, () -> !cut);
    } catch (Throwable e) {
      warnings.once("page:" + e.getClass().getName(), "The page could not be written", e);
      return Answer.text(500, "the page could not be written\n");
    }
  }

  private boolean refuse(DefaultBHttpServerConnection connection, int status, String text)
      throws IOException, HttpException {
    startTurn(true);
    send(connection, Answer.text(status, text), false, false);
    return false;
  }

  private static void send(
      DefaultBHttpServerConnection connection, Answer answer, boolean more, boolean bare)
      throws IOException, HttpException {
    try (ClassicHttpResponse response = new BasicClassicHttpResponse(answer.status())) {
      response.setVersion(HttpVersion.HTTP_1_1);
      response.setHeader("Date", HttpDateGenerator.INSTANCE.getCurrentDate());
      answer.headers().forEach(response::setHeader);
      response.setHeader("Content-Length", Integer.toString(answer.body().length));
      if (!more) {
        response.setHeader("Connection", "close");
      }
      connection.sendResponseHeader(response);
      if (!bare) {
        ContentType type = ContentType.parseLenient(answer.headers().get("Content-Type"));
        response.setEntity(new ByteArrayEntity(answer.body(), type));
        connection.sendResponseEntity(response);
      }
      connection.flush();
    }
  }

  private static boolean canStay(ClassicHttpRequest request) {
    if (request.getVersion() == null || !request.getVersion().greaterEquals(HttpVersion.HTTP_1_1)) {
      return false;
    }
    if (request.containsHeader("Transfer-Encoding")) {
      return false;
    }
    for (Header length : request.getHeaders("Content-Length")) {
      if (!length.getValue().strip().equals("0")) {
        return false;
      }
    }
    for (Iterator<String> tokens = MessageSupport.iterateTokens(request, "Connection");
        tokens.hasNext(); ) {
      if (tokens.next().equalsIgnoreCase("close")) {
        return false;
      }
    }
    return true;
  }

  /** Reads on for a moment: closing with unread bytes would take the answer from the client. */
  private void drain() throws IOException {
    socket.shutdownOutput();
    socket.setSoTimeout(DRAIN_MILLIS);
    long deadline = System.nanoTime() + DRAIN_MILLIS * 1_000_000L;
    InputStream in = socket.getInputStream();
    byte[] sink = new byte[BUFFER];
    int left = MAX_DRAINED_BYTES;
    while (left > 0 && System.nanoTime() - deadline < 0) {
      int read = in.read(sink);
      if (read < 0) {
        return;
      }
      left -= read;
    }
  }

  private void startTurn(boolean answer) {
    turnStart = System.nanoTime(); // first: the watcher must not see the old one as of this turn
    answering = answer;
  }

  /** Whether the turn takes longer than it may. */
  boolean isOverdue(long now) {
    long limit = served ? limits.idleNanos() : limits.requestNanos();
    return now - turnStart > (answering ? limits.answerNanos() : limit);
  }

  boolean isAnswering() {
    return answering;
  }

  /** How long the client has been keeping a place; one that was never served counts far more. */
  long patience(long now) {
    long held = now - turnStart;
    return served ? held : held + limits.requestNanos() * 1000;
  }

  boolean isCut() {
    return cut;
  }

  /** Ends the connection, whatever it is doing. */
  void cut() {
    cut = true;
    try {
      socket.close();
    } catch (IOException e) {
      // It is gone all the same.
    }
  }
}
