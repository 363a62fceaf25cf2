package io.headwater.connect.cluster;

import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/** Records and bytes of a connector by topic, as the worker's own Kafka clients count them. */
final class Traffic {
    /** What went through a topic since the run began. */
    static final class Counts {
        final long records;
        final long bytes;

        Counts(long records, long bytes) {
            this.records = records;
            this.bytes = bytes;
        }
    }

    private static final Counts NONE = new Counts(0, 0);
    private static final MBeanServer BEANS = ManagementFactory.getPlatformMBeanServer();

    private final String connector;
    private final Map<String, Counts> byTopic = new HashMap<>();
    private final Map<String, Counts> last = new HashMap<>();
    private final Set<String> written = new TreeSet<>();

    Traffic(String connector) {
        this.connector = connector;
    }

    /** Reads the counters of all tasks in this worker. */
    void read() {
        read("producer", "producer-topic-metrics", "record-send-total", "byte-total");
        read("consumer", "consumer-fetch-manager-metrics", "records-consumed-total", "bytes-consumed-total");
    }

    /** What went through a topic. Consumers write the dots of its name as underscores. */
    Counts of(String topic) {
        Counts underscored = byTopic.getOrDefault(topic.replace('.', '_'), NONE);
        return byTopic.getOrDefault(topic, underscored);
    }

    /** The topics that a source writes to. */
    Set<String> written() {
        return written;
    }

    private void read(String side, String type, String records, String bytes) {
        try {
            ObjectName all = new ObjectName("kafka." + side + ":type=" + type + ",client-id=*,topic=*");
            for (ObjectName name : BEANS.queryNames(all, null)) {
                String client = plain(name, "client-id");
                String topic = plain(name, "topic");
                if (isOwn(client, "connector-" + side + "-" + connector + "-")) {
                    add(client + " " + topic, topic, number(name, records), number(name, bytes));
                    if (side.equals("producer")) {
                        written.add(topic);
                    }
                }
            }
        } catch (MalformedObjectNameException error) {
            throw new IllegalStateException(error);
        }
    }

    private static boolean isOwn(String client, String start) {
        return client.startsWith(start) && client.substring(start.length()).matches("\\d+");
    }

    /** A client that was started again counts from zero. */
    private void add(String client, String topic, long records, long bytes) {
        Counts before = last.getOrDefault(client, NONE);
        Counts all = byTopic.getOrDefault(topic, NONE);
        byTopic.put(topic, new Counts(
            all.records + records - (records >= before.records ? before.records : 0),
            all.bytes + bytes - (bytes >= before.bytes ? before.bytes : 0)));
        last.put(client, new Counts(records, bytes));
    }

    private static long number(ObjectName name, String attribute) {
        try {
            Object value = BEANS.getAttribute(name, attribute);
            return value instanceof Number ? ((Number) value).longValue() : 0;
        } catch (JMException error) {
            // The client was closed in between.
            return 0;
        }
    }

    private static String plain(ObjectName name, String key) {
        String value = name.getKeyProperty(key);
        return value.startsWith("\"") ? ObjectName.unquote(value) : value;
    }
}
