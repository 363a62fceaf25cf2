package io.headwater.connect.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headwater.connect.dataset.TransformChain;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;

class TopicShapesTest {
    private static final String KAFKA = "org.apache.kafka.connect.transforms.";
    private static final Schema ORDER = SchemaBuilder.struct()
        .field("id", Schema.INT64_SCHEMA).field("card", Schema.STRING_SCHEMA).build();

    private final TaskView view = new TaskView(0, Map.of());

    private static TopicShapes shapes(String transforms, String... more) {
        Map<String, String> config = new HashMap<>(Map.of(
            "transforms", transforms,
            "transforms.openlineage.type", "io.headwater.connect.HeadwaterTransform",
            "transforms.drop.type", KAFKA + "ReplaceField$Value",
            "transforms.drop.exclude", "card",
            "transforms.route.type", KAFKA + "RegexRouter",
            "transforms.route.regex", "(.*)",
            "transforms.route.replacement", "$1-eu",
            "transforms.other.type", "com.example.Other"));
        for (int place = 0; place < more.length; place += 2) {
            config.put(more[place], more[place + 1]);
        }
        return new TopicShapes(new TransformChain(config));
    }

    private void write(Schema schema, Object value) {
        view.observe(new SourceRecord(Map.of(), Map.of(), "orders", schema, value));
    }

    private void writeOrder() {
        write(ORDER, new Struct(ORDER).put("id", 1L).put("card", "x"));
    }

    private static String brief(TopicShapes shapes) {
        StringBuilder text = new StringBuilder();
        shapes.byTopic().forEach((topic, shape) -> text.append(topic).append(" ").append(
            shape.value != null ? SchemaFieldsTest.brief(SchemaFields.of(shape.value, "value"))
                : shape.inferred != null ? SchemaFieldsTest.brief(shape.inferred) : "?"));
        return text.toString();
    }

    private String take(TopicShapes shapes) {
        assertTrue(shapes.takeNewShapes(Set.of(view)));
        assertFalse(shapes.takeNewShapes(Set.of(view)));
        shapes.refresh(Set.of(view));
        return brief(shapes);
    }

    @Test
    void aSourcesTopicHasTheShapeAfterTheLastTransform() {
        writeOrder();
        assertEquals("orders-eu id:int64", take(shapes("openlineage, drop, route")));
    }

    @Test
    void whatStandsBeforeUsHasBeenDoneAlready() {
        writeOrder();
        assertEquals("orders id:int64 card:string", take(shapes("other, openlineage")));
    }

    @Test
    void recordsWithoutSchemaAreFollowedToo() {
        write(null, Map.of("card", "x"));
        assertEquals("orders-eu ", take(shapes("openlineage, drop, route")));
    }

    @Test
    void whatCannotBeFollowedIsNotTold() {
        writeOrder();
        assertEquals("", take(shapes("openlineage, other")));
    }

    @Test
    void aConditionCannotBeFollowed() {
        writeOrder();
        assertEquals("", take(shapes("openlineage, drop", "transforms.drop.predicate", "isEu")));
    }

    @Test
    void aTransformThatFailsIsTheTasksMatter() {
        write(Schema.STRING_SCHEMA, "text");
        assertEquals("", take(shapes("openlineage, drop")));
    }

    @Test
    void aSinksTopicHasTheShapeBeforeTheFirst() {
        view.observe(new SinkRecord("orders", 0, null, null, ORDER, new Object(), 1));
        assertEquals("orders id:int64 card:string", take(shapes("route, openlineage, drop")));
    }

    @Test
    void ofASinkWhatAnotherHasChangedIsNotTold() {
        view.observe(new SinkRecord("orders", 0, null, null, ORDER, new Object(), 1));
        assertEquals("orders ?", take(shapes("drop, openlineage")));
    }
}
