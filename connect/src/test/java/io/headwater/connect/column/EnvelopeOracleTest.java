package io.headwater.connect.column;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.headwater.connect.dataset.TransformChain;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.transforms.Transformation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One value of a change event changes: after Debezium's and Iceberg's transforms exactly those columns
 * have changed that are said to come from it, but for masked ones.
 */
class EnvelopeOracleTest {
    private static final Schema ROW = SchemaBuilder.struct().name("p.public.customers.Value").optional()
        .field("id", Schema.INT64_SCHEMA)
        .field("email", Schema.STRING_SCHEMA)
        .field("price", Schema.FLOAT64_SCHEMA)
        .build();
    private static final Schema SOURCE = SchemaBuilder.struct().name("io.debezium.connector.postgresql.Source")
        .field("ts_ms", Schema.INT64_SCHEMA)
        .field("db", Schema.STRING_SCHEMA)
        .field("schema", Schema.STRING_SCHEMA)
        .field("table", Schema.STRING_SCHEMA)
        .build();
    private static final Schema ENVELOPE = SchemaBuilder.struct().name("p.public.customers.Envelope")
        .field("before", ROW)
        .field("after", ROW)
        .field("source", SOURCE)
        .field("op", Schema.STRING_SCHEMA)
        .field("ts_ms", Schema.OPTIONAL_INT64_SCHEMA)
        .build();
    private static final Schema KEY = SchemaBuilder.struct().name("p.public.customers.Key")
        .field("id", Schema.INT64_SCHEMA)
        .build();
    private static final List<List<String>> KEY_PATHS = List.of(List.of("id"));
    private static final List<List<String>> PATHS = List.of(
        List.of("before", "id"), List.of("before", "email"), List.of("before", "price"),
        List.of("after", "id"), List.of("after", "email"), List.of("after", "price"),
        List.of("source", "ts_ms"), List.of("source", "db"), List.of("source", "schema"), List.of("source", "table"),
        List.of("op"), List.of("ts_ms"));
    private static final List<Object> BEFORE = List.of(
        1L, "old@x", 1.5, 1L, "a@x", 2.5, 1_000L, "shop", "public", "customers", "u", 2_000L);
    private static final List<Object> CHANGED = List.of(
        77L, "other@y", 9.5, 78L, "b@y", 99.5, 99_000L, "mall", "sales", "orders", "c", 88_000L);

    /** Each a list of transforms: a class, then its settings. */
    static Stream<List<List<String>>> chains() {
        String kafkas = "org.apache.kafka.connect.transforms.";
        String icebergs = "org.apache.iceberg.connect.transforms.";
        String debezium = "io.debezium.transforms.ExtractNewRecordState";
        List<String> unwrap = List.of(debezium);
        List<String> add = List.of(debezium, "add.fields", "op,table,source.ts_ms,ts_ms");
        List<String> prefix = List.of(debezium, "add.fields", "op:kind,table", "add.fields.prefix", "meta_");
        List<String> rewrite = List.of(debezium, "delete.tombstone.handling.mode", "rewrite", "add.fields", "op");
        List<String> rename = List.of(kafkas + "ReplaceField$Value", "exclude", "price", "renames", "email:mail");
        List<String> mask = List.of(kafkas + "MaskField$Value", "fields", "email");
        List<String> hoist = List.of(kafkas + "HoistField$Value", "field", "row");
        List<String> flatten = List.of(kafkas + "Flatten$Value", "delimiter", "_");
        List<String> after = List.of(kafkas + "ExtractField$Value", "field", "after");
        List<String> copy = List.of(icebergs + "CopyValue", "source.field", "email", "target.field", "email_2");
        List<String> metadata = List.of(icebergs + "KafkaMetadataTransform", "nested", "true");
        List<String> cdc = List.of(icebergs + "DebeziumTransform", "cdc.target.pattern", "lake.{db}_{table}");
        List<String> lineage = List.of("io.debezium.transforms.ExtractChangedRecordState");
        return Stream.of(
            List.of(unwrap),
            List.of(add),
            List.of(prefix, rename),
            List.of(rewrite, mask),
            List.of(add, rename, mask),
            List.of(unwrap, copy, mask),
            List.of(unwrap, mask, copy),
            List.of(unwrap, copy, metadata),
            List.of(add, hoist, flatten),
            List.of(lineage, unwrap),
            List.of(after, rename),
            List.of(flatten),
            List.of(cdc),
            List.of(cdc, flatten),
            List.of(cdc, rename, mask));
    }

