package io.headwater.connect.cluster;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.connect.health.ConnectClusterState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topics that a connector has used in the whole cluster, as Connect tracks them (KIP-558). Its
 * REST API shows them and its API for extensions does not, hence by reflection; without an answer
 * the topics are those that records, clients and the configuration show.
 */
final class ActiveTopics {
    private static final Logger LOG = LoggerFactory.getLogger(ActiveTopics.class);

    private final ConnectClusterState state;
    private Object herder;
    private Method topicsOf;
    private boolean isUnknown;

    ActiveTopics(ConnectClusterState state) {
        this.state = state;
    }

    /** The topics of a connector; empty where they are not tracked, or not known. */
    Set<String> of(String connector) {
        Set<String> found = new TreeSet<>();
        if (isUnknown) {
            return found;
        }
        try {
            find();
            Object answer = topicsOf.invoke(herder, connector);
            Method topics = answer.getClass().getMethod("topics");
            ((Collection<?>) topics.invoke(answer)).forEach(topic -> found.add(topic.toString()));
        } catch (ReflectiveOperationException | RuntimeException | LinkageError error) {
            isUnknown = topicsOf == null;
            LOG.debug("the worker cannot report the topics of {}: {}", connector, error.toString());
        }
        return found;
    }

    private void find() throws ReflectiveOperationException {
        if (topicsOf == null) {
            Field field = state.getClass().getDeclaredField("herder");
            field.setAccessible(true);
            herder = field.get(state);
            Class<?> api = Class.forName(
                "org.apache.kafka.connect.runtime.Herder", false, herder.getClass().getClassLoader());
            topicsOf = api.getMethod("connectorActiveTopics", String.class);
        }
    }
}
