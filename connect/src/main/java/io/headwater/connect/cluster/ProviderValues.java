package io.headwater.connect.cluster;

import io.headwater.connect.dataset.Gap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.ConfigTransformer;
import org.apache.kafka.common.config.provider.ConfigProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The values that a worker's config providers give for the variables in a configuration. */
public final class ProviderValues {
    static final ProviderValues NONE = new ProviderValues(Map.of());

    private static final Logger LOG = LoggerFactory.getLogger(ProviderValues.class);
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([^}:]+):[^}]*\\}");
    /** A provider may ask a server, and lineage does not wait for it any longer. */
    private static final long MOST_SECONDS = 10;

    /** A configuration as the connector gets it. */
    static final class Resolved {
        final Map<String, String> config = new HashMap<>();
        /** What providers gave: it may be a secret. */
        final Set<String> values = new HashSet<>();
        final List<Gap> gaps = new ArrayList<>();
    }

    private final Map<String, ?> worker;
    private Map<String, ConfigProvider> providers;

    /** The providers of a worker's configuration; they are created when first needed. */
    public ProviderValues(Map<String, ?> worker) {
        this.worker = worker;
    }

    /** Replaces the variables of a configuration; a setting that cannot be resolved is left out. */
    Resolved resolve(Map<String, String> config) {
        Resolved resolved = new Resolved();
        config.forEach((key, value) -> {
            List<String> variables = variables(value);
            if (variables.isEmpty()) {
                resolved.config.put(key, value);
                return;
            }
            try {
                String whole = value;
                for (String variable : variables) {
                    String found = within(() -> valueOf(variable));
                    resolved.values.add(found);
                    whole = whole.replace(variable, found);
                }
                resolved.config.put(key, whole);
            } catch (ExecutionException | TimeoutException error) {
                LOG.debug("{} cannot be resolved: {}", key, error.toString());
                resolved.gaps.add(new Gap(
                    "other", key, "The config provider did not give the value of this setting."));
            }
        });
        return resolved;
    }

    /** The variables in a value that name a provider of this worker. */
    private List<String> variables(String value) {
        List<String> found = new ArrayList<>();
        Matcher match = VARIABLE.matcher(value == null ? "" : value);
        while (match.find()) {
            if (worker.get("config.providers." + match.group(1) + ".class") != null) {
                found.add(match.group());
            }
        }
        return found;
    }

    private String valueOf(String variable) throws ReflectiveOperationException {
        Matcher name = VARIABLE.matcher(variable);
        if (!name.matches()) {
            throw new IllegalArgumentException("no variable");
        }
        ConfigProvider provider = provider(name.group(1));
        String found = new ConfigTransformer(Map.of(name.group(1), provider))
            .transform(Map.of("it", variable)).data().get("it");
        if (found == null || found.equals(variable)) {
            throw new IllegalArgumentException("the provider has no such value");
        }
        return found;
    }

    private synchronized ConfigProvider provider(String name) throws ReflectiveOperationException {
        providers = providers == null ? new HashMap<>() : providers;
        ConfigProvider known = providers.get(name);
        if (known == null) {
            String prefix = "config.providers." + name + ".";
            Object made = PluginDefinitions.create(worker.get(prefix + "class").toString());
            known = (ConfigProvider) made;
            Map<String, Object> own = new HashMap<>();
            worker.forEach((key, value) -> {
                if (key.startsWith(prefix + "param.")) {
                    own.put(key.substring(prefix.length() + "param.".length()), value);
                }
            });
            known.configure(own);
            providers.put(name, known);
        }
        return known;
    }

    private static String within(Callable<String> work) throws ExecutionException, TimeoutException {
        FutureTask<String> task = new FutureTask<>(work);
        Thread thread = new Thread(task, "headwater-config-provider");
        thread.setDaemon(true);
        thread.start();
        try {
            return task.get(MOST_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw new TimeoutException("interrupted");
        }
    }
}
