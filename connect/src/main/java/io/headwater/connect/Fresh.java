package io.headwater.connect;

import org.apache.kafka.connect.connector.ConnectRecord;

/** A shape that was not seen before, with the record that showed it. */
final class Fresh {
    final Shape shape;
    final ConnectRecord<?> record;

    Fresh(Shape shape, ConnectRecord<?> record) {
        this.shape = shape;
        this.record = record;
    }
}
