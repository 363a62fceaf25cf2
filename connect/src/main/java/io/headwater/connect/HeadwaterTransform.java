package io.headwater.connect;

import io.headwater.connect.cluster.Agent;
import io.headwater.connect.cluster.TaskIdentity;
import io.headwater.connect.record.TaskView;
import io.headwater.connect.send.Counters;
import io.headwater.connect.send.Events;
import io.headwater.connect.send.SettingDefinitions;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.components.Versioned;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.transforms.Transformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Observes the records of a task and passes them on unchanged. All settings are optional. */
public class HeadwaterTransform<R extends ConnectRecord<R>> implements Transformation<R>, Versioned {
    private static final Logger LOG = LoggerFactory.getLogger(HeadwaterTransform.class);

    private Map<String, String> settings = Map.of();
    private TaskIdentity identity;
    private TaskView view;

    /** Called once by Connect, maybe on the thread that all connectors wait for: does no I/O. */
    @Override
    public void configure(Map<String, ?> given) {
        Map<String, String> own = new HashMap<>();
        given.forEach((key, value) -> {
            if (value != null) {
                own.put(key, value.toString());
            }
        });
        settings = own;
        SettingDefinitions.unknown(own.keySet()).forEach(
            key -> LOG.warn("the setting {} of the transform for lineage is not known, and has no effect", key));
        try {
            TaskView.loadClasses();
        } catch (RuntimeException | LinkageError error) {
            Counters.get().countError("", error);
        }
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
            Counters.get().countError(identity == null ? "" : identity.connector, error);
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
        return SettingDefinitions.get();
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
}
