package io.headwater.connect.cluster;

import io.headwater.connect.dataset.Template;
import java.lang.reflect.InvocationTargetException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The types of settings, as a connector, its transforms and its converters define them. */
final class PluginDefinitions {
    private static final Logger LOG = LoggerFactory.getLogger(PluginDefinitions.class);

    private PluginDefinitions() {}

    /** The types of those settings of a configuration that a plugin defines. */
    static Map<String, ConfigDef.Type> of(Map<String, String> config) {
        Map<String, ConfigDef.Type> types = new HashMap<>();
        add(types, "", config.get("connector.class"));
        for (String name : Template.entries(config.get("transforms"))) {
            add(types, "transforms." + name + ".", config.get("transforms." + name + ".type"));
        }
        for (String name : Template.entries(config.get("predicates"))) {
            add(types, "predicates." + name + ".", config.get("predicates." + name + ".type"));
        }
        for (String converter : List.of("key.converter", "value.converter", "header.converter")) {
            add(types, converter + ".", config.get(converter));
        }
        return types;
    }

    private static void add(Map<String, ConfigDef.Type> types, String prefix, String className) {
        if (className == null || className.isBlank()) {
            return;
        }
        try {
            Object plugin = create(className.trim());
            Object definition = plugin.getClass().getMethod("config").invoke(plugin);
            if (definition instanceof ConfigDef) {
                ((ConfigDef) definition).configKeys().forEach((key, each) -> types.put(prefix + key, each.type));
            }
        } catch (ReflectiveOperationException | RuntimeException | LinkageError error) {
            LOG.debug("the settings of {} are not known: {}", className, error.toString());
        }
    }

    /** A new object of a class of any plugin, found as the worker finds it, by an alias too. */
    static Object create(String className) throws ReflectiveOperationException {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try {
            Class<?> found = loader().loadClass(className);
            thread.setContextClassLoader(found.getClassLoader());
            return found.getDeclaredConstructor().newInstance();
        } catch (InvocationTargetException error) {
            throw new ReflectiveOperationException(error.getCause());
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** Above the class loader of our own plugin is the one that knows all plugins. */
    private static ClassLoader loader() {
        ClassLoader own = PluginDefinitions.class.getClassLoader();
        boolean isPlugin = own.getClass().getSimpleName().equals("PluginClassLoader");
        return isPlugin && own.getParent() != null ? own.getParent() : own;
    }
}
