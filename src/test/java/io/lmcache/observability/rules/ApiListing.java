package io.lmcache.observability.rules;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;

/** The public signatures of the library, one a line, so that a change of them is seen. */
final class ApiListing {

  private static final String ROOT = "io.lmcache.observability";

  private ApiListing() {}

  static String text() {
    Set<String> lines = new TreeSet<>();
    for (JavaClass type :
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ROOT)) {
      if (!type.getPackageName().startsWith(ROOT + ".internal")) {
        append(lines, type.reflect());
      }
    }
    return String.join("\n", lines) + "\n";
  }

  private static void append(Set<String> lines, Class<?> type) {
    for (Class<?> outer = type; outer != null; outer = outer.getEnclosingClass()) {
      if (!isOpen(outer.getModifiers())) {
        return;
      }
    }
    lines.add(type.toGenericString());
    Arrays.stream(type.getDeclaredFields())
        .filter(field -> isOpen(field.getModifiers()))
        .map(Field::toGenericString)
        .forEach(lines::add);
    Arrays.stream(type.getDeclaredConstructors())
        .filter(made -> isOpen(made.getModifiers()) && !made.isSynthetic())
        .map(Constructor::toGenericString)
        .forEach(lines::add);
    Arrays.stream(type.getDeclaredMethods())
        .filter(method -> isOpen(method.getModifiers()) && !method.isSynthetic())
        .map(Method::toGenericString)
        .forEach(lines::add);
  }

  private static boolean isOpen(int modifiers) {
    return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
  }
}
