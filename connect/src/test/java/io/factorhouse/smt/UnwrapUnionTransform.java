package io.factorhouse.smt;

import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.transforms.Transformation;

/** Has the name of a transform of the labs that cannot be had here: values are no longer optional. */
public class UnwrapUnionTransform<R extends ConnectRecord<R>> implements Transformation<R> {
    @Override
    public void configure(Map<String, ?> given) {}

    @Override
    public R apply(R record) {
        Schema before = record.valueSchema();
        if (before == null || !before.isOptional() || !(record.value() instanceof Struct)) {
            return record;
        }
        SchemaBuilder builder = SchemaBuilder.struct().name(before.name());
        before.fields().forEach(field -> builder.field(field.name(), field.schema()));
        Schema schema = builder.build();
        Struct value = new Struct(schema);
        schema.fields().forEach(field -> value.put(field, ((Struct) record.value()).get(field.name())));
        return record.newRecord(
            record.topic(), record.kafkaPartition(), record.keySchema(), record.key(), schema, value, record.timestamp());
    }

    @Override
    public ConfigDef config() {
        return new ConfigDef();
    }

    @Override
    public void close() {}
}
