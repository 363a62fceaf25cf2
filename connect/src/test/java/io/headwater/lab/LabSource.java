package io.headwater.lab;

import java.text.SimpleDateFormat;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceConnector;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;

/** Writes records to the topics and with the fields that its keys name: genv.TOPIC.FIELD.with=#{KIND}. */
public class LabSource extends SourceConnector {
    /** With the number of a task: after how many polls its values are bad. */
    private static final String BAD = "lab.bad.after.";

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
        // As many tasks as may go bad.
        int tasks = (int) config.keySet().stream().filter(key -> key.startsWith(BAD)).count();
        List<Map<String, String>> configs = new ArrayList<>();
        for (int number = 0; number < Math.max(tasks, 1); number++) {
            Map<String, String> own = new TreeMap<>(config);
            own.put(BAD, config.getOrDefault(BAD + number, "0"));
            configs.add(own);
        }
        return configs;
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
        private final Map<String, String> kinds = new TreeMap<>();
        private long pause;
        private int badAfter;
        private int polls;

        @Override
        public void start(Map<String, String> config) {
            badAfter = Integer.parseInt(config.getOrDefault(BAD, "0"));
            pause = Long.parseLong(config.getOrDefault("global.throttle.ms", "100"));
            new TreeMap<>(config).forEach((key, kind) -> {
                String[] parts = key.split("\\.");
                if (parts.length == 4 && parts[0].equals("genv")) {
                    schemas.computeIfAbsent(parts[1], topic -> SchemaBuilder.struct().optional())
                        .field(parts[2], isNumber(kind) ? Schema.FLOAT64_SCHEMA : Schema.STRING_SCHEMA);
                    kinds.put(parts[1] + "." + parts[2], kind);
                }
            });
        }

        private static boolean isNumber(String kind) {
            return kind.contains("random_double");
        }

        private static Object value(String kind) {
            if (isNumber(kind)) {
                return ThreadLocalRandom.current().nextInt(200, 15_000) / 100.0;
            }
            if (kind.contains("date.past")) {
                return new SimpleDateFormat("EEE MMM dd HH:mm:ss zzz yyyy", Locale.ENGLISH).format(new Date());
            }
            if (kind.contains("uuid")) {
                return UUID.randomUUID().toString();
            }
            return "text";
        }

        @Override
        public List<SourceRecord> poll() throws InterruptedException {
            Thread.sleep(pause);
            polls++;
            List<SourceRecord> records = new ArrayList<>();
            schemas.forEach((topic, builder) -> {
                Schema schema = builder.build();
                Struct value = new Struct(schema);
                boolean isBad = badAfter > 0 && polls >= badAfter;
                schema.fields().forEach(field -> value.put(
                    field,
                    isBad && field.schema().type() == Schema.Type.STRING
                        ? "bad"
                        : value(kinds.get(topic + "." + field.name()))));
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
