package io.headwater.connect;

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

    private boolean saw(String topic, Schema key, Schema schema, Object value) {
        return view.saw(new SourceRecord(Map.of(), Map.of(), topic, null, key, key == null ? null : "k", schema, value));
    }

    private boolean saw(Schema schema) {
        return saw("orders", null, schema, VALUE);
    }

    @Test
    void aSchemaIsNewsOnce() {
        assertTrue(saw(FIRST));
        assertFalse(saw(FIRST));
        assertTrue(saw(SECOND));
        assertFalse(saw(FIRST));
        assertEquals(4, view.topics.get("orders").records());
        assertEquals(FIRST, view.topics.get("orders").shape().value);
        assertEquals(FIRST, view.topics.get("orders").takeFresh().shape.value);
        assertEquals(SECOND, view.topics.get("orders").takeFresh().shape.value);
        assertNull(view.topics.get("orders").takeFresh());
        assertEquals("source", view.role());
    }

    @Test
    void anEqualSchemaIsNoNews() {
        assertTrue(saw(FIRST));
        assertFalse(saw(SchemaBuilder.struct().field("id", Schema.INT64_SCHEMA).build()));
    }

    @Test
    void aTombstoneAndAMissingKeyTellNothing() {
        assertTrue(saw("orders", Schema.STRING_SCHEMA, FIRST, VALUE));
        assertFalse(saw("orders", Schema.STRING_SCHEMA, null, null));
        assertFalse(saw("orders", null, FIRST, VALUE));
        assertEquals(new Shape(Schema.STRING_SCHEMA, FIRST, null), view.topics.get("orders").shape());
    }

    @Test
    void aTopicIsNewsByItself() {
        assertTrue(saw("a", null, null, null));
        assertTrue(saw("b", null, null, null));
        assertFalse(saw("a", null, null, null));
        assertNull(view.topics.get("a").takeFresh());
    }

    @Test
    void recordsWithoutSchemaAreSampled() {
        assertTrue(saw("orders", null, null, Map.of("id", 1L)));
        assertFalse(saw("orders", null, null, Map.of("id", 2L)));
        assertTrue(saw("orders", null, null, Map.of("item", "x")));
        assertEquals("id:int64 item:string", SchemaFieldsTest.brief(view.topics.get("orders").shape().inferred));
    }

    @Test
    void aConverterThatMakesSchemasAnewIsToldOfSoOftenOnly() {
        int news = 0;
        for (int number = 0; number < 500; number++) {
            news += saw(SchemaBuilder.struct().field("f" + number, Schema.STRING_SCHEMA).build()) ? 1 : 0;
        }
        assertEquals(64, news);
    }

    @Test
    void aSinksTopicIsTheOneItReads() {
        SinkRecord read = new SinkRecord("orders", 0, null, null, FIRST, VALUE, 5, 1L, TimestampType.CREATE_TIME);
        view.saw(read.newRecord("renamed", 0, null, null, FIRST, VALUE, 1L));
        assertEquals(java.util.Set.of("orders"), view.topics.keySet());
        assertEquals("sink", view.role());
    }
}
