package io.lmcache.observability.testing;

import java.io.IOException;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Keeps every test from the statistics server of the project: whatever is about to connect to it is
 * refused before its name is looked up, and fails the test class. It is in force for all classes.
 */
public final class DefaultEndpointGuard implements BeforeAllCallback, AfterAllCallback {

  /** The host of the default endpoint. */
  public static final String HOST = "stats.lmcache.ai";

  private static final List<URI> REFUSED = new CopyOnWriteArrayList<>();

  /** Refuses the host; all else goes where it would go without it. */
  private static final class Refusing extends ProxySelector {

    private final ProxySelector others;

    Refusing(ProxySelector others) {
      this.others = others;
    }

    @Override
    public List<Proxy> select(URI uri) {
      if (uri.toString().contains(HOST)) {
        REFUSED.add(uri);
        throw new IllegalStateException("a test may not reach " + HOST);
      }
      return others == null ? List.of(Proxy.NO_PROXY) : others.select(uri);
    }

    @Override
    public void connectFailed(URI uri, SocketAddress address, IOException fault) {
      if (others != null) {
        others.connectFailed(uri, address, fault);
      }
    }
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    if (!(ProxySelector.getDefault() instanceof Refusing)) {
      ProxySelector.setDefault(new Refusing(ProxySelector.getDefault()));
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    List<URI> refused = takeRefused();
    if (!refused.isEmpty()) {
      throw new AssertionError("requests for the statistics server: " + refused);
    }
  }

  /** What has been refused, which is then forgotten. */
  public static List<URI> takeRefused() {
    List<URI> refused = List.copyOf(REFUSED);
    REFUSED.clear();
    return refused;
  }
}
