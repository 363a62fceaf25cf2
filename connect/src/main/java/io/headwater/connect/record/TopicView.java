package io.headwater.connect.record;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.data.Schema;

/** What one task has seen of one topic. Written by the task's thread alone, read by another. */
public final class TopicView {
    private static final int FIRST_SAMPLES = 10;
    private static final int SAMPLE_EVERY = 1_000;
    /** At most so many shapes are reported, should a converter create a schema for each record. */
    private static final int MOST_SHAPES = 64;

    private final AtomicLong records = new AtomicLong();
    private final Queue<NewShape> newShapes = new ConcurrentLinkedQueue<>();
    private final Set<Shape> known = new HashSet<>();
    /** The topics that transforms before ours gave to records of a sink. */
    private final Set<String> routed = new HashSet<>();
    private String lastRouted;
    private volatile Shape shape = Shape.UNKNOWN;
    private Shape previous = Shape.UNKNOWN;

    public long records() {
        return records.get();
    }

    /** The newest shape. */
    Shape shape() {
        return shape;
    }

    /** A shape that was never seen before and not yet taken, or null. */
    NewShape takeNewShape() {
        return newShapes.poll();
    }

    /** Whether a transform before ours has changed the topic of a record. */
    boolean isRouted() {
        return lastRouted != null;
    }

    /** Observes a record of a sink, whose topic a transform may have changed. */
    boolean observeRouted(ConnectRecord<?> record) {
        boolean isNew = observe(record);
        String topic = record.topic();
        if (topic.equals(lastRouted)) {
            return isNew;
        }
        lastRouted = topic;
        boolean isNewTopic = routed.size() < MOST_SHAPES && record.value() != null && routed.add(topic);
        return isNewTopic && !isNew ? newShapes.add(new NewShape(shape, record)) : isNew;
    }

    /** Observes a record; returns whether its shape is new. */
    boolean observe(ConnectRecord<?> record) {
        long number = records.get() + 1;
        // The only writer: no locked instruction is needed.
        records.lazySet(number);
        Schema value = record.valueSchema();
        if (value == shape.value && record.keySchema() == shape.key) {
            boolean isSample = number <= FIRST_SAMPLES || number % SAMPLE_EVERY == 0;
            return value == null && isSample && record.value() != null && learn(inferred(record), record);
        }
        if (value != null && value == previous.value && record.keySchema() == previous.key) {
            // Two schemas that alternate are not compared field by field.
            Shape other = previous;
            previous = shape;
            shape = other;
            return false;
        }
        return compare(record, value);
    }

    private boolean compare(ConnectRecord<?> record, Schema value) {
        if (record.value() == null) {
            // A tombstone has no value to learn from.
            return false;
        }
        if (value == null) {
            return learn(inferred(record), record);
        }
        return learn(new Shape(keyOf(record), value, null), record);
    }

    private Shape inferred(ConnectRecord<?> record) {
        List<Map<String, Object>> fields = SchemaFields.infer(record.value(), "value");
        List<Map<String, Object>> before = shape.inferred;
        return new Shape(keyOf(record), null, before == null ? fields : SchemaFields.merge(before, fields));
    }

    private Schema keyOf(ConnectRecord<?> record) {
        return record.keySchema() == null ? shape.key : record.keySchema();
    }

    private boolean learn(Shape found, ConnectRecord<?> record) {
        boolean isNew = known.size() < MOST_SHAPES && known.add(found);
        previous = shape;
        shape = found;
        return isNew && newShapes.add(new NewShape(found, record));
    }
}
