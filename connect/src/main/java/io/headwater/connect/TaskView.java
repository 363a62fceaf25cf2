package io.headwater.connect;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.sink.SinkRecord;

/** What the transform of one task has seen. Written by the task's thread, read by the agent's. */
final class TaskView {
    private static final boolean KNOWS_ORIGINAL_TOPIC = knowsOriginalTopic();

    final int task;
    /** The settings of the transform alone. */
    final Map<String, String> settings;
    final Map<String, TopicView> topics = new ConcurrentHashMap<>();
    private volatile String role = "";
    private String lastTopic;
    private TopicView last;

    TaskView(int task, Map<String, String> settings) {
        this.task = task;
        this.settings = settings;
    }

    /** Whether records showed a source or a sink; empty before the first. */
    String role() {
        return role;
    }

    /** Takes a look at a record; tells whether it is news. */
    boolean saw(ConnectRecord<?> record) {
        String topic = topicOf(record);
        if (topic == null) {
            return false;
        }
        if (topic.equals(lastTopic)) {
            return last.saw(record);
        }
        TopicView known = topics.get(topic);
        last = known == null ? new TopicView() : known;
        lastTopic = topic;
        boolean isNews = last.saw(record);
        if (known == null) {
            role = record instanceof SinkRecord ? "sink" : "source";
            // Only now, lest the topic be told without what its record shows.
            topics.put(topic, last);
        }
        return isNews || known == null;
    }

    /** The topic that a record is read from, whatever a transform before ours made of its name. */
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
