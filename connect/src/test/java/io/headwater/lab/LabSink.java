package io.headwater.lab;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.sink.SinkConnector;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;

/** Discards records. Unlike a LabSource it needs no configuration: Connect gives tasks their topics. */
public class LabSink extends SinkConnector {
    @Override
    public void start(Map<String, String> config) {}

    @Override
    public Class<? extends Task> taskClass() {
        return LabTask.class;
    }

    @Override
    public List<Map<String, String>> taskConfigs(int most) {
        return Collections.nCopies(most, Map.of());
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

    /** Discards records. */
    public static class LabTask extends SinkTask {
        @Override
        public void start(Map<String, String> config) {}

        @Override
        public void put(Collection<SinkRecord> records) {}

        @Override
        public void stop() {}

        @Override
        public String version() {
            return "lab";
        }
    }
}
