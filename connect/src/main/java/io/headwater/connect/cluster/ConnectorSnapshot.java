package io.headwater.connect.cluster;

import java.util.Map;
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

    ConnectorSnapshot(boolean exists, Map<String, String> config, ConnectorHealth health) {
        this.exists = exists;
        this.config = config;
        this.health = health;
    }
}
