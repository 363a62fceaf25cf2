package io.headwater.connect.send;

import java.net.URI;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.Validator;
import org.apache.kafka.common.config.ConfigException;

/** The settings of the transform, all optional, with the values that they may have. */
public final class SettingDefinitions {
    /** Of a transform in Connect itself. */
    private static final Set<String> OF_CONNECT = Set.of("type", "predicate", "negate", "plugin.version");
    private static final List<String> OF_WORKER_ONLY = List.of(Settings.POLL_SECONDS);
    private static final Validator ANY = (name, value) -> { };
    private static final ConfigDef ALL = all();

    private SettingDefinitions() {}

    public static ConfigDef get() {
        return ALL;
    }

    /** Those of some keys of the transform that do not exist: Connect passes them on unchecked. */
    public static Set<String> unknown(Collection<String> keys) {
        Set<String> unknown = new TreeSet<>(keys);
        unknown.removeIf(key -> OF_CONNECT.contains(key) || isKnown(key));
        return unknown;
    }

    /** What is wrong with the settings of a worker, one sentence each. */
    public static Set<String> problems(Map<String, String> ofWorker) {
        Set<String> problems = new TreeSet<>();
        ofWorker.forEach((key, value) -> {
            if (!isKnown(key) && !OF_WORKER_ONLY.contains(key)) {
                problems.add("headwater." + key + " is not known, and has no effect");
            } else {
                try {
                    validatorOf(key).ensureValid("headwater." + key, value);
                } catch (ConfigException error) {
                    problems.add(error.getMessage());
                }
            }
        });
        return problems;
    }

    private static boolean isKnown(String key) {
        return ALL.configKeys().containsKey(key) || key.startsWith(Settings.PRODUCER_PREFIX);
    }

    private static Validator validatorOf(String key) {
        ConfigDef.ConfigKey found = ALL.configKeys().get(key);
        if (found == null) {
            return OF_WORKER_ONLY.contains(key) ? SettingDefinitions::checkSeconds : ANY;
        }
        return found.validator == null ? ANY : found.validator;
    }

    private static ConfigDef all() {
        ConfigDef all = new ConfigDef();
        define(all, Settings.URL, SettingDefinitions::checkUrl, "URL of the server; by default OPENLINEAGE_URL.");
        define(all, Settings.NAMESPACE, ANY, "Namespace of the job; by default OPENLINEAGE_NAMESPACE.");
        define(all, Settings.GZIP, SettingDefinitions::checkBoolean, "Whether events are compressed.");
        define(all, Settings.TRANSPORT, SettingDefinitions::checkTransport, "http or kafka.");
        define(all, Settings.TRANSPORT_TOPIC, ANY, "The topic for events, with the transport kafka.");
        define(all, Settings.BOOTSTRAP, ANY, "Bootstrap servers, for the names of topics.");
        define(all, Settings.HEARTBEAT_SECONDS, SettingDefinitions::checkSeconds, "Seconds between two events of a run.");
        define(all, Settings.CONNECTORS_FILE, ANY, "A JSON file with your own connectors.");
        define(all, Settings.CONNECTOR_NAME, ANY, "Name of the job; by default that of the connector.");
        define(all, Settings.CONNECTOR_CLASS, ANY, "Class of the connector, if the worker does not report it.");
        define(all, Settings.TOPICS, ANY, "Topics of the connector, if the worker does not report them.");
        define(all, Settings.DATASET_NAMESPACE, ANY, "Namespace of the datasets outside Kafka.");
        define(all, Settings.DATASET_NAMES, ANY, "Their names, paired with the topics by position.");
        define(all, Settings.KEY_SCHEMA, SettingDefinitions::checkBoolean, "Whether the schema of keys is reported.");
        define(all, Settings.VALUE_SCHEMA, SettingDefinitions::checkBoolean, "Whether the schema of values is reported.");
        for (String side : List.of("key", "value")) {
            define(all, side + Settings.REGISTRY_URL, SettingDefinitions::checkUrls,
                "Schema registry, for schemas that cannot be derived from the records.");
            define(all, side + Settings.REGISTRY_CREDENTIALS, ANY, "USER_INFO, if the registry needs credentials.");
            all.define(side + Settings.REGISTRY_USER, Type.PASSWORD, null, Importance.LOW, "USER:PASSWORD for the registry.");
        }
        all.define(Settings.API_KEY, Type.PASSWORD, null, Importance.LOW, "API key of the server.");
        return all;
    }

    private static void define(ConfigDef all, String key, Validator validator, String text) {
        Validator ofGiven = new Validator() {
            @Override
            public void ensureValid(String name, Object value) {
                if (value != null && !value.toString().isBlank()) {
                    validator.ensureValid(name, value.toString().trim());
                }
            }
        };
        all.define(key, Type.STRING, null, ofGiven, Importance.LOW, text);
    }

    private static void checkUrl(String name, Object value) {
        try {
            URI found = URI.create(value.toString());
            String scheme = String.valueOf(found.getScheme()).toLowerCase(Locale.ROOT);
            if (scheme.matches("https?") && found.getHost() != null) {
                return;
            }
        } catch (IllegalArgumentException error) {
            // Reported below, without the value: it may have a password.
        }
        throw new ConfigException(name + " must be an address such as http://host:5000");
    }

    private static void checkUrls(String name, Object value) {
        for (String each : value.toString().split(",")) {
            checkUrl(name, each.trim());
        }
    }

    private static void checkBoolean(String name, Object value) {
        if (!value.toString().matches("(?i)true|false")) {
            throw new ConfigException(name, value, "it must be true or false");
        }
    }

    private static void checkTransport(String name, Object value) {
        if (!value.toString().matches("(?i)http|kafka")) {
            throw new ConfigException(name, value, "it must be http or kafka");
        }
    }

    private static void checkSeconds(String name, Object value) {
        try {
            if (Double.parseDouble(value.toString()) > 0) {
                return;
            }
        } catch (NumberFormatException error) {
            // Reported below.
        }
        throw new ConfigException(name, value, "it must be a number of seconds");
    }
}
