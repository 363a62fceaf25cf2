package io.headwater.connect.cluster;

import io.headwater.connect.dataset.TransformChain;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import org.apache.kafka.common.utils.AppInfoParser;

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
    private final Map<String, Counts> deadLetters = new HashMap<>();
    private final Set<String> written = new TreeSet<>();
    private final Set<String> consumed = new TreeSet<>();
    private final Map<String, String> config;

    /** @param config it may give the clients of the connector's tasks a name of their own */
    Traffic(String connector, Map<String, String> config) {
        this.connector = connector;
        this.config = config;
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

    /** What a source wrote to a topic, or to all topics of a group. */
    Counts of(String topic, TransformChain chain) {
        long records = 0;
        long bytes = 0;
        for (String each : written) {
            if (chain.grouped(each).equals(topic)) {
                records += of(each).records;
                bytes += of(each).bytes;
            }
        }
        return new Counts(records, bytes);
    }

    /** What a sink could not process, and put there. */
    Counts deadLetters(String topic) {
        return deadLetters.getOrDefault(topic, NONE);
    }

    /** The topics that a source writes to. */
    Set<String> written() {
        return written;
    }

    /**
     * The topics that a sink reads. Consumers before Kafka 4.1 write the dots of a name as
     * underscores: then a name with an underscore may be another one, and is left out.
     */
    Set<String> consumed() {
        boolean isPlain = AppInfoParser.getVersion().matches("4\\.[1-9].*|[5-9]\\..*|\\d\\d.*");
        Set<String> found = new TreeSet<>();
        for (String topic : consumed) {
            boolean isOther = consumed.stream().anyMatch(
                each -> !each.equals(topic) && each.replace('.', '_').equals(topic));
            if (!isOther && (isPlain || !topic.contains("_"))) {
                found.add(topic);
            }
        }
        return found;
    }

    private void read(String side, String type, String records, String bytes) {
        try {
            ObjectName all = new ObjectName("kafka." + side + ":type=" + type + ",client-id=*,topic=*");
            for (ObjectName name : BEANS.queryNames(all, null)) {
                String client = plain(name, "client-id");
                String topic = plain(name, "topic");
                boolean isNamed = client.equals(config.get(side + ".override.client.id"));
                if (isNamed || isOwn(client, "connector-" + side + "-" + connector + "-")) {
                    add(byTopic, client + " " + topic, topic, number(name, records), number(name, bytes));
                    (side.equals("producer") ? written : consumed).add(topic);
                } else if (isOwn(client, "connector-dlq-producer-" + connector + "-")) {
                    add(deadLetters, client + " " + topic, topic, number(name, records), number(name, bytes));
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
    private void add(Map<String, Counts> to, String client, String topic, long records, long bytes) {
        Counts before = last.getOrDefault(client, NONE);
        Counts all = to.getOrDefault(topic, NONE);
        to.put(topic, new Counts(
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
