package io.headwater.connect;

import io.headwater.connect.cluster.Agent;
import io.headwater.connect.cluster.ClusterWatch;
import io.headwater.connect.cluster.ProviderValues;
import io.headwater.connect.send.Events;
import io.headwater.connect.send.SettingDefinitions;
import io.headwater.connect.send.Settings;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.connect.rest.ConnectRestExtension;
import org.apache.kafka.connect.rest.ConnectRestExtensionContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives the agent a view of the cluster: configurations, states, failures. Adds nothing to REST. */
public final class HeadwaterRestExtension implements ConnectRestExtension {
    private static final Logger LOG = LoggerFactory.getLogger(HeadwaterRestExtension.class);

    private Map<String, Object> worker = Map.of();

    @Override
    public void configure(Map<String, ?> given) {
        worker = new HashMap<>(given);
    }

    @Override
    public void register(ConnectRestExtensionContext context) {
        Settings settings = Settings.of(System.getenv()).ofWorker(worker);
        SettingDefinitions.problems(Settings.ownOfWorker(worker)).forEach(each -> LOG.warn("lineage: {}", each));
        LOG.info(
            "lineage to {}, namespace {}, heartbeat every {} s",
            settings.target(), settings.get(Settings.NAMESPACE), settings.get(Settings.HEARTBEAT_SECONDS));
        ClusterWatch cluster = new ClusterWatch(context.clusterState(), Settings.clusterOf(worker));
        Agent.get().watch(cluster, settings, new ProviderValues(worker));
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
