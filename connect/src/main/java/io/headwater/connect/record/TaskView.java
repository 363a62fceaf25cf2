package io.headwater.connect.record;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.sink.SinkRecord;

/** What the transform of one task has seen. Written by the task's thread, read by the agent's. */
public final class TaskView {
    private static final boolean KNOWS_ORIGINAL_TOPIC = knowsOriginalTopic();

    public final int task;
    /** The settings of the transform alone. */
    public final Map<String, String> settings;
    public final Map<String, TopicView> topics = new ConcurrentHashMap<>();
    private volatile String role = "";
    private String lastTopic;
    private TopicView last;

    public TaskView(int task, Map<String, String> settings) {
        this.task = task;
        this.settings = settings;
    }

    /** Loads the classes that the first record needs, so that it does not wait for them: once in a JVM. */
    public static void loadClasses() {
        Loaded.CLASSES.topics.clear();
    }

    /** Holds what has observed records of its own, from its first use on. */
    private static final class Loaded {
        static final TaskView CLASSES = new TaskView(0, Map.of());

        static {
            Schema schema = SchemaBuilder.struct().name("row").field("id", Schema.INT64_SCHEMA).build();
            Map<String, Object> row = Map.of("id", 1L, "text", "a", "inside", Map.of("id", 1.5), "all", List.of("a"));
            CLASSES.observe(new SinkRecord("first", 0, Schema.STRING_SCHEMA, "a", schema, row, 1));
            CLASSES.observe(new SinkRecord("second", 0, null, "a", null, row, 1));
        }
    }

    /** Whether records showed a source or a sink; empty before the first. */
    public String role() {
        return role;
    }

    /** The topic of the last record; only for the thread of the task, and after its end. */
    public String lastTopic() {
        return lastTopic;
    }

    /** Observes a record; returns whether it shows something new. */
    public boolean observe(ConnectRecord<?> record) {
        String topic = topicOf(record);
        if (topic == null) {
            return false;
        }
        if (topic.equals(lastTopic)) {
            return observe(record, topic);
        }
        TopicView known = topics.get(topic);
        last = known == null ? new TopicView() : known;
        lastTopic = topic;
        boolean isNew = observe(record, topic);
        if (known == null) {
            role = record instanceof SinkRecord ? "sink" : "source";
            // Only now, lest the topic be reported without the shape of its record.
            topics.put(topic, last);
        }
        return isNew || known == null;
    }

    /** A record that no transform has renamed has one and the same text twice. */
    private boolean observe(ConnectRecord<?> record, String topic) {
        boolean isRouted = record.topic() != topic || last.isRouted();
        return isRouted ? last.observeRouted(record) : last.observe(record);
    }

    /** The topic that a record is read from, even if a transform before ours renamed it. */
    private static String topicOf(ConnectRecord<?> record) {
        if (KNOWS_ORIGINAL_TOPIC && record instanceof SinkRecord) {
            return ((SinkRecord) record).originalTopic();
        }
        return record.topic();
    }

    /** Connect has it from 3.6 on. */
    private static boolean knowsOriginalTopic() {
        try {
            SinkRecord.class.getMethod("originalTopic");
            return true;
        } catch (NoSuchMethodException error) {
            return false;
        }
    }
}
