package io.headwater.connect.record;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.data.Schema;

/** The shape of a topic's records: the schemas of key and value, or fields from samples. */
public final class Shape {
    static final Shape UNKNOWN = new Shape(null, null, null);

    /** Null where it is not known. */
    public final Schema key;
    public final Schema value;
    public final List<Map<String, Object>> inferred;

    public Shape(Schema key, Schema value, List<Map<String, Object>> inferred) {
        this.key = key;
        this.value = value;
        this.inferred = inferred;
    }

    /** The shape of one record. */
    static Shape of(ConnectRecord<?> record) {
        boolean isInferred = record.valueSchema() == null && record.value() != null;
        return new Shape(
            record.keySchema(),
            record.valueSchema(),
            isInferred ? SchemaFields.infer(record.value(), "value") : null);
    }

    /** The paths of the columns of the value; none where they are not known. */
    public List<List<String>> valuePaths() {
        if (value != null) {
            return value.type() == Schema.Type.STRUCT ? FieldPaths.of(SchemaFields.of(value, "value")) : FieldPaths.WHOLE;
        }
        // Of a value without fields one is inferred, with this name.
        boolean isWhole = inferred != null && inferred.size() == 1 && "value".equals(inferred.get(0).get("name"));
        return isWhole ? FieldPaths.WHOLE : FieldPaths.of(inferred == null ? List.of() : inferred);
    }

    /** The paths of the columns of the key; none where they are not known. */
    public List<List<String>> keyPaths() {
        if (key == null) {
            return List.of();
        }
        return key.type() == Schema.Type.STRUCT ? FieldPaths.of(SchemaFields.of(key, "key")) : FieldPaths.WHOLE;
    }

    /** The shape of the new state of a row, if this is that of a change event of Debezium. */
    public Shape unwrapped() {
        boolean isEnvelope = value != null && value.type() == Schema.Type.STRUCT
            && value.name() != null && value.name().endsWith(".Envelope") && value.field("after") != null;
        return isEnvelope ? new Shape(key, value.field("after").schema(), null) : this;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Shape
            && Objects.equals(key, ((Shape) other).key)
            && Objects.equals(value, ((Shape) other).value)
            && Objects.equals(inferred, ((Shape) other).inferred);
    }

    @Override
    public int hashCode() {
        return Objects.hash(key, value, inferred);
    }
}
