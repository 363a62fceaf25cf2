package io.headwater.connect;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Settings, the nearest first: of the transform, of the worker, of the environment, our own. */
final class Settings {
    static final String URL = "url";
    static final String NAMESPACE = "namespace";
    static final String API_KEY = "api.key";
    static final String GZIP = "gzip";
    static final String TRANSPORT = "transport";
    static final String TRANSPORT_TOPIC = "transport.topic";
    static final String PRODUCER_PREFIX = "transport.producer.";
    static final String BOOTSTRAP = "kafka.bootstrap";
    static final String HEARTBEAT_SECONDS = "heartbeat.seconds";
    static final String POLL_SECONDS = "poll.seconds";
    static final String CONNECTORS_FILE = "connectors.file";
    static final String CONNECTOR_NAME = "connector.name";
    static final String CONNECTOR_CLASS = "connector.class";
    static final String TOPICS = "topics";
    static final String DATASET_NAMESPACE = "dataset.namespace";
    static final String DATASET_NAMES = "dataset.names";
    static final String KEY_SCHEMA = "key.converter.schema.read";
    static final String VALUE_SCHEMA = "value.converter.schema.read";

    private static final String WORKER_PREFIX = "headwater.";
    private static final Map<String, String> DEFAULTS = Map.of(
        NAMESPACE, "kafka-connect",
        GZIP, "true",
        TRANSPORT, "http",
        TRANSPORT_TOPIC, "openlineage.events",
        HEARTBEAT_SECONDS, "60",
        POLL_SECONDS, "1",
        KEY_SCHEMA, "true",
        VALUE_SCHEMA, "true");
    private static final Map<String, String> ENVIRONMENT = environmentNames();

    private final List<Map<String, String>> layers;

    private Settings(List<Map<String, String>> layers) {
        this.layers = layers;
    }

    /** What the environment says. */
    static Settings of(Map<String, String> environment) {
        Map<String, String> found = new HashMap<>();
        ENVIRONMENT.forEach((variable, key) -> {
            String value = environment.get(variable);
            if (value != null && !value.isBlank()) {
                found.putIfAbsent(key, value);
            }
        });
        return new Settings(List.of(found, DEFAULTS));
    }

    /** These settings, behind nearer ones. */
    Settings under(Map<String, String> nearer) {
        List<Map<String, String>> all = new ArrayList<>();
        all.add(nearer);
        all.addAll(layers);
        return new Settings(all);
    }

    /** The name of a worker's cluster; a worker that stands alone has none. */
    static String clusterOf(Map<String, ?> worker) {
        Object group = worker.get("group.id");
        return group == null ? "standalone" : group.toString();
    }

    /** These settings with those of a worker's configuration; what it says by itself comes last. */
    Settings ofWorker(Map<String, ?> worker) {
        Map<String, String> own = new HashMap<>();
        worker.forEach((key, value) -> {
            if (key.startsWith(WORKER_PREFIX) && value != null) {
                own.put(key.substring(WORKER_PREFIX.length()), value.toString());
            }
        });
        Map<String, String> said = new HashMap<>();
        if (worker.get("bootstrap.servers") != null) {
            said.put(BOOTSTRAP, worker.get("bootstrap.servers").toString());
        }
        said.put(NAMESPACE, "kafka-connect://" + clusterOf(worker));
        List<Map<String, String>> all = new ArrayList<>(under(own).layers);
        all.add(all.size() - 1, said);
        return new Settings(all);
    }

    /** A setting, or an empty text. */
    String get(String key) {
        for (Map<String, String> layer : layers) {
            String value = layer.get(key);
            if (value != null && !value.isBlank()) {
                return value.trim();
            }
        }
        return "";
    }

    boolean isOn(String key) {
        return Boolean.parseBoolean(get(key));
    }

    /** A duration in nanoseconds; one that cannot be read is as if it had not been set. */
    long nanos(String key) {
        double seconds;
        try {
            seconds = Double.parseDouble(get(key));
        } catch (NumberFormatException error) {
            seconds = Double.parseDouble(DEFAULTS.get(key));
        }
        return (long) (Math.max(seconds, 0.05) * 1e9);
    }

    /** All settings that begin with a prefix, without it. */
    Map<String, Object> startingWith(String prefix) {
        Map<String, Object> found = new LinkedHashMap<>();
        for (Map<String, String> layer : layers) {
            layer.forEach((key, value) -> {
                if (key.startsWith(prefix)) {
                    found.putIfAbsent(key.substring(prefix.length()), value);
                }
            });
        }
        return found;
    }

    private static Map<String, String> environmentNames() {
        Map<String, String> names = new LinkedHashMap<>();
        names.put("OPENLINEAGE_URL", URL);
        names.put("OPENLINEAGE_NAMESPACE", NAMESPACE);
        names.put("OPENLINEAGE_API_KEY", API_KEY);
        names.put("KAFKA_BOOTSTRAP", BOOTSTRAP);
        names.put("BOOTSTRAP", BOOTSTRAP);
        return names;
    }
}
