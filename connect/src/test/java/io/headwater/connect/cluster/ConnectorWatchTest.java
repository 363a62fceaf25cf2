package io.headwater.connect.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headwater.connect.dataset.ConnectorKnowledge;
import io.headwater.connect.record.TaskView;
import io.headwater.connect.send.Settings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
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
        "sink", new ConnectorKnowledge(List.of()), ProviderValues.NONE, (settings, key, event) -> events.add(event));
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
        assertEquals("START FAIL OTHER", types());
        assertEquals("deleted", in(last(), "run", "facets", "kafka_connect", "reason"));
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
        assertEquals("kafka://broker:9092|orders", datasets(last(), "inputs"));
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
        assertEquals("named", in(last(), "job", "name"));
        assertEquals("kafka://broker:9092|orders kafka://broker:9092|bids", datasets(last(), "inputs"));
        read(task(), "bids", BID);
        observe("RUNNING", "RUNNING");
        assertEquals("kafka://broker:9092|bids=[{name=bidder, type=string}]", datasets(last(), "inputs"));
        assertEquals("s3://warehouse|db.bids=[{name=bidder, type=string}]", datasets(last(), "outputs"));
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
        assertEquals("kafka://broker:9092|orders=[{name=price, type=int64}]", datasets(events.get(1), "inputs"));
        assertEquals("", datasets(last(), "inputs"));
    }

    @Test
    void anEventNamesOnlyWhatHadRecordsSinceTheLast() {
        observe("RUNNING", "RUNNING");
        assertEquals("kafka://broker:9092|orders kafka://broker:9092|bids", datasets(last(), "inputs"));
        TaskView one = task();
        read(one, "orders", ORDER);
        observe("RUNNING", "RUNNING");
        assertTrue(datasets(last(), "inputs").startsWith("kafka://broker:9092|orders="));
        assertFalse(datasets(last(), "outputs").contains("bids"));
        observe("PAUSED", "PAUSED");
        assertEquals("", datasets(last(), "outputs"));
        observe("FAILED", "FAILED");
        assertEquals("FAIL", last().get("eventType"));
        assertEquals("", datasets(last(), "outputs"));
    }

    @Test
    void aRecordOnWhichATransformFailsIsNotCounted() {
        observe("RUNNING", "RUNNING");
        TaskView one = task();
        read(one, "orders", ORDER);
        observe("RUNNING", "RUNNING");
        read(one, "orders", ORDER);
        read(one, "orders", ORDER);
        views.clear();
        watch.taskClosed(one, now);
        String trace = "Tolerance exceeded\n\tat org.apache.kafka.connect.runtime.TransformationStage.apply";
        Map<Integer, TaskState> states = Map.of(0, new TaskState(0, "FAILED", US, trace));
        ConnectorHealth health = new ConnectorHealth("sink", new ConnectorState("RUNNING", US, null), states, ConnectorType.SINK);
        for (int round = 0; round < 3; round++) {
            watch.observe(new ConnectorSnapshot(true, new HashMap<>(config), health), SETTINGS, CLUSTER, views, now);
        }
        assertEquals("FAIL", last().get("eventType"));
        assertEquals(2L, in(((List<?>) last().get("inputs")).get(0), "inputFacets", "inputStatistics", "rowCount"));
    }

    @Test
    void topicsThatTheClusterTracksAreThoseOfAPattern() {
        config.remove("topics");
        config.put("topics.regex", "o.*");
        observe("RUNNING", "RUNNING");
        assertEquals("", datasets(last(), "inputs"));
        Map<Integer, TaskState> states = Map.of(0, new TaskState(0, "RUNNING", US, null));
        ConnectorHealth health = new ConnectorHealth("sink", new ConnectorState("RUNNING", US, null), states, ConnectorType.SINK);
        now += BEAT;
        watch.observe(
            new ConnectorSnapshot(true, new HashMap<>(config), health, Set.of("orders", "bids")), SETTINGS, CLUSTER, views, now);
        assertEquals("kafka://broker:9092|orders", datasets(last(), "inputs"));
    }

    @Test
    void aKeyOfTheTransformThatDoesNotExistIsAGap() {
        config.put("transforms", "openlineage");
        config.put("transforms.openlineage.type", "HeadwaterTransform");
        config.put("transforms.openlineage.hartbeat", "5");
        observe("RUNNING", "RUNNING");
        assertTrue(in(last(), "run", "facets", "headwater_gaps", "gaps").toString().contains("hartbeat"));
    }

    @Test
    void aTopicForDeadLettersIsKnownAsSuch() {
        config.put("errors.deadletterqueue.topic.name", "orders-dead");
        observe("RUNNING", "RUNNING");
        assertTrue(datasets(last(), "outputs").endsWith("kafka://broker:9092|orders-dead"));
        List<?> outputs = (List<?>) last().get("outputs");
        Map<?, ?> dead = (Map<?, ?>) outputs.get(outputs.size() - 1);
        assertTrue(dead.get("facets").toString().contains("dead-letter-queue"));
        assertTrue(dead.get("facets").toString().contains("isDeadLetterQueue=true"));
    }

    @Test
    void aDeletionAfterAStopIsToldAndIsNoStop() {
        observe("RUNNING", "RUNNING");
        observe("STOPPED");
        gone();
        assertEquals("START ABORT OTHER", types());
        assertEquals("stopped", in(events.get(1), "run", "facets", "kafka_connect", "reason"));
        assertEquals("deleted", in(last(), "run", "facets", "kafka_connect", "reason"));
    }

    @Test
    void aFailureOfTheRunBeforeIsNotOneOfTheNew() {
        observe("RUNNING", "FAILED");
        config.put("tasks.max", "2");
        observe("RUNNING", "FAILED");
        assertEquals("START FAIL", types());
        observe("RUNNING", "RUNNING");
        assertEquals("START FAIL START", types());
        config.put("tasks.max", "3");
        observe("RUNNING", "FAILED");
        assertEquals("START FAIL START COMPLETE START FAIL", types());
    }

    @Test
    void aFailureThatStaysIsOneOfTheNewRunToo() {
        observe("RUNNING", "FAILED");
        config.put("tasks.max", "2");
        observe("RUNNING", "FAILED");
        now += 11_000_000_000L;
        observe("RUNNING", "FAILED");
        assertEquals("START FAIL START FAIL", types());
    }

    @Test
    void ofTasksThatFailOneByOneEachIsToldAndTheOthersContinue() {
        TaskView one = task();
        observe("RUNNING", "RUNNING", "RUNNING", "RUNNING");
        observe("RUNNING", "RUNNING", "RUNNING", "FAILED");
        read(one, "orders", ORDER);
        observe("RUNNING", "RUNNING", "RUNNING", "FAILED");
        assertEquals("START FAIL OTHER", types());
        read(one, "orders", ORDER);
        now += BEAT;
        observe("RUNNING", "RUNNING", "RUNNING", "FAILED");
        assertEquals("START FAIL OTHER OTHER", types());
        observe("RUNNING", "RUNNING", "FAILED", "FAILED");
        observe("RUNNING", "RUNNING", "FAILED", "FAILED");
        assertEquals("START FAIL OTHER OTHER FAIL", types());
        observe("RUNNING", "FAILED", "FAILED", "FAILED");
        now += BEAT;
        observe("RUNNING", "FAILED", "FAILED", "FAILED");
        assertEquals("START FAIL OTHER OTHER FAIL FAIL", types());
    }

    @Test
    void aHeartbeatWithoutRecordsNamesNoDataset() {
        TaskView one = task();
        observe("RUNNING", "RUNNING");
        read(one, "orders", ORDER);
        now += BEAT;
        observe("RUNNING", "RUNNING");
        assertTrue(datasets(last(), "outputs").contains("topics/orders"));
        now += BEAT;
        observe("RUNNING", "RUNNING");
        assertEquals("", datasets(last(), "inputs") + datasets(last(), "outputs"));
        assertEquals("ACCUMULATIVE", in(last(), "job", "facets", "jobType", "emissionPattern", "eventContentMode"));
        read(one, "orders", ORDER);
        now += BEAT;
        observe("RUNNING", "RUNNING");
        assertTrue(datasets(last(), "outputs").contains("topics/orders"));
    }

    private void transforms(String names, String... pairs) {
        config.put("transforms", names);
        config.put("transforms.openlineage.type", "HeadwaterTransform");
        for (int place = 0; place < pairs.length; place += 2) {
            config.put("transforms." + pairs[place], pairs[place + 1]);
        }
    }

    private void isJdbcSink() {
        config.put("connector.class", "io.confluent.connect.jdbc.JdbcSinkConnector");
        config.put("connection.url", "jdbc:postgresql://db/dw");
        config.put("topics", "orders");
    }

    private void readStruct() {
        Struct order = new Struct(ORDER).put("price", 1L);
        task().observe(new SinkRecord("orders", 0, null, null, ORDER, order, 1));
    }

    @Test
    void aSinksOutputFollowsItsTransforms() {
        isJdbcSink();
        transforms(
            "openlineage, route, rename, insert",
            "route.type", "RegexRouter", "route.regex", "(.*)", "route.replacement", "final_$1",
            "rename.type", "ReplaceField$Value", "rename.renames", "price:cost",
            "insert.type", "org.apache.kafka.connect.transforms.InsertField$Value",
            "insert.static.field", "src", "insert.static.value", "eu");
        observe("RUNNING", "RUNNING");
        assertEquals("postgres://db:5432|dw.public.final_orders", datasets(last(), "outputs"));
        readStruct();
        observe("RUNNING", "RUNNING");
        assertEquals("kafka://broker:9092|orders=[{name=price, type=int64}]", datasets(last(), "inputs"));
        assertEquals(
            "postgres://db:5432|dw.public.final_orders=[{name=cost, type=int64}, {name=src, type=string}]",
            datasets(last(), "outputs"));
        assertEquals(null, in(last(), "run", "facets", "headwater_gaps"));
    }

    @Test
    void aSinksTransformThatIsNotKnownIsAGapAndItsTableIsGuessed() {
        isJdbcSink();
        transforms("openlineage, other", "other.type", "com.example.Router");
        observe("RUNNING", "RUNNING");
        readStruct();
        observe("RUNNING", "RUNNING");
        assertEquals("postgres://db:5432|dw.public.orders", datasets(last(), "outputs"));
        Object output = ((List<?>) last().get("outputs")).get(0);
        assertEquals(true, in(output, "facets", "kafka_connect", "isGuessed"));
        Object gaps = in(last(), "run", "facets", "headwater_gaps", "gaps");
        assertEquals(1, ((List<?>) gaps).size());
        assertEquals("com.example.Router", in(((List<?>) gaps).get(0), "name"));
    }

    @Test
    void aRouterBeforeOursIsSeenInTheRecords() {
        isJdbcSink();
        transforms("other, openlineage", "other.type", "com.example.Router");
        observe("RUNNING", "RUNNING");
        Struct order = new Struct(ORDER).put("price", 1L);
        SinkRecord read = new SinkRecord("orders", 0, null, null, ORDER, order, 1);
        task().observe(read.newRecord("elsewhere", 0, null, null, ORDER, order, 1L));
        observe("RUNNING", "RUNNING");
        assertTrue(datasets(last(), "outputs").startsWith("postgres://db:5432|dw.public.elsewhere=[{name=price"));
    }

    @Test
    void withoutNamesTheLabsDatasetsHaveTheNamesOfTheTopics() {
        transforms(
            "openlineage", "openlineage.type", "io.factorhouse.smt.OpenLineageLifecycleSmt",
            "openlineage.topics", "orders,bids", "openlineage.dataset.namespace", "s3://fh-dev-bucket");
        observe("RUNNING", "RUNNING");
        assertEquals("s3://fh-dev-bucket|orders s3://fh-dev-bucket|bids", datasets(last(), "outputs"));
    }

    @Test
    void eachTopicOfAHundredTablesHasOneParent() {
        List<String> tables = new ArrayList<>();
        for (int number = 0; number < 100; number++) {
            tables.add("public.t" + number);
        }
        config.putAll(Map.of(
            "connector.class", "io.debezium.connector.postgresql.PostgresConnector", "database.hostname", "db",
            "database.dbname", "shop", "topic.prefix", "cdc", "table.include.list", String.join(",", tables)));
        observe("RUNNING", "RUNNING");
        assertEquals(100, ((List<?>) last().get("inputs")).size());
        assertEquals(100, ((List<?>) last().get("outputs")).size());
        for (Object output : (List<?>) last().get("outputs")) {
            List<?> inputs = (List<?>) in(output, "facets", "lineage", "inputs");
            assertEquals(1, inputs.size());
            assertEquals("shop." + in(output, "name").toString().substring("cdc.".length()), in(inputs.get(0), "name"));
        }
    }

    @Test
    void aConfigurationThatCannotBeReadStillHasItsTopics() {
        config.put("connector.class", "org.apache.iceberg.connect.IcebergSinkConnector");
        config.put("iceberg.tables", "shop.orders");
        config.put("iceberg.catalog.warehouse", "s3://ware house/{x}");
        observe("RUNNING", "RUNNING");
        assertEquals("START", types());
        assertEquals("kafka://broker:9092|orders kafka://broker:9092|bids", datasets(last(), "inputs"));
        assertEquals("", datasets(last(), "outputs"));
        Object gaps = in(last(), "run", "facets", "headwater_gaps", "gaps");
        assertEquals("other", in(((List<?>) gaps).get(0), "kind"));
    }

    @Test
    void theDeadLetterTopicIsAnOutputAsSuch() {
        config.put("errors.deadletterqueue.topic.name", "dead");
        observe("RUNNING", "RUNNING");
        List<?> outputs = (List<?>) last().get("outputs");
        assertEquals("dead", in(outputs.get(2), "name"));
        assertEquals(true, in(outputs.get(2), "facets", "kafka_connect", "isDeadLetterQueue"));
        assertEquals(2, ((List<?>) in(outputs.get(2), "facets", "lineage", "inputs")).size());
    }
}