    @ParameterizedTest
    @MethodSource("chains")
    void whatChangesIsWhatHasAnEdge(List<List<String>> transforms) throws ReflectiveOperationException {
        Map<String, String> config = config(transforms);
        ConnectorColumns found = ConnectorColumns.ofSink(
            null, config, new TransformChain(config), "p.public.customers", KEY_PATHS, PATHS);
        assertEquals(List.of(), found.gaps);
        Map<String, Object> before = written(transforms, -1);
        TreeSet<String> named = new TreeSet<>();
        found.columns.keySet().forEach(path -> named.add(String.join("/", path)));
        assertEquals(new TreeSet<>(before.keySet()), named);
        for (int place = 0; place < PATHS.size(); place++) {
            List<String> path = PATHS.get(place);
            TreeSet<String> changed = new TreeSet<>();
            written(transforms, place).forEach((column, value) -> {
                if (!value.equals(before.get(column))) {
                    changed.add(column);
                }
            });
            TreeSet<String> expected = new TreeSet<>();
            found.columns.forEach((column, origins) -> {
                if (origins.stream().anyMatch(
                    origin -> origin.part.equals("value") && origin.path.equals(path) && !origin.isMasked)) {
                    expected.add(String.join("/", column));
                }
            });
            assertEquals(expected, changed, "of " + path);
        }
    }

    private static Map<String, String> config(List<List<String>> transforms) {
        Map<String, String> config = new HashMap<>();
        List<String> names = new ArrayList<>(List.of("ours"));
        config.put("transforms.ours.type", "io.headwater.connect.HeadwaterTransform");
        for (List<String> each : transforms) {
            String name = "t" + names.size();
            names.add(name);
            config.put("transforms." + name + ".type", each.get(0));
            settings(each).forEach((key, value) -> config.put("transforms." + name + "." + key, value));
        }
        config.put("transforms", String.join(",", names));
        return config;
    }

    private static Map<String, String> settings(List<String> transform) {
        Map<String, String> settings = new HashMap<>();
        for (int place = 1; place < transform.size(); place += 2) {
            settings.put(transform.get(place), transform.get(place + 1));
        }
        return settings;
    }

    /** An update in which the value at a place has changed, or none, after all transforms. */
    private static Map<String, Object> written(List<List<String>> transforms, int place)
        throws ReflectiveOperationException {
        SinkRecord record = record(place);
        for (List<String> each : transforms) {
            @SuppressWarnings("unchecked")
            Transformation<SinkRecord> made = (Transformation<SinkRecord>)
                Class.forName(each.get(0)).getDeclaredConstructor().newInstance();
            made.configure(settings(each));
            record = made.apply(record);
            made.close();
        }
        Map<String, Object> found = new HashMap<>();
        collect(found, "", record.value());
        return found;
    }

    private static SinkRecord record(int place) {
        List<Object> values = new ArrayList<>(BEFORE);
        if (place >= 0) {
            values.set(place, CHANGED.get(place));
        }
        Struct envelope = new Struct(ENVELOPE)
            .put("before", row(values.subList(0, 3)))
            .put("after", row(values.subList(3, 6)))
            .put("source", new Struct(SOURCE)
                .put("ts_ms", values.get(6)).put("db", values.get(7))
                .put("schema", values.get(8)).put("table", values.get(9)))
            .put("op", values.get(10))
            .put("ts_ms", values.get(11));
        Struct key = new Struct(KEY).put("id", 1L);
        return new SinkRecord("p.public.customers", 0, KEY, key, ENVELOPE, envelope, 1);
    }

    private static Struct row(List<Object> values) {
        return new Struct(ROW).put("id", values.get(0)).put("email", values.get(1)).put("price", values.get(2));
    }

    private static void collect(Map<String, Object> found, String above, Object value) {
        Map<String, Object> inside = new TreeMap<>();
        if (value instanceof Struct) {
            for (Field field : ((Struct) value).schema().fields()) {
                inside.put(field.name(), ((Struct) value).get(field));
            }
        } else {
            found.put(above, String.valueOf(value));
        }
        inside.forEach((name, each) -> collect(found, above.isEmpty() ? name : above + "/" + name, each));
    }
}
