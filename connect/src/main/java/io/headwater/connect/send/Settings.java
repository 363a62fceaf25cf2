package io.headwater.connect.send;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Settings by precedence: of the transform, of the worker, of the environment, the defaults. */
public final class Settings {
    public static final String URL = "url";
    public static final String NAMESPACE = "namespace";
    public static final String API_KEY = "api.key";
    public static final String GZIP = "gzip";
    public static final String TRANSPORT = "transport";
    public static final String TRANSPORT_TOPIC = "transport.topic";
    static final String PRODUCER_PREFIX = "transport.producer.";
    public static final String BOOTSTRAP = "kafka.bootstrap";
    public static final String HEARTBEAT_SECONDS = "heartbeat.seconds";
    public static final String POLL_SECONDS = "poll.seconds";
    public static final String CONNECTORS_FILE = "connectors.file";
    public static final String CONNECTOR_NAME = "connector.name";
    public static final String CONNECTOR_CLASS = "connector.class";
    public static final String TOPICS = "topics";
    public static final String DATASET_NAMESPACE = "dataset.namespace";
    public static final String DATASET_NAMES = "dataset.names";
    public static final String KEY_SCHEMA = "key.converter.schema.read";
    public static final String VALUE_SCHEMA = "value.converter.schema.read";
    /** These three behind "key" or "value". */
    public static final String REGISTRY_URL = ".converter.schema.registry.url";
    public static final String REGISTRY_CREDENTIALS = ".converter.basic.auth.credentials.source";
    public static final String REGISTRY_USER = ".converter.basic.auth.user.info";

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

    /** The settings of the environment. */
    public static Settings of(Map<String, String> environment) {
        Map<String, String> found = new HashMap<>();
        ENVIRONMENT.forEach((variable, key) -> {
            String value = environment.get(variable);
            if (value != null && !value.isBlank()) {
                found.putIfAbsent(key, value);
            }
        });
        return new Settings(List.of(found, DEFAULTS));
    }

    /** These settings, under others that take precedence. */
    public Settings under(Map<String, String> preferred) {
        List<Map<String, String>> all = new ArrayList<>();
        all.add(preferred);
        all.addAll(layers);
        return new Settings(all);
    }

    /** The name of a worker's cluster; a standalone worker has none. */
    public static String clusterOf(Map<String, ?> worker) {
        Object group = worker.get("group.id");
        return group == null ? "standalone" : group.toString();
    }

    /** These settings with a worker's; what is derived from its own configuration comes last. */
    public Settings ofWorker(Map<String, ?> worker) {
        Map<String, String> own = ownOfWorker(worker);
        Map<String, String> derived = new HashMap<>();
        if (worker.get("bootstrap.servers") != null) {
            derived.put(BOOTSTRAP, worker.get("bootstrap.servers").toString());
        }
        derived.put(NAMESPACE, "kafka-connect://" + clusterOf(worker));
        List<Map<String, String>> all = new ArrayList<>(under(own).layers);
        all.add(all.size() - 1, derived);
        return new Settings(all);
    }

    /** The settings for lineage in a worker's configuration, without their prefix. */
    public static Map<String, String> ownOfWorker(Map<String, ?> worker) {
        Map<String, String> own = new HashMap<>();
        worker.forEach((key, value) -> {
            if (key.startsWith(WORKER_PREFIX) && value != null) {
                own.put(key.substring(WORKER_PREFIX.length()), value.toString());
            }
        });
        return own;
    }

    /** A setting, or an empty text. */
    public String get(String key) {
        for (Map<String, String> layer : layers) {
            String value = layer.get(key);
            if (value != null && !value.isBlank()) {
                return value.trim();
            }
        }
        return "";
    }

    /** Where events are sent to, without secrets. */
    public String target() {
        boolean isKafka = get(TRANSPORT).equalsIgnoreCase("kafka");
        String address = Redaction.text(get(isKafka ? BOOTSTRAP : URL));
        if (address.isEmpty()) {
            return "nowhere (set headwater.url or OPENLINEAGE_URL)";
        }
        return isKafka ? "topic " + get(TRANSPORT_TOPIC) + " at " + address : address;
    }

    public boolean isOn(String key) {
        return Boolean.parseBoolean(get(key));
    }

    /** A duration in nanoseconds; the default where it is not a number. */
    public long nanos(String key) {
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
