package io.headwater.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceConnector;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;

/** Writes records to the topics and with the fields that its keys name: genv.TOPIC.FIELD.with. */
public class LabSource extends SourceConnector {
    private Map<String, String> config;

    @Override
    public void start(Map<String, String> given) {
        config = given;
    }

    @Override
    public Class<? extends Task> taskClass() {
        return LabTask.class;
    }

    @Override
    public List<Map<String, String>> taskConfigs(int most) {
        return List.of(config);
    }

    @Override
    public void stop() {}

    @Override
    public ConfigDef config() {
        return new ConfigDef();
    }

    @Override
    public String version() {
        return "lab";
    }

    /** Writes one record to each topic, again and again. */
    public static class LabTask extends SourceTask {
        private final Map<String, SchemaBuilder> schemas = new TreeMap<>();

        @Override
        public void start(Map<String, String> config) {
            new TreeMap<>(config).keySet().forEach(key -> {
                String[] parts = key.split("\\.");
                if (parts.length == 4 && parts[0].equals("genv")) {
                    schemas.computeIfAbsent(parts[1], topic -> SchemaBuilder.struct())
                        .field(parts[2], Schema.STRING_SCHEMA);
                }
            });
        }

        @Override
        public List<SourceRecord> poll() throws InterruptedException {
            Thread.sleep(100);
            List<SourceRecord> records = new ArrayList<>();
            schemas.forEach((topic, builder) -> {
                Schema schema = builder.build();
                Struct value = new Struct(schema);
                schema.fields().forEach(field -> value.put(field, "text"));
                records.add(new SourceRecord(Map.of(), Map.of(), topic, schema, value));
            });
            return records;
        }

        @Override
        public void stop() {}

        @Override
        public String version() {
            return "lab";
        }
    }
}
