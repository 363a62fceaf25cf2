package io.headwater.connect.dataset;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The rules for each class of connectors: data, which the Python part reads too. */
public final class ConnectorKnowledge {
    /** The file in the jar. */
    public static final Map<?, ?> SHIPPED = shipped();

    private final List<ConnectorRow> known = new ArrayList<>();
    private final List<ConnectorRow> guesses;
    private final List<ConnectorRow> urls;

    /** The rules of the jar; a user's own rows take precedence. */
    public ConnectorKnowledge(List<?> own) {
        known.addAll(rows(own));
        known.addAll(rows((List<?>) SHIPPED.get("connectors")));
        guesses = rows((List<?>) SHIPPED.get("guesses"));
        urls = rows((List<?>) SHIPPED.get("urls"));
    }

    /**
     * Derives what a connector reads and writes.
     *
     * @param seen topics that its records showed
     * @param role the worker's type of a class that is not known: source, sink or empty
     */
    public Described describe(Map<String, String> config, Set<String> seen, String role) {
        String kind = config.getOrDefault("connector.class", "");
        for (ConnectorRow row : known) {
            if (row.isOf(kind)) {
                boolean isSink = row.text("role", "source").equals("sink");
                Set<String> topics = topics(row, config, isSink, seen);
                return new Described(isSink, false, topics, externals(row, config, isSink, topics));
            }
        }
        boolean isSink = role.isEmpty() ? looksLikeSink(config) : role.equals("sink");
        Set<String> topics = topics(new ConnectorRow(Map.of()), config, isSink, seen);
        for (ConnectorRow row : guesses) {
            List<External> externals = externals(row, config, isSink, topics);
            if (!externals.isEmpty()) {
                return new Described(isSink, true, topics, externals);
            }
        }
        return new Described(isSink, true, topics, List.of());
    }

    private List<External> externals(
        ConnectorRow row, Map<String, String> config, boolean isSink, Set<String> topics) {
        return new ExternalDatasets(row, urls, config).of(isSink, topics);
    }

    private static boolean looksLikeSink(Map<String, String> config) {
        String kind = config.getOrDefault("connector.class", "").toLowerCase(Locale.ROOT);
        String last = kind.substring(kind.lastIndexOf('.') + 1);
        if (last.contains("sink")) {
            return true;
        }
        if (last.contains("source") || last.contains("datagen")) {
            return false;
        }
        return config.containsKey("topics") || config.containsKey("topics.regex");
    }

    /** Topics from the configuration, then those that were seen. */
    private static Set<String> topics(
        ConnectorRow row, Map<String, String> config, boolean isSink, Set<String> seen) {
        Set<String> topics = new LinkedHashSet<>();
        if (isSink) {
            topics.addAll(Template.entries(config.get("topics")));
        } else if (!TransformChain.mayRename(config)) {
            topics.addAll(written(row, config));
        }
        topics.addAll(seen);
        return topics;
    }

    /** The topics that a source's configuration names. */
    private static List<String> written(ConnectorRow row, Map<String, String> config) {
        List<String> found = new ArrayList<>();
        if (!row.list("topics").isEmpty()) {
            String pattern = row.list("topics").get(0).toString();
            if (row.has("tables")) {
                for (String table : Template.expand(row.text("tables", ""), config, Map.of())) {
                    found.addAll(Template.expand(pattern, config, Map.of("table", table)));
                }
            } else {
                found.addAll(Template.expand(pattern, config, Map.of()));
            }
        }
        if (row.has("topic_keys")) {
            Pattern inKey = Pattern.compile(row.text("topic_keys", ""));
            for (String key : new TreeSet<>(config.keySet())) {
                Matcher match = inKey.matcher(key);
                if (match.matches()) {
                    found.add(match.group(1));
                }
            }
        }
        return found;
    }

    private static List<ConnectorRow> rows(List<?> maps) {
        List<ConnectorRow> rows = new ArrayList<>();
        for (Object each : maps) {
            rows.add(new ConnectorRow((Map<?, ?>) each));
        }
        return rows;
    }

    private static Map<?, ?> shipped() {
        try (InputStream file = ConnectorKnowledge.class.getResourceAsStream("connectors.json")) {
            return new ObjectMapper().readValue(file, Map.class);
        } catch (IOException error) {
            throw new IllegalStateException("the jar is broken: connectors.json", error);
        }
    }
}
