package io.headwater.connect;

import io.headwater.connect.cluster.Agent;
import io.headwater.connect.cluster.ClusterWatch;
import io.headwater.connect.send.Events;
import io.headwater.connect.send.Settings;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.connect.rest.ConnectRestExtension;
import org.apache.kafka.connect.rest.ConnectRestExtensionContext;

/** Gives the agent a view of the cluster: configurations, states, failures. Adds nothing to REST. */
public final class HeadwaterRestExtension implements ConnectRestExtension {
    private Map<String, Object> worker = Map.of();

    @Override
    public void configure(Map<String, ?> given) {
        worker = new HashMap<>(given);
    }

    @Override
    public void register(ConnectRestExtensionContext context) {
        Settings settings = Settings.of(System.getenv()).ofWorker(worker);
        ClusterWatch cluster = new ClusterWatch(context.clusterState(), Settings.clusterOf(worker));
        Agent.get().watch(cluster, settings);
    }

    @Override
    public void close() {
        Agent.get().stop();
    }

    @Override
    public String version() {
        return Events.VERSION;
    }
}
