package io.headwater.connect.cluster;

import io.headwater.connect.dataset.TransformChain;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * The transforms of a connector as the worker's metrics name them, from Kafka 4.1 on: for a transform
 * of ours that is alone and does not see the configuration. Their order and settings are not known.
 */
final class TransformBeans {
    private static final MBeanServer BEANS = ManagementFactory.getPlatformMBeanServer();

    private TransformBeans() {}

    /** A configuration in which all others are on both sides of ours; empty where there are none. */
    static Map<String, String> around(String connector) {
        Map<String, String> others = new TreeMap<>();
        try {
            ObjectName all = new ObjectName("kafka.connect:type=connector-transform-metrics,*");
            for (ObjectName name : BEANS.queryNames(all, null)) {
                if (connector.equals(plain(name, "connector"))) {
                    String type = String.valueOf(BEANS.getAttribute(name, "transform-class"));
                    others.put(String.valueOf(plain(name, "transform")), type);
                }
            }
        } catch (JMException error) {
            // A task has ended in between: what it had is not known.
            return Map.of();
        }
        others.values().removeIf(TransformChain::isOurs);
        return others.isEmpty() ? Map.of() : configured(others);
    }

    private static Map<String, String> configured(Map<String, String> others) {
        Map<String, String> config = new TreeMap<>();
        String names = String.join(",", others.keySet());
        config.put("transforms", names + ",headwater," + names);
        config.put("transforms.headwater.type", "HeadwaterTransform");
        others.forEach((name, type) -> {
            config.put("transforms." + name + ".type", type);
            // So that nobody computes what it does with settings that it does not have.
            config.put("transforms." + name + ".predicate", "unknown");
        });
        return config;
    }

    private static String plain(ObjectName name, String key) {
        String value = name.getKeyProperty(key);
        return value != null && value.startsWith("\"") ? ObjectName.unquote(value) : value;
    }
}
