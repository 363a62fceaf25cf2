package io.headwater.connect.record;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Date;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Timestamp;
import org.junit.jupiter.api.Test;

class SchemaFieldsTest {
    /** Fields in short: name:type, what is inside in brackets. */
    static String brief(List<Map<String, Object>> fields) {
        List<String> texts = new ArrayList<>();
        for (Map<String, Object> field : fields) {
            String text = field.get("name") + ":" + field.get("type");
            texts.add(field.containsKey("fields") ? text + inside(field) : text);
        }
        return String.join(" ", texts);
    }

    @SuppressWarnings("unchecked")
    private static String inside(Map<String, Object> field) {
        return "(" + brief((List<Map<String, Object>>) field.get("fields")) + ")";
    }

    @Test
    void nestedFieldsAndLogicalTypesAreKept() {
        Schema address = SchemaBuilder.struct().field("city", Schema.STRING_SCHEMA).optional().build();
        Schema schema = SchemaBuilder.struct()
            .field("id", Schema.INT64_SCHEMA)
            .field("price", Decimal.builder(2).parameter("connect.decimal.precision", "10").build())
            .field("tax", Decimal.schema(4))
            .field("day", Date.SCHEMA)
            .field("at", Timestamp.builder().optional().build())
            .field("seen", SchemaBuilder.int64().name("io.debezium.time.MicroTimestamp").build())
            .field("shape", SchemaBuilder.bytes().name("com.example.Polygon").build())
            .field("to", address)
            .field("tags", SchemaBuilder.array(Schema.STRING_SCHEMA).build())
            .field("more", SchemaBuilder.map(Schema.STRING_SCHEMA, address).build())
            .build();
        assertEquals(
            "id:int64 price:decimal(10,2) tax:decimal(*,4) day:date at:timestamp seen:timestamp "
                + "shape:com.example.Polygon to:struct(city:string) tags:array(_element:string) "
                + "more:map(key:string value:struct(city:string))",
            brief(SchemaFields.of(schema, "value")));
    }

    @Test
    void whatHasNoFieldsIsOne() {
        assertEquals("value:string", brief(SchemaFields.of(Schema.STRING_SCHEMA, "value")));
        assertEquals("key:int32", brief(SchemaFields.of(Schema.OPTIONAL_INT32_SCHEMA, "key")));
    }

    @Test
    void fieldsAreInferredFromValuesAndGrow() {
        Map<String, Object> first = new LinkedHashMap<>();
        first.put("id", 1L);
        first.put("note", null);
        first.put("to", Map.of("city", "Bern"));
        first.put("tags", List.of("a"));
        Map<String, Object> second = new LinkedHashMap<>();
        second.put("id", "x");
        second.put("note", true);
        second.put("to", Map.of("zip", 3000L));
        second.put("price", 1.5);
        List<Map<String, Object>> merged =
            SchemaFields.merge(SchemaFields.infer(first, "value"), SchemaFields.infer(second, "value"));
        assertEquals(
            "id:mixed note:boolean to:struct(city:string zip:int64) tags:array(_element:string) price:float64",
            brief(merged));
        assertEquals("value:string", brief(SchemaFields.infer("text", "value")));
    }
}
