package io.headwater.connect.cluster;

import java.util.Map;
import java.util.Set;
import org.apache.kafka.connect.health.ConnectorHealth;

/** A connector as the cluster reports it at one moment. */
final class ConnectorSnapshot {
    static final ConnectorSnapshot GONE = new ConnectorSnapshot(false, null, null);
    /** It exists, and nothing else is known yet. */
    static final ConnectorSnapshot UNKNOWN = new ConnectorSnapshot(true, null, null);

    final boolean exists;
    /** Null where the worker could not report it. */
    final Map<String, String> config;
    final ConnectorHealth health;
    /** Those that it has ever used, also with an earlier configuration. */
    final Set<String> topics;

    ConnectorSnapshot(boolean exists, Map<String, String> config, ConnectorHealth health) {
        this(exists, config, health, Set.of());
    }

    ConnectorSnapshot(
        boolean exists, Map<String, String> config, ConnectorHealth health, Set<String> topics) {
        this.topics = topics;
        this.exists = exists;
        this.config = config;
        this.health = health;
    }
}
