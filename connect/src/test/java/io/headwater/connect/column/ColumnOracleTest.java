package io.headwater.connect.column;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.headwater.connect.dataset.TransformChain;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One value of a record changes: after Kafka's own transforms exactly those columns have changed that
 * are said to come from it, but for masked ones, which show nothing of it.
 */
class ColumnOracleTest {
    private static final Schema ADDRESS = SchemaBuilder.struct()
        .field("city", Schema.STRING_SCHEMA).field("zip", Schema.STRING_SCHEMA).build();
    private static final Schema VALUE = SchemaBuilder.struct().name("customer")
        .field("id", Schema.INT64_SCHEMA)
        .field("email", Schema.STRING_SCHEMA)
        .field("price", Schema.FLOAT64_SCHEMA)
        .field("at", Schema.INT64_SCHEMA)
        .field("address", ADDRESS)
        .build();
    private static final List<List<String>> PATHS = List.of(
        List.of("id"), List.of("email"), List.of("price"), List.of("at"),
        List.of("address", "city"), List.of("address", "zip"));
    private static final List<Object> BEFORE = List.of(1L, "a@x", 1.5, 0L, "Rome", "00100");
    private static final List<Object> CHANGED = List.of(77L, "b@y", 99.5, 99_999_999_999L, "Oslo", "0150");

    /** Each a list of transforms: a class, then its settings. */
    static Stream<List<List<String>>> chains() {
        List<String> rename = List.of("ReplaceField$Value", "renames", "email:mail,id:email");
        List<String> exclude = List.of("ReplaceField$Value", "exclude", "price,address");
        List<String> include = List.of("ReplaceField$Value", "include", "id,address");
        List<String> mask = List.of("MaskField$Value", "fields", "email,at");
        List<String> replace = List.of("MaskField$Value", "fields", "id", "replacement", "-1");
        List<String> cast = List.of("Cast$Value", "spec", "id:string,price:int32");
        List<String> castOthers = List.of("Cast$Value", "spec", "mail:string,price:int32");
        List<String> time = List.of("TimestampConverter$Value", "field", "at", "target.type", "string", "format", "yyyy-MM-dd");
        List<String> insert = List.of("InsertField$Value", "static.field", "src", "static.value", "x", "topic.field", "t");
        List<String> hoist = List.of("HoistField$Value", "field", "row");
        List<String> flatten = List.of("Flatten$Value", "delimiter", "_");
        List<String> extract = List.of("ExtractField$Value", "field", "address");
        List<String> nested = List.of("ExtractField$Value", "field", "address.zip", "field.syntax.version", "V2");
        List<String> toKey = List.of("ValueToKey", "fields", "id,email");
        List<String> keyOnly = List.of("ExtractField$Key", "field", "id");
        List<String> header = List.of("HeaderFrom$Value", "fields", "email", "headers", "h", "operation", "move");
        List<String> route = List.of("RegexRouter", "regex", "(.*)", "replacement", "x-$1");
        return Stream.of(
            List.of(rename),
            List.of(exclude, mask),
            List.of(include, flatten),
            List.of(rename, mask),
            List.of(mask, rename),
            List.of(replace, cast),
            List.of(time, insert),
            List.of(insert, rename),
            List.of(hoist, flatten),
            List.of(flatten, hoist),
            List.of(extract),
            List.of(extract, hoist, flatten),
            List.of(nested),
            List.of(nested, hoist),
            List.of(toKey, keyOnly, exclude),
            List.of(header, flatten, cast),
            List.of(route, time, rename, flatten, castOthers),
            List.of(hoist, List.of("ExtractField$Value", "field", "row"), cast));
    }

