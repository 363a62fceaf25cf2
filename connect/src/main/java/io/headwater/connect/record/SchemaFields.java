package io.headwater.connect.record;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;

/** Fields as OpenLineage's schema facet has them, from Connect's schemas or from values. */
public final class SchemaFields {
    private static final String CONNECT = "org.apache.kafka.connect.data.";
    private static final Map<String, String> LOGICAL = Map.of(
        CONNECT + "Date", "date",
        CONNECT + "Time", "time",
        CONNECT + "Timestamp", "timestamp",
        "io.debezium.time.Date", "date",
        "io.debezium.time.Timestamp", "timestamp",
        "io.debezium.time.MicroTimestamp", "timestamp",
        "io.debezium.time.NanoTimestamp", "timestamp",
        "io.debezium.time.ZonedTimestamp", "timestamp with time zone",
        "io.debezium.data.Uuid", "uuid",
        "io.debezium.data.Json", "json");
    /** A schema may contain itself. */
    private static final int DEEPEST = 12;

    private SchemaFields() {}

    /** The fields of a record's key or value; one that has no fields is one field by itself. */
    public static List<Map<String, Object>> of(Schema schema, String part) {
        if (schema.type() == Schema.Type.STRUCT) {
            return fields(schema, 0);
        }
        return List.of(field(part, schema, 0));
    }

    private static List<Map<String, Object>> fields(Schema struct, int depth) {
        List<Map<String, Object>> fields = new ArrayList<>();
        for (Field each : struct.fields()) {
            fields.add(field(each.name(), each.schema(), depth));
        }
        return fields;
    }

    private static Map<String, Object> field(String name, Schema schema, int depth) {
        Map<String, Object> field = new LinkedHashMap<>();
        field.put("name", name);
        field.put("type", type(schema));
        if (schema.doc() != null) {
            field.put("description", schema.doc());
        }
        List<Map<String, Object>> inside = depth < DEEPEST ? inside(schema, depth + 1) : List.of();
        if (!inside.isEmpty()) {
            field.put("fields", inside);
        }
        return field;
    }

    private static List<Map<String, Object>> inside(Schema schema, int depth) {
        switch (schema.type()) {
            case STRUCT:
                return fields(schema, depth);
            case ARRAY:
                return List.of(field("_element", schema.valueSchema(), depth));
            case MAP:
                return List.of(
                    field("key", schema.keySchema(), depth), field("value", schema.valueSchema(), depth));
            default:
                return List.of();
        }
    }

    /** Connect's type, or what it stands for: a named type keeps its name. */
    private static String type(Schema schema) {
        String plain = schema.type().name().toLowerCase(Locale.ROOT);
        String name = schema.name();
        if (name == null || schema.type() == Schema.Type.STRUCT) {
            return plain;
        }
        if (name.equals(Decimal.LOGICAL_NAME)) {
            String precision = schema.parameters().get("connect.decimal.precision");
            String scale = schema.parameters().get(Decimal.SCALE_FIELD);
            return "decimal(" + (precision == null ? "*" : precision) + "," + scale + ")";
        }
        return LOGICAL.getOrDefault(name, name);
    }

    /** Fields from a value that has no schema. */
    static List<Map<String, Object>> infer(Object value, String part) {
        return value instanceof Map ? inferMap((Map<?, ?>) value, 0) : List.of(inferField(part, value, 0));
    }

    private static List<Map<String, Object>> inferMap(Map<?, ?> map, int depth) {
        List<Map<String, Object>> fields = new ArrayList<>();
        map.forEach((key, value) -> fields.add(inferField(String.valueOf(key), value, depth)));
        return fields;
    }

    private static Map<String, Object> inferField(String name, Object value, int depth) {
        Map<String, Object> field = new LinkedHashMap<>();
        field.put("name", name);
        field.put("type", inferType(value));
        if (value instanceof Map && depth < DEEPEST) {
            field.put("fields", inferMap((Map<?, ?>) value, depth + 1));
        } else if (value instanceof List && !((List<?>) value).isEmpty() && depth < DEEPEST) {
            field.put("fields", List.of(inferField("_element", ((List<?>) value).get(0), depth + 1)));
        }
        return field;
    }

    private static String inferType(Object value) {
        if (value == null) {
            return "null";
        }
        if (value instanceof Map) {
            return "struct";
        }
        if (value instanceof List) {
            return "array";
        }
        if (value instanceof Boolean || value instanceof String) {
            return value.getClass().getSimpleName().toLowerCase(Locale.ROOT);
        }
        if (value instanceof Double || value instanceof Float) {
            return "float64";
        }
        if (value instanceof BigDecimal) {
            return "decimal";
        }
        if (value instanceof Number) {
            return "int64";
        }
        if (value instanceof Date) {
            return "timestamp";
        }
        return value instanceof byte[] || value instanceof ByteBuffer ? "bytes" : value.getClass().getName();
    }

    /** The fields of two samples; a type that differs is "mixed". */
    static List<Map<String, Object>> merge(List<Map<String, Object>> one, List<Map<String, Object>> other) {
        Map<Object, Map<String, Object>> fields = new LinkedHashMap<>();
        one.forEach(field -> fields.put(field.get("name"), field));
        other.forEach(field -> fields.merge(field.get("name"), field, SchemaFields::mergeField));
        return new ArrayList<>(fields.values());
    }

    private static Map<String, Object> mergeField(Map<String, Object> one, Map<String, Object> other) {
        if (one.equals(other) || "null".equals(other.get("type"))) {
            return one;
        }
        if ("null".equals(one.get("type"))) {
            return other;
        }
        Map<String, Object> field = new LinkedHashMap<>();
        field.put("name", one.get("name"));
        field.put("type", one.get("type").equals(other.get("type")) ? one.get("type") : "mixed");
        if (one.get("type").equals(other.get("type"))) {
            List<Map<String, Object>> inside = merge(inner(one), inner(other));
            if (!inside.isEmpty()) {
                field.put("fields", inside);
            }
        }
        return field;
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> inner(Map<String, Object> field) {
        return (List<Map<String, Object>>) field.getOrDefault("fields", List.of());
    }
}
