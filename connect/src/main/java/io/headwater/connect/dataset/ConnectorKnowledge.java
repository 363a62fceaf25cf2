package io.headwater.connect.dataset;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

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
     * @param routes the topics of records before and after its transforms, where they are known
     */
    public Described describe(
        Map<String, String> config, Set<String> seen, String role, RecordRoutes routes) {
        ConnectorRow own = rowOf(config);
        if (own != null) {
            boolean isOwnSink = own.text("role", "source").equals("sink");
            return new ConnectorDatasets(own, urls, config, routes).describe(isOwnSink, seen, false);
        }
        boolean isSink = role.isEmpty() ? looksLikeSink(config) : role.equals("sink");
        Described found = null;
        for (ConnectorRow row : guesses) {
            found = new ConnectorDatasets(row, urls, config, routes).describe(isSink, seen, true);
            if (!found.externals.isEmpty()) {
                return found;
            }
        }
        return found;
    }

    /** The rule for a connector's class; null of one that is not known. */
    public ConnectorRow rowOf(Map<String, String> config) {
        return known.stream().filter(row -> row.isOf(config)).findFirst().orElse(null);
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

    private static List<ConnectorRow> rows(List<?> maps) {
        List<ConnectorRow> rows = new ArrayList<>();
        for (Object each : maps) {
            rows.add(ConnectorRow.of((Map<?, ?>) each, (Map<?, ?>) SHIPPED.get("families")));
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
