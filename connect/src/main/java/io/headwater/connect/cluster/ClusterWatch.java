package io.headwater.connect.cluster;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.connect.health.ConnectClusterState;
import org.apache.kafka.connect.health.ConnectorHealth;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the connectors of the cluster from the worker's own view of it, at each poll. */
public final class ClusterWatch {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterWatch.class);
    /** A configuration is read by the thread that all connectors wait for, hence not at each poll. */
    private static final long CONFIG_NANOS = 3_000_000_000L;

    private final ConnectClusterState state;
    private final String connectCluster;
    private final ActiveTopics topics;
    private final Map<String, ConnectorSnapshot> snapshots = new HashMap<>();
    private final Map<String, Long> configReadAt = new HashMap<>();
    private String kafkaCluster;
    private String worker = "";

    public ClusterWatch(ConnectClusterState state, String connectCluster) {
        this.state = state;
        this.connectCluster = connectCluster;
        topics = new ActiveTopics(state);
    }

    ClusterNames names() {
        if (kafkaCluster == null) {
            kafkaCluster = state.clusterDetails().kafkaClusterId();
        }
        if (worker.isEmpty()) {
            worker = ClusterNames.findWorker();
        }
        return new ClusterNames(kafkaCluster, connectCluster, worker);
    }

    /** All connectors as they are now; those that the worker cannot report now, as they were. */
    Map<String, ConnectorSnapshot> read(long now) {
        Collection<String> names;
        try {
            names = state.connectors();
        } catch (RuntimeException error) {
            LOG.debug("the worker cannot list its connectors now: {}", error.toString());
            return snapshots;
        }
        snapshots.keySet().forEach(name -> {
            if (!names.contains(name)) {
                snapshots.put(name, ConnectorSnapshot.GONE);
            }
        });
        for (String name : names) {
            ConnectorSnapshot before = snapshots.getOrDefault(name, ConnectorSnapshot.UNKNOWN);
            snapshots.put(name, readConnector(name, before, now));
        }
        return snapshots;
    }

    /** Has the configuration of a connector read again: one of its tasks has just started. */
    void invalidate(String name) {
        configReadAt.remove(name);
    }

    /** Forgets a connector that is gone. */
    void forget(String name) {
        snapshots.remove(name);
        configReadAt.remove(name);
    }

    private ConnectorSnapshot readConnector(String name, ConnectorSnapshot before, long now) {
        try {
            ConnectorHealth health = state.connectorHealth(name);
            Map<String, String> config = before.config;
            boolean isOld = now - configReadAt.getOrDefault(name, now - CONFIG_NANOS) >= CONFIG_NANOS;
            if (config == null || isOld || !health.equals(before.health)) {
                config = state.connectorConfig(name);
                configReadAt.put(name, now);
            }
            return new ConnectorSnapshot(true, config, health, topics.of(name));
        } catch (RuntimeException error) {
            LOG.debug("the worker cannot report {} now: {}", name, error.toString());
            return new ConnectorSnapshot(true, before.config, before.health, before.topics);
        }
    }
}
