package io.headwater.connect.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;

class TaskViewTest {
    private static final Schema FIRST = SchemaBuilder.struct().field("id", Schema.INT64_SCHEMA).build();
    private static final Schema SECOND =
        SchemaBuilder.struct().field("id", Schema.INT64_SCHEMA).field("item", Schema.OPTIONAL_STRING_SCHEMA).build();
    private static final Object VALUE = new Object();

    private final TaskView view = new TaskView(0, Map.of());

    private boolean observe(String topic, Schema key, Schema schema, Object value) {
        Object keyValue = key == null ? null : "k";
        return view.observe(new SourceRecord(Map.of(), Map.of(), topic, null, key, keyValue, schema, value));
    }

    private boolean observe(Schema schema) {
        return observe("orders", null, schema, VALUE);
    }

    @Test
    void aSchemaIsNewsOnce() {
        assertTrue(observe(FIRST));
        assertFalse(observe(FIRST));
        assertTrue(observe(SECOND));
        assertFalse(observe(FIRST));
        assertEquals(4, view.topics.get("orders").records());
        assertEquals(FIRST, view.topics.get("orders").shape().value);
        assertEquals(FIRST, view.topics.get("orders").takeNewShape().shape.value);
        assertEquals(SECOND, view.topics.get("orders").takeNewShape().shape.value);
        assertNull(view.topics.get("orders").takeNewShape());
        assertEquals("source", view.role());
    }

    @Test
    void anEqualSchemaIsNoNews() {
        assertTrue(observe(FIRST));
        assertFalse(observe(SchemaBuilder.struct().field("id", Schema.INT64_SCHEMA).build()));
    }

    @Test
    void aTombstoneAndAMissingKeyTellNothing() {
        assertTrue(observe("orders", Schema.STRING_SCHEMA, FIRST, VALUE));
        assertFalse(observe("orders", Schema.STRING_SCHEMA, null, null));
        assertFalse(observe("orders", null, FIRST, VALUE));
        assertEquals(new Shape(Schema.STRING_SCHEMA, FIRST, null), view.topics.get("orders").shape());
    }

    @Test
    void aTopicIsNewsByItself() {
        assertTrue(observe("a", null, null, null));
        assertTrue(observe("b", null, null, null));
        assertFalse(observe("a", null, null, null));
        assertNull(view.topics.get("a").takeNewShape());
    }

    @Test
    void recordsWithoutSchemaAreSampled() {
        assertTrue(observe("orders", null, null, Map.of("id", 1L)));
        assertFalse(observe("orders", null, null, Map.of("id", 2L)));
        assertTrue(observe("orders", null, null, Map.of("item", "x")));
        assertEquals("id:int64 item:string", SchemaFieldsTest.brief(view.topics.get("orders").shape().inferred));
    }

    @Test
    void aConverterThatMakesSchemasAnewIsToldOfSoOftenOnly() {
        int news = 0;
        for (int number = 0; number < 500; number++) {
            news += observe(SchemaBuilder.struct().field("f" + number, Schema.STRING_SCHEMA).build()) ? 1 : 0;
        }
        assertEquals(64, news);
    }

    @Test
    void aSinksTopicIsTheOneItReads() {
        SinkRecord read = new SinkRecord("orders", 0, null, null, FIRST, VALUE, 5, 1L, TimestampType.CREATE_TIME);
        view.observe(read.newRecord("renamed", 0, null, null, FIRST, VALUE, 1L));
        assertEquals(java.util.Set.of("orders"), view.topics.keySet());
        assertEquals("sink", view.role());
    }
}
