package io.lmcache.observability.testing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;

/** Listens to one logger while it is open, and keeps its lines off the console. */
public final class Logs implements AutoCloseable {

  private final List<ILoggingEvent> lines = new CopyOnWriteArrayList<>();
  private final Logger logger;
  private final Level level;
  private final boolean additive;
  private final UnsynchronizedAppenderBase<ILoggingEvent> appender;

  private Logs(String name, Consumer<ILoggingEvent> behaviour) {
    this.logger = (Logger) LoggerFactory.getLogger(name);
    this.level = logger.getLevel();
    this.additive = logger.isAdditive();
    this.appender =
        new UnsynchronizedAppenderBase<>() {
          @Override
          protected void append(ILoggingEvent line) {
            lines.add(line);
            behaviour.accept(line);
          }
        };
    appender.start();
    logger.setAdditive(false);
    logger.setLevel(Level.DEBUG);
    logger.addAppender(appender);
  }

  /** Listens. */
  public static Logs of(String name) {
    return new Logs(name, line -> {});
  }

  /** Listens, and does something whenever a line is logged, on the thread that logs it. */
  public static Logs of(String name, Runnable behaviour) {
    return new Logs(name, line -> behaviour.run());
  }

  /** Listens, and throws something at whoever logs. */
  public static Logs failing(String name, Error fault) {
    return new Logs(
        name,
        line -> {
          throw fault;
        });
  }

  /** Sets the level at run time; DEBUG at first. */
  public void level(Level wanted) {
    logger.setLevel(wanted);
  }

  /** All lines so far. */
  public List<ILoggingEvent> lines() {
    return List.copyOf(lines);
  }

  /** The messages of all lines so far. */
  public List<String> messages() {
    return lines.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  /** The messages of the warnings so far. */
  public List<String> warnings() {
    return at(Level.WARN).map(ILoggingEvent::getFormattedMessage).toList();
  }

  /** The messages of the debug lines so far. */
  public List<String> debugs() {
    return at(Level.DEBUG).map(ILoggingEvent::getFormattedMessage).toList();
  }

  /** What was logged with the warnings as thrown. */
  public List<Throwable> thrown() {
    return at(Level.WARN)
        .map(ILoggingEvent::getThrowableProxy)
        .filter(ThrowableProxy.class::isInstance)
        .map(proxy -> ((ThrowableProxy) proxy).getThrowable())
        .toList();
  }

  private Stream<ILoggingEvent> at(Level wanted) {
    return lines.stream().filter(line -> line.getLevel().equals(wanted));
  }

  @Override
  public void close() {
    logger.detachAppender(appender);
    logger.setLevel(level);
    logger.setAdditive(additive);
  }
}
