package io.headwater.connect;

import java.util.List;
import java.util.Map;

/** One row of what is known of connectors: templates for the names of their datasets. */
final class ConnectorRow {
    private final Map<?, ?> values;

    ConnectorRow(Map<?, ?> values) {
        this.values = values;
    }

    /** Connect takes a class by its whole name, its last part, and that without "Connector". */
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

    /** A text of the row; the other one where there is none. */
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
