package io.headwater.connect.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headwater.connect.dataset.ConnectorKnowledge;
import io.headwater.connect.dataset.TaskView;
import io.headwater.connect.send.Settings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.health.ConnectorHealth;
import org.apache.kafka.connect.health.ConnectorState;
import org.apache.kafka.connect.health.ConnectorType;
import org.apache.kafka.connect.health.TaskState;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;

class ConnectorWatchTest {
    private static final String US = "us:8083";
    private static final Schema ORDER = SchemaBuilder.struct().field("price", Schema.INT64_SCHEMA).build();
    private static final Schema BID = SchemaBuilder.struct().field("bidder", Schema.STRING_SCHEMA).build();
    private static final ClusterNames CLUSTER = new ClusterNames("k", "shop", US);
    private static final Settings SETTINGS =
        Settings.of(Map.of("OPENLINEAGE_NAMESPACE", "ns", "KAFKA_BOOTSTRAP", "broker:9092"));
    private static final long BEAT = 60_000_000_000L;

    private final List<Map<String, Object>> events = new ArrayList<>();
    private final ConnectorWatch watch = new ConnectorWatch(
        "sink", new ConnectorKnowledge(List.of()), (settings, key, event) -> events.add(event));
    private final Map<String, String> config = new HashMap<>(Map.of(
        "name", "sink", "connector.class", "io.confluent.connect.s3.S3SinkConnector",
        "s3.bucket.name", "lake", "topics", "orders,bids", "aws.secret.access.key", "hush-hush"));
    private final Set<TaskView> views = new LinkedHashSet<>();
    private long now;

    private void observe(String connector, String... tasks) {
        observeFrom(US, connector, tasks);
    }

    private void observeFrom(String worker, String connector, String... tasks) {
        Map<Integer, TaskState> states = new HashMap<>();
        for (String task : tasks) {
            String trace = task.equals("FAILED") ? "bad key hush-hush\n\tat Sink.java" : null;
            states.put(states.size(), new TaskState(states.size(), task, worker, trace));
        }
        String trace = connector.equals("FAILED") ? "cannot start" : null;
        ConnectorState state = new ConnectorState(connector, worker, trace);
        ConnectorHealth health = new ConnectorHealth("sink", state, states, ConnectorType.SINK);
        watch.observe(new ConnectorSnapshot(true, new HashMap<>(config), health), SETTINGS, CLUSTER, views, now);
    }

    private void gone() {
        watch.observe(ConnectorSnapshot.GONE, SETTINGS, CLUSTER, views, now);
    }

    private TaskView task() {
        TaskView view = new TaskView(views.size(), Map.of());
        views.add(view);
        return view;
    }

    private static void read(TaskView view, String topic, Schema schema) {
        view.observe(new SinkRecord(topic, 0, null, null, schema, new Object(), 1));
    }

    private String types() {
        List<String> types = new ArrayList<>();
        events.forEach(event -> types.add(event.get("eventType").toString()));
        return String.join(" ", types);
    }

    private static Object in(Object map, String... path) {
        Object found = map;
        for (String key : path) {
            found = ((Map<?, ?>) found).get(key);
        }
        return found;
    }

    private Map<String, Object> last() {
        return events.get(events.size() - 1);
    }

    private static String datasets(Map<String, Object> event, String side) {
        List<String> texts = new ArrayList<>();
        for (Object each : (List<?>) event.get(side)) {
            Object fields = in(each, "facets", "schema") == null ? null : in(each, "facets", "schema", "fields");
            texts.add(in(each, "namespace") + "|" + in(each, "name") + (fields == null ? "" : "=" + fields));
        }
        return String.join(" ", texts);
    }

    @Test
    void aLifeIsToldStepByStep() {
        observe("UNASSIGNED");
        observe("RUNNING", "RUNNING");
        observe("RUNNING", "RUNNING");
        observe("PAUSED", "PAUSED");
        observe("RUNNING", "RUNNING");
        observe("STOPPED");
        observe("RUNNING", "RUNNING");
        gone();
        assertEquals("START OTHER OTHER ABORT START ABORT", types());
        assertEquals(1, events.stream().map(event -> in(event, "run", "runId")).distinct().count());
    }

    @Test
    void aFailureHasItsTraceWithoutSecrets() {
        observe("RUNNING", "RUNNING", "FAILED");
        assertEquals("START FAIL", types());
        assertEquals("bad key ***", in(last(), "run", "facets", "errorMessage", "message"));
        gone();
        assertEquals("START FAIL", types());
        assertFalse(events.toString().contains("hush"));
    }

    @Test
    void aFailureBeforeAnyTaskIsTold() {
        observe("FAILED");
        observe("RUNNING", "RUNNING");
        assertEquals("START FAIL START", types());
        assertEquals("cannot start", in(events.get(1), "run", "facets", "errorMessage", "message"));
    }

    @Test
    void anotherConfigurationIsAnotherRunButForSecrets() {
        observe("RUNNING", "RUNNING");
        config.put("aws.secret.access.key", "another");
        observe("RUNNING", "RUNNING");
        assertEquals("START", types());
        config.put("tasks.max", "2");
        observe("RUNNING", "RUNNING");
        assertEquals("START COMPLETE START", types());
        assertEquals("reconfigured", in(events.get(1), "run", "facets", "kafka_connect", "reason"));
        assertNotEquals(in(events.get(1), "run", "runId"), in(events.get(2), "run", "runId"));
    }

