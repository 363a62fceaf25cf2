package io.headwater.connect.dataset;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One row of the rules for connectors: templates for the names of their datasets. */
public final class ConnectorRow {
    /** Of a class that no rule is for. */
    public static final ConnectorRow EMPTY = new ConnectorRow(Map.of());

    private final Map<?, ?> values;

    ConnectorRow(Map<?, ?> values) {
        this.values = values;
    }

    /** A row with what it does not say itself from its family, if it is of one. */
    static ConnectorRow of(Map<?, ?> values, Map<?, ?> families) {
        Map<Object, Object> all = new HashMap<>();
        if (families.get(values.get("family")) instanceof Map) {
            all.putAll((Map<?, ?>) families.get(values.get("family")));
        }
        all.putAll(values);
        return new ConnectorRow(all);
    }

    /** Whether the row is for a class, which Connect also accepts without "Connector" at its end. */
    boolean isOf(Map<String, String> config) {
        String kind = config.getOrDefault("connector.class", "");
        for (Object each : list("classes")) {
            String last = each.toString().substring(each.toString().lastIndexOf('.') + 1);
            if (isAlias(kind, each.toString()) || kind.equals(last.replaceAll("Connector$", ""))) {
                return isWhere(config);
            }
        }
        return false;
    }

    /** Connect accepts a class by its full name and by its last part. */
    public static boolean isAlias(String given, String name) {
        return given.equals(name) || given.equals(name.substring(name.lastIndexOf('.') + 1));
    }

    private boolean isWhere(Map<String, String> config) {
        Object conditions = values.get("where");
        return !(conditions instanceof Map) || ((Map<?, ?>) conditions).entrySet().stream().allMatch(each ->
            config.getOrDefault(each.getKey().toString(), "").matches(each.getValue().toString()));
    }

    /** Whether one of the conditions under a key, each "key=value", is true of it, in whatever case. */
    public boolean holds(String key, Map<String, String> config) {
        for (Object each : list(key)) {
            String[] pair = each.toString().split("=");
            if (pair[1].equalsIgnoreCase(config.getOrDefault(pair[0], "").trim())) {
                return true;
            }
        }
        return false;
    }

    boolean has(String key) {
        return values.containsKey(key);
    }

    /** A text of the row, or the default. */
    public String text(String key, String otherwise) {
        Object found = values.get(key);
        return found == null ? otherwise : found.toString();
    }

    public List<?> list(String key) {
        Object found = values.get(key);
        return found instanceof List ? (List<?>) found : List.of();
    }

    /** An object of the row, or an empty one. */
    public Map<?, ?> map(String key) {
        Object found = values.get(key);
        return found instanceof Map ? (Map<?, ?>) found : Map.of();
    }

    boolean isTrue(String key) {
        return Boolean.TRUE.equals(values.get(key));
    }

    int number(String key, int otherwise) {
        Object found = values.get(key);
        return found instanceof Number ? ((Number) found).intValue() : otherwise;
    }
}
