package io.headwater.connect.record;

import org.apache.kafka.connect.connector.ConnectRecord;

/** A shape that was not seen before, with the record that had it. */
final class NewShape {
    final Shape shape;
    final ConnectRecord<?> record;

    NewShape(Shape shape, ConnectRecord<?> record) {
        this.shape = shape;
        this.record = record;
    }
}