    @Test
    void tasksAreOneRunAndEachOutputHasTheSchemaOfItsTopic() {
        TaskView one = task();
        TaskView two = task();
        observe("RUNNING", "RUNNING", "RUNNING");
        read(one, "orders", ORDER);
        read(two, "bids", BID);
        read(two, "bids", BID);
        observe("RUNNING", "RUNNING", "RUNNING");
        assertEquals("START RUNNING", types());
        String price = "[{name=price, type=int64}]";
        String bidder = "[{name=bidder, type=string}]";
        assertEquals("kafka://broker:9092|orders=" + price + " kafka://broker:9092|bids=" + bidder, datasets(last(), "inputs"));
        assertEquals("s3://lake|topics/orders=" + price + " s3://lake|topics/bids=" + bidder, datasets(last(), "outputs"));
        Object bids = ((List<?>) last().get("inputs")).get(1);
        assertEquals(2L, in(bids, "inputFacets", "inputStatistics", "rowCount"));
        assertEquals("COMPLETE_SNAPSHOT", in(last(), "job", "facets", "jobType", "emissionPattern", "eventContentMode"));
    }

    @Test
    void recordsOfAClosedTaskStayCounted() {
        TaskView one = task();
        observe("RUNNING", "RUNNING");
        read(one, "orders", ORDER);
        views.remove(one);
        watch.taskClosed(one, now);
        read(task(), "orders", ORDER);
        now += BEAT;
        observe("RUNNING", "RUNNING");
        Object orders = ((List<?>) last().get("inputs")).get(0);
        assertEquals(2L, in(orders, "inputFacets", "inputStatistics", "rowCount"));
    }

    @Test
    void aHeartbeatComesInTimeWhileItLives() {
        observe("RUNNING", "RUNNING");
        now += BEAT - 1;
        observe("RUNNING", "RUNNING");
        assertEquals("START", types());
        now += 1;
        observe("RUNNING", "RUNNING");
        assertEquals("START RUNNING", types());
        observe("STOPPED");
        now += 2 * BEAT;
        observe("STOPPED");
        assertEquals("START RUNNING ABORT", types());
    }

    @Test
    void anotherWorkersConnectorIsToldByThatWorker() {
        observeFrom("them:8083", "RUNNING", "RUNNING");
        observeFrom("them:8083", "FAILED");
        assertEquals("", types());
        observe("RUNNING", "RUNNING");
        assertEquals("START", types());
        watch.workerStops(views, now);
        assertEquals("START ABORT", types());
    }

    @Test
    void ofTasksElsewhereNothingIsCountedAndNothingIsWhole() {
        read(task(), "orders", ORDER);
        observeFrom("them:8083", "RUNNING", "RUNNING");
        assertEquals("RUNNING", types());
        assertEquals("ACCUMULATIVE", in(last(), "job", "facets", "jobType", "emissionPattern", "eventContentMode"));
        assertFalse(((Map<?, ?>) ((List<?>) last().get("inputs")).get(0)).containsKey("inputFacets"));
    }

    @Test
    void aSchemaIsNotToldThatAnotherTransformHasMade() {
        config.put("transforms", "change, openlineage");
        config.put("transforms.change.type", "org.apache.kafka.connect.transforms.Flatten$Value");
        config.put("transforms.openlineage.type", "io.headwater.connect.HeadwaterTransform");
        observe("RUNNING", "RUNNING");
        read(task(), "orders", ORDER);
        observe("RUNNING", "RUNNING");
        assertEquals("kafka://broker:9092|orders kafka://broker:9092|bids", datasets(last(), "inputs"));
        config.put("transforms", "openlineage, change");
        observe("RUNNING", "RUNNING");
        read(task(), "orders", ORDER);
        observe("RUNNING", "RUNNING");
        assertTrue(datasets(last(), "inputs").contains("orders=[{name=price"));
    }

    @Test
    void theLabsOwnKeysWin() {
        config.put("topics.regex", "o.*");
        config.remove("topics");
        Map<String, String> own = Map.of(
            "type", "io.headwater.connect.HeadwaterTransform", "connector.name", "named",
            "connector.class", "org.apache.iceberg.connect.IcebergSinkConnector", "topics", "orders,bids",
            "dataset.namespace", "s3://warehouse", "dataset.names", "db.orders, db.bids",
            "value.converter.schema.read", "true", "key.converter.schema.read", "false");
        config.put("transforms", "openlineage");
        own.forEach((key, value) -> config.put("transforms.openlineage." + key, value));
        observe("RUNNING", "RUNNING");
        read(task(), "bids", BID);
        observe("RUNNING", "RUNNING");
        assertEquals("named", in(last(), "job", "name"));
        assertEquals("kafka://broker:9092|orders kafka://broker:9092|bids=[{name=bidder, type=string}]", datasets(last(), "inputs"));
        assertEquals("s3://warehouse|db.orders s3://warehouse|db.bids=[{name=bidder, type=string}]", datasets(last(), "outputs"));
    }

    @Test
    void aTransformAloneTellsWhatItSees() {
        TaskView one = task();
        watch.observeTasks(SETTINGS, views, now);
        read(one, "orders", ORDER);
        watch.observeTasks(SETTINGS, views, now);
        views.clear();
        watch.taskClosed(one, now);
        watch.observeTasks(SETTINGS, views, now);
        assertEquals("START RUNNING ABORT", types());
        assertEquals("kafka://broker:9092|orders=[{name=price, type=int64}]", datasets(last(), "inputs"));
    }
}
