package io.headwater.connect;

import java.util.Map;
import org.apache.kafka.connect.health.ConnectorHealth;

/** A connector as the cluster shows it at one moment. */
final class Look {
    static final Look GONE = new Look(false, null, null);
    /** It is there, and nothing else can be told at the moment. */
    static final Look UNCLEAR = new Look(true, null, null);

    final boolean exists;
    /** Null where the worker could not tell. */
    final Map<String, String> config;
    final ConnectorHealth health;

    Look(boolean exists, Map<String, String> config, ConnectorHealth health) {
        this.exists = exists;
        this.config = config;
        this.health = health;
    }
}
