package io.headwater.connect;

import io.headwater.connect.cluster.Agent;
import io.headwater.connect.cluster.TaskIdentity;
import io.headwater.connect.dataset.TaskView;
import io.headwater.connect.send.Counters;
import io.headwater.connect.send.Events;
import io.headwater.connect.send.Settings;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.connect.components.Versioned;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.transforms.Transformation;

/** Observes the records of a task and passes them on unchanged. All settings are optional. */
public final class HeadwaterTransform<R extends ConnectRecord<R>> implements Transformation<R>, Versioned {
    private static final ConfigDef SETTINGS = settings();

    private Map<String, String> settings = Map.of();
    private TaskIdentity identity;
    private TaskView view;

    /** Called once by Connect, maybe on the thread that all connectors wait for: does no work. */
    @Override
    public void configure(Map<String, ?> given) {
        Map<String, String> own = new HashMap<>();
        given.forEach((key, value) -> {
            if (value != null) {
                own.put(key, value.toString());
            }
        });
        settings = own;
        openIfKnown();
    }

    @Override
    public R apply(R record) {
        try {
            if (view == null) {
                openIfKnown();
            }
            if (view != null && view.observe(record)) {
                Agent.get().wake();
            }
        } catch (RuntimeException | LinkageError error) {
            // Lineage is never a reason for a task to fail.
            Counters.get().countError(error);
        }
        return record;
    }

    @Override
    public void close() {
        if (view != null) {
            Agent.get().close(identity.connector, view);
            view = null;
        }
    }

    @Override
    public ConfigDef config() {
        return SETTINGS;
    }

    @Override
    public String version() {
        return Events.VERSION;
    }

    private void openIfKnown() {
        identity = TaskIdentity.current();
        if (identity != null) {
            view = new TaskView(identity.task, settings);
            Agent.get().open(identity.connector, view);
        }
    }

    private static ConfigDef settings() {
        ConfigDef all = new ConfigDef();
        define(all, Settings.URL, "URL of the server; by default OPENLINEAGE_URL.");
        define(all, Settings.NAMESPACE, "Namespace of the job; by default OPENLINEAGE_NAMESPACE.");
        define(all, Settings.GZIP, "Whether events are compressed.");
        define(all, Settings.TRANSPORT, "http or kafka.");
        define(all, Settings.TRANSPORT_TOPIC, "The topic for events, with the transport kafka.");
        define(all, Settings.BOOTSTRAP, "Bootstrap servers, for the names of topics.");
        define(all, Settings.HEARTBEAT_SECONDS, "Seconds between two events of a run.");
        define(all, Settings.CONNECTORS_FILE, "A JSON file with your own connectors.");
        define(all, Settings.CONNECTOR_NAME, "Name of the job; by default that of the connector.");
        define(all, Settings.CONNECTOR_CLASS, "Class of the connector, if the worker does not report it.");
        define(all, Settings.TOPICS, "Topics of the connector, if the worker does not report them.");
        define(all, Settings.DATASET_NAMESPACE, "Namespace of the datasets outside Kafka.");
        define(all, Settings.DATASET_NAMES, "Their names, paired with the topics by position.");
        define(all, Settings.KEY_SCHEMA, "Whether the schema of keys is reported.");
        define(all, Settings.VALUE_SCHEMA, "Whether the schema of values is reported.");
        all.define(Settings.API_KEY, Type.PASSWORD, null, Importance.LOW, "API key of the server.");
        return all;
    }

    private static void define(ConfigDef all, String key, String text) {
        all.define(key, Type.STRING, null, Importance.LOW, text);
    }
}
