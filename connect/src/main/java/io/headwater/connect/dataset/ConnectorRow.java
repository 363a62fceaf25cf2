package io.headwater.connect.dataset;

import java.util.List;
import java.util.Map;

/** One row of the rules for connectors: templates for the names of their datasets. */
final class ConnectorRow {
    private final Map<?, ?> values;

    ConnectorRow(Map<?, ?> values) {
        this.values = values;
    }

    /** Connect accepts a class by its full name, its last part, and that without "Connector". */
    boolean isOf(String kind) {
        for (Object each : list("classes")) {
            String name = each.toString();
            String last = name.substring(name.lastIndexOf('.') + 1);
            if (kind.equals(name) || kind.equals(last) || kind.equals(last.replaceAll("Connector$", ""))) {
                return true;
            }
        }
        return false;
    }

    boolean has(String key) {
        return values.containsKey(key);
    }

    /** A text of the row, or the default. */
    String text(String key, String otherwise) {
        Object found = values.get(key);
        return found == null ? otherwise : found.toString();
    }

    List<?> list(String key) {
        Object found = values.get(key);
        return found instanceof List ? (List<?>) found : List.of();
    }

    int number(String key, int otherwise) {
        Object found = values.get(key);
        return found instanceof Number ? ((Number) found).intValue() : otherwise;
    }
}
