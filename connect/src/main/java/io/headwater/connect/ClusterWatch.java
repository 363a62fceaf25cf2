package io.headwater.connect;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.connect.health.ConnectClusterState;
import org.apache.kafka.connect.health.ConnectorHealth;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks at the connectors of the cluster again and again, through the worker's own eyes. */
final class ClusterWatch {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterWatch.class);
    /** To ask for a configuration is work for the thread that all connectors wait for. */
    private static final long CONFIG_NANOS = 3_000_000_000L;

    private final ConnectClusterState state;
    private final String connectCluster;
    private final Map<String, Look> looks = new HashMap<>();
    private final Map<String, Long> askedAt = new HashMap<>();
    private String kafkaCluster;
    private String worker = "";

    ClusterWatch(ConnectClusterState state, String connectCluster) {
        this.state = state;
        this.connectCluster = connectCluster;
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

    /** All connectors as they are now. What the worker cannot tell, it tells later. */
    Map<String, Look> look(long now) {
        Collection<String> names;
        try {
            names = state.connectors();
        } catch (RuntimeException error) {
            LOG.debug("the worker cannot tell its connectors now: {}", error.toString());
            return looks;
        }
        looks.keySet().forEach(name -> {
            if (!names.contains(name)) {
                looks.put(name, Look.GONE);
            }
        });
        names.forEach(name -> looks.put(name, lookAt(name, looks.getOrDefault(name, Look.UNCLEAR), now)));
        return looks;
    }

    /** Has the configuration of a connector asked for anew: a task of it has just begun. */
    void distrust(String name) {
        askedAt.remove(name);
    }

    /** Forgets a connector that is gone. */
    void forget(String name) {
        looks.remove(name);
        askedAt.remove(name);
    }

    private Look lookAt(String name, Look before, long now) {
        try {
            ConnectorHealth health = state.connectorHealth(name);
            Map<String, String> config = before.config;
            boolean isOld = now - askedAt.getOrDefault(name, now - CONFIG_NANOS) >= CONFIG_NANOS;
            if (config == null || isOld || !health.equals(before.health)) {
                config = state.connectorConfig(name);
                askedAt.put(name, now);
            }
            return new Look(true, config, health);
        } catch (RuntimeException error) {
            LOG.debug("the worker cannot tell of {} now: {}", name, error.toString());
            return new Look(true, before.config, before.health);
        }
    }
}
