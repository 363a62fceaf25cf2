package io.headwater.connect.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.headwater.connect.dataset.ConnectorKnowledge;
import io.headwater.connect.dataset.DatasetName;
import io.headwater.connect.dataset.External;
import io.headwater.connect.dataset.Gap;
import io.headwater.connect.dataset.TransformChain;
import io.headwater.connect.record.TaskView;
import io.headwater.connect.record.TopicShapes;
import io.headwater.connect.send.Settings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;

class ColumnLineageTest {
    private static final Schema ORDER = SchemaBuilder.struct()
        .field("id", Schema.INT64_SCHEMA).field("card", Schema.STRING_SCHEMA).build();
    private static final DatasetName TOPIC = DatasetName.kafka("k", "orders");

    private static ColumnLineage of(Map<String, String> config, List<?> rows) {
        TransformChain chain = new TransformChain(config);
        TopicShapes shapes = new TopicShapes(chain);
        TaskView view = new TaskView(0, Map.of());
        Struct order = new Struct(ORDER).put("id", 1L).put("card", "4111");
        view.observe(new SinkRecord("orders", 0, Schema.INT64_SCHEMA, 1L, ORDER, order, 1));
        shapes.takeNewShapes(Set.of(view));
        RegistryView registry = new RegistryView(Settings.of(Map.of()));
        return new ColumnLineage(new ConnectorKnowledge(rows).rowOf(config), config, chain, shapes, registry);
    }

    /** Each column with those it comes from, masked ones marked. */
    private static Map<String, String> written(ColumnLineage lineage) {
        External table = new External(new DatasetName("s", "orders"), null, false).with("orders", "orders");
        Map<String, String> found = new TreeMap<>();
        lineage.ofTopics(table, topic -> TOPIC).forEach((column, inputs) -> inputs.forEach(input -> {
            assertEquals("orders", input.get("name"));
            Map<?, ?> way = (Map<?, ?>) ((List<?>) input.get("transformations")).get(0);
            found.merge(column, input.get("field") + (way.get("masking").equals(true) ? " masked" : ""), String::concat);
        }));
        return found;
    }

    @Test
    void aTablesColumnsComeFromTheTopicsValueAndKey() {
        Map<String, String> config = new HashMap<>();
        config.put("connector.class", "io.confluent.connect.jdbc.JdbcSinkConnector");
        config.put("pk.mode", "record_key");
        config.put("pk.fields", "pk");
        config.put("transforms", "headwater,mask");
        config.put("transforms.headwater.type", "HeadwaterTransform");
        config.put("transforms.mask.type", "org.apache.kafka.connect.transforms.MaskField$Value");
        config.put("transforms.mask.fields", "card");
        assertEquals(Map.of("id", "id", "card", "card masked", "pk", "key"), written(of(config, List.of())));
    }

    @Test
    void aMistakeInAUsersRuleIsAGapAndNoFailure() {
        Map<String, Object> row = new HashMap<>();
        row.put("classes", List.of("com.example.Odd"));
        row.put("role", "sink");
        row.put("columns", List.of(Map.of("do", "embed")));
        ColumnLineage lineage = of(Map.of("connector.class", "com.example.Odd"), List.of(row));
        assertEquals(Map.of(), written(lineage));
        Gap gap = lineage.gaps().iterator().next();
        assertEquals("com.example.Odd", gap.name);
    }

    @Test
    void ofAConnectorThatIsNotKnownThereAreNone() {
        assertEquals(Map.of(), written(ColumnLineage.NONE));
    }
}
