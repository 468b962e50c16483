package io.lmcache.observability.usage;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ValuesTest {

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "llama-8b,llama-8b",
        "meta-llama/Llama-3.1-8B,meta-llama/Llama-3.1-8B",
        "模型/通义-7B,模型/通义-7B",
        "/data/acme/models/llama,llama",
        "llama3:8b,llama3:8b",
        "org/llama3:8b,org/llama3:8b",
        "/data/acme/my llama,my llama",
        "user:secret@host,\"\"",
        "user:secret@host/llama,llama",
        "/data/acme/llama/,llama",
        "./acme/llama,llama",
        "../llama,llama",
        "~/acme/llama,llama",
        "acme/private/llama,llama",
        "C:\\acme\\llama,llama",
        "\\\\host\\share\\llama,llama",
        "\\\\host,\"\"",
        "file:/acme/llama,llama",
        "file:///acme/llama,llama",
        "s3://bucket/acme/llama?token=secret,llama",
        "https://user:secret@host/acme/llama#x,llama",
        "https://user:secret@host,\"\"",
        "https://host/?p=/a/secret,\"\"",
        "user@host:acme/x/llama,llama",
        "user@host:llama,\"\"",
        "~alice,\"\"",
        "/a/..,\"\"",
        "/a/name with blanks,name with blanks",
        "\"\",\"\""
      })
  void modelName_isAPublicName_orTheLastSegment(String text, String wanted) {
    assertThat(Values.modelName(text)).isEqualTo(wanted);
  }

  @ParameterizedTest
  @CsvSource({
    "redis://user:pw@host:6379/1,redis",
    "LM://h,lm",
    "fs:///srv/acme,fs",
    "redis-sentinel://h,redis-sentinel",
    "host:6379,''",
    "my.host://x,''",
    "/srv/acme,''",
    "'',''"
  })
  void remoteUrl_isItsScheme(String url, String wanted) {
    assertThat(Values.scheme(url)).isEqualTo(wanted);
  }

  @ParameterizedTest
  @CsvSource({
    "fs,fs", "nixl_store,nixl_store", "fs:///srv/acme,fs", "fs:/srv/acme,other",
    "/srv/acme,other", "acme/fs,other", "host:/export,other", "user:pw@host,other",
    "cache-7.example.com,other", "fs?path=/x,other", "'',''"
  })
  void adapterType_isAWord(String text, String wanted) {
    assertThat(Values.type(text)).isEqualTo(wanted);
  }

  @Test
  void labels_withSeparators_areOther() {
    assertThat(Values.label("cuda:0")).isEqualTo("cuda:0");
    assertThat(Values.label("(32, 2)")).isEqualTo("(32, 2)");
    assertThat(Values.label(null)).isEmpty();
    for (String bad : new String[] {"/a", "a\\b", "u@h", "a=b", "a\nb: c", "x".repeat(65)}) {
      assertThat(Values.label(bad)).as(bad).isEqualTo("other");
    }
  }

  @Test
  void sumsAndProducts_stopAtTheLargestLong() {
    assertThat(Values.plus(Long.MAX_VALUE, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    assertThat(Values.plus(1, 2)).isEqualTo(3);
    assertThat(Values.times(Long.MAX_VALUE, 2)).isEqualTo(Long.MAX_VALUE);
    assertThat(Values.times(1L << 32, 1L << 32)).isEqualTo(Long.MAX_VALUE);
    assertThat(Values.times(1L << 31, 1L << 31)).isEqualTo(1L << 62);
    assertThat(Values.seconds(5, 3)).isZero();
  }
}