    @ParameterizedTest
    @MethodSource("chains")
    void whatChangesIsWhatHasAnEdge(List<List<String>> transforms) {
        Map<String, String> config = config(transforms);
        TransformChain chain = new TransformChain(config);
        ConnectorColumns found = ConnectorColumns.ofSink(null, config, chain, "customers", List.of(), PATHS);
        assertEquals(List.of(), found.gaps);
        for (boolean hasSchema : new boolean[] {true, false}) {
            Map<List<String>, Object> before = written(chain, record(-1, hasSchema));
            assertEquals(new TreeSet<>(names(found.columns)), new TreeSet<>(names(before)));
            for (int place = 0; place < PATHS.size(); place++) {
                Map<List<String>, Object> after = written(chain, record(place, hasSchema));
                List<String> path = PATHS.get(place);
                TreeSet<String> changed = new TreeSet<>();
                after.forEach((column, value) -> {
                    if (!value.equals(before.get(column))) {
                        changed.add(String.join("/", column));
                    }
                });
                TreeSet<String> expected = new TreeSet<>();
                found.columns.forEach((column, origins) -> {
                    if (origins.stream().anyMatch(origin -> origin.path.equals(path) && !origin.isMasked)) {
                        expected.add(String.join("/", column));
                    }
                });
                assertEquals(expected, changed, "of " + path + (hasSchema ? "" : ", without schema"));
            }
        }
    }

    private static Map<String, String> config(List<List<String>> transforms) {
        Map<String, String> config = new HashMap<>();
        List<String> names = new ArrayList<>(List.of("ours"));
        config.put("transforms.ours.type", "io.headwater.connect.HeadwaterTransform");
        for (List<String> each : transforms) {
            String name = "t" + names.size();
            names.add(name);
            config.put("transforms." + name + ".type", "org.apache.kafka.connect.transforms." + each.get(0));
            for (int place = 1; place < each.size(); place += 2) {
                config.put("transforms." + name + "." + each.get(place), each.get(place + 1));
            }
        }
        config.put("transforms", String.join(",", names));
        return config;
    }

    /** A record in which the value at a place has changed, or none. */
    private static SinkRecord record(int place, boolean hasSchema) {
        List<Object> values = new ArrayList<>(BEFORE);
        if (place >= 0) {
            values.set(place, CHANGED.get(place));
        }
        Map<String, Object> map = new LinkedHashMap<>();
        for (int number = 0; number < 4; number++) {
            map.put(PATHS.get(number).get(0), values.get(number));
        }
        map.put("address", new LinkedHashMap<>(Map.of("city", values.get(4), "zip", values.get(5))));
        if (!hasSchema) {
            return new SinkRecord("customers", 0, null, null, null, map, 1);
        }
        Struct struct = new Struct(VALUE);
        VALUE.fields().stream().filter(field -> field.schema() != ADDRESS).forEach(
            field -> struct.put(field, map.get(field.name())));
        struct.put("address", new Struct(ADDRESS).put("city", values.get(4)).put("zip", values.get(5)));
        return new SinkRecord("customers", 0, null, null, VALUE, struct, 1);
    }

    private static Map<List<String>, Object> written(TransformChain chain, SinkRecord record) {
        ConnectRecord<?> last = chain.following().apply(record);
        assertNotNull(last, "the transforms have failed");
        Map<List<String>, Object> found = new HashMap<>();
        collect(found, List.of(), last.value());
        return found;
    }

    private static void collect(Map<List<String>, Object> found, List<String> above, Object value) {
        Map<String, Object> inside = new TreeMap<>();
        if (value instanceof Struct) {
            for (Field field : ((Struct) value).schema().fields()) {
                inside.put(field.name(), ((Struct) value).get(field));
            }
        } else if (value instanceof Map) {
            ((Map<?, ?>) value).forEach((name, each) -> inside.put(name.toString(), each));
        } else {
            found.put(above, value);
        }
        inside.forEach((name, each) -> {
            List<String> path = new ArrayList<>(above);
            path.add(name);
            collect(found, path, each);
        });
    }

    private static List<String> names(Map<List<String>, ?> columns) {
        List<String> found = new ArrayList<>();
        columns.keySet().forEach(path -> found.add(String.join("/", path)));
        return found;
    }
}
