package io.headwater.connect.record;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Fields as OpenLineage's schema facet has them, from a schema of Avro; types are named as Connect's. */
public final class AvroFields {
    private static final Map<String, String> PLAIN = Map.of(
        "int", "int32", "long", "int64", "float", "float32", "double", "float64", "fixed", "bytes", "enum", "string",
        "record", "struct");
    private static final Map<String, String> LOGICAL = Map.of(
        "date", "date", "time-millis", "time", "time-micros", "time", "timestamp-millis", "timestamp",
        "timestamp-micros", "timestamp", "local-timestamp-millis", "timestamp",
        "local-timestamp-micros", "timestamp", "uuid", "uuid");
    /** A schema may contain itself. */
    private static final int DEEPEST = 12;

    private final Map<String, Map<?, ?>> named = new HashMap<>();

    private AvroFields() {}

    /** The fields of a schema; one that is no record is one field by itself. */
    public static List<Map<String, Object>> of(Object schema, String part) {
        AvroFields all = new AvroFields();
        all.collect(schema, 0);
        Map<String, Object> whole = all.field(part, schema, null, 0);
        List<Map<String, Object>> inside = inside(whole);
        return whole.get("type").equals("struct") ? inside : List.of(whole);
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> inside(Map<String, Object> field) {
        return (List<Map<String, Object>>) field.getOrDefault("fields", List.of());
    }

    /** Finds the types that others refer to by name. */
    private void collect(Object schema, int depth) {
        if (depth > 2 * DEEPEST) {
            return;
        }
        if (schema instanceof List) {
            ((List<?>) schema).forEach(each -> collect(each, depth + 1));
        } else if (schema instanceof Map) {
            Map<?, ?> map = (Map<?, ?>) schema;
            if (map.get("name") != null && map.get("type") instanceof String) {
                String name = map.get("name").toString();
                named.putIfAbsent(name, map);
                if (map.get("namespace") != null) {
                    named.putIfAbsent(map.get("namespace") + "." + name, map);
                }
            }
            map.values().forEach(each -> collect(each, depth + 1));
        }
    }

    private Map<String, Object> field(String name, Object given, Object doc, int depth) {
        Object schema = resolve(given);
        Map<String, Object> field = new LinkedHashMap<>();
        field.put("name", name);
        field.put("type", type(schema));
        if (doc != null) {
            field.put("description", doc.toString());
        }
        List<Map<String, Object>> inside = depth < DEEPEST ? inside(schema, depth + 1) : List.of();
        if (!inside.isEmpty()) {
            field.put("fields", inside);
        }
        return field;
    }

    /** A union of one type and null is that type; a name is the type that has it. */
    private Object resolve(Object schema) {
        Object found = schema;
        if (found instanceof List) {
            List<Object> others = new ArrayList<>((List<?>) found);
            others.remove("null");
            found = others.size() == 1 ? others.get(0) : "union";
        }
        if (found instanceof String && named.containsKey(found)) {
            return named.get(found);
        }
        Object inner = found instanceof Map ? ((Map<?, ?>) found).get("type") : null;
        return inner instanceof Map || inner instanceof List ? resolve(inner) : found;
    }

    private static String type(Object schema) {
        if (!(schema instanceof Map)) {
            return PLAIN.getOrDefault(String.valueOf(schema), String.valueOf(schema));
        }
        Map<?, ?> map = (Map<?, ?>) schema;
        String logical = String.valueOf(map.get("logicalType"));
        if (logical.equals("decimal")) {
            return "decimal(" + map.get("precision") + "," + (map.get("scale") == null ? 0 : map.get("scale")) + ")";
        }
        String plain = String.valueOf(map.get("type"));
        return LOGICAL.getOrDefault(logical, PLAIN.getOrDefault(plain, plain));
    }

    private List<Map<String, Object>> inside(Object schema, int depth) {
        if (!(schema instanceof Map)) {
            return List.of();
        }
        Map<?, ?> map = (Map<?, ?>) schema;
        List<Map<String, Object>> found = new ArrayList<>();
        if (map.get("fields") instanceof List) {
            for (Object each : (List<?>) map.get("fields")) {
                Map<?, ?> one = (Map<?, ?>) each;
                // The logical type may stand beside the type, as of a field.
                Object type = one.get("logicalType") == null ? one.get("type") : one;
                found.add(field(String.valueOf(one.get("name")), type, one.get("doc"), depth));
            }
        } else if (map.get("items") != null) {
            found.add(field("_element", map.get("items"), null, depth));
        } else if (map.get("values") != null) {
            found.add(field("key", "string", null, depth));
            found.add(field("value", map.get("values"), null, depth));
        }
        return found;
    }
}
