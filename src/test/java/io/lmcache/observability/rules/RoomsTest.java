package io.lmcache.observability.rules;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rooms of the library and who may enter which. */
class RoomsTest {

  private static final String ROOT = "io.lmcache.observability";
  private static final int MAX_TYPES = 12;
  private static final int MAX_LINES = 400;

  /** The rank of each room; imports go down only. */
  private static final Map<String, Integer> RANKS =
      Map.ofEntries(
          Map.entry("", 4),
          Map.entry("config", 0),
          Map.entry("event", 0),
          Map.entry("bus", 1),
          Map.entry("catalog", 1),
          Map.entry("producer", 2),
          Map.entry("usage", 2),
          Map.entry("internal.metrics", 2),
          Map.entry("internal.logging", 2),
          Map.entry("internal.tracing", 2),
          Map.entry("internal.export", 3),
          Map.entry("internal.support", 0));

  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages(ROOT);

  @Test
  void everyPackage_isARoomOfTheHouse() {
    assertThat(MAIN).isNotEmpty();
    assertThat(MAIN).allSatisfy(type -> assertThat(RANKS).containsKey(room(type)));
  }

  @Test
  void imports_goToALowerRankOnly() {
    for (JavaClass type : MAIN) {
      for (JavaClass target : targets(type)) {
        if (target.getPackageName().startsWith(ROOT) && !room(target).equals(room(type))) {
          assertThat(RANKS.get(room(target)))
              .as("%s uses %s", type.getName(), target.getName())
              .isLessThan(RANKS.get(room(type)));
        }
      }
    }
  }

  @Test
  void rooms_haveNoCycles() {
    slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(MAIN);
  }

  @Test
  void publicSignatures_nameNoInternalType() {
    for (JavaClass type : MAIN) {
      if (room(type).startsWith("internal") || !isOpen(type)) {
        continue;
      }
      Stream.concat(type.getMethods().stream(), type.getConstructors().stream())
          .filter(RoomsTest::isOpen)
          .flatMap(member -> member.getAllInvolvedRawTypes().stream())
          .forEach(
              named ->
                  assertThat(named.getPackageName())
                      .as("a signature of %s", type.getName())
                      .doesNotStartWith(ROOT + ".internal"));
    }
  }

  @Test
  void openTelemetry_isUsedWhereItMayBe() {
    noClasses()
        .that(resideInAPackage(ROOT + ".event").or(resideInAPackage(ROOT + ".config")))
        .or(resideInAPackage(ROOT + ".catalog").or(resideInAPackage(ROOT + ".bus")))
        .or(resideInAPackage(ROOT + ".producer").or(resideInAPackage(ROOT + ".usage")))
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.opentelemetry..")
        .check(MAIN);
    noClasses()
        .that(resideInAPackage(ROOT + ".internal.."))
        .and(com.tngtech.archunit.base.DescribedPredicate.not(exportRoom()))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.opentelemetry.sdk..", "io.opentelemetry.exporter..", "io.prometheus..")
        .check(MAIN);
    noClasses()
        .that(resideInAPackage(ROOT))
        .should()
        .dependOnClassesThat(
            com.tngtech.archunit.base.DescribedPredicate.describe(
                "are of the SDK, other than MetricReader and SpanExporter",
                type ->
                    type.getPackageName().startsWith("io.opentelemetry.sdk")
                        && !List.of("MetricReader", "SpanExporter").contains(type.getSimpleName())))
        .check(MAIN);
  }

  private static com.tngtech.archunit.base.DescribedPredicate<JavaClass> exportRoom() {
    return resideInAPackage(ROOT + ".internal.export");
  }

  @Test
  void rooms_areSmall() {
    Map<String, Long> types =
        MAIN.stream()
            .filter(type -> type.getEnclosingClass().isEmpty())
            .filter(type -> !type.getSimpleName().equals("package-info"))
            .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
    assertThat(types)
        .allSatisfy((room, n) -> assertThat(n).as(room).isLessThanOrEqualTo(MAX_TYPES));
    assertThat(types.get(ROOT + ".internal.support")).isLessThanOrEqualTo(5);
  }

  @Test
  void files_areShort() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        assertThat(Files.readAllLines(file).size())
            .as(file.toString())
            .isLessThanOrEqualTo(MAX_LINES);
      }
    }
  }

  @Test
  void everyRoom_isNullMarked() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      List<Path> rooms =
          files
              .filter(path -> path.toString().endsWith(".java"))
              .map(Path::getParent)
              .distinct()
              .toList();
      for (Path room : rooms) {
        assertThat(room.resolve("package-info.java")).content().contains("@NullMarked");
      }
    }
  }

  private static List<JavaClass> targets(JavaClass type) {
    return type.getDirectDependenciesFromSelf().stream()
        .map(dependency -> dependency.getTargetClass().getBaseComponentType())
        .toList();
  }

  private static boolean isOpen(JavaClass type) {
    return type.getModifiers().contains(JavaModifier.PUBLIC)
        && type.getEnclosingClass().map(RoomsTest::isOpen).orElse(true);
  }

  private static boolean isOpen(JavaMember member) {
    return member.getModifiers().contains(JavaModifier.PUBLIC)
        || member.getModifiers().contains(JavaModifier.PROTECTED);
  }

  /** The room of a package, which may be a corner of it. */
  private static String room(JavaClass type) {
    String name = type.getPackageName();
    String room = name.equals(ROOT) ? "" : name.substring(ROOT.length() + 1);
    while (!RANKS.containsKey(room) && room.contains(".")) {
      room = room.substring(0, room.lastIndexOf('.'));
    }
    return room;
  }
}
