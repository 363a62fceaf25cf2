package io.headwater.connect.cluster;

import io.headwater.connect.column.ColumnOrigin;
import io.headwater.connect.column.ConnectorColumns;
import io.headwater.connect.dataset.ConnectorRow;
import io.headwater.connect.dataset.DatasetName;
import io.headwater.connect.dataset.External;
import io.headwater.connect.dataset.Gap;
import io.headwater.connect.dataset.TransformChain;
import io.headwater.connect.record.FieldPaths;
import io.headwater.connect.record.Shape;
import io.headwater.connect.record.TopicShapes;
import io.headwater.connect.send.Counters;
import io.headwater.connect.send.Events;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/** From which columns those come that a connector writes; found once for each schema of a topic. */
final class ColumnLineage {
    /** Of a connector whose configuration is not known. */
    static final ColumnLineage NONE = new ColumnLineage(null, Map.of(), new TransformChain(Map.of()), null, null);
    /** More are not kept, should a converter create a schema for each record. */
    private static final int MOST = 1_000;

    private final ConnectorRow row;
    private final Map<String, String> config;
    private final TransformChain chain;
    private final TopicShapes shapes;
    private final RegistryView registry;
    private final Map<List<Object>, ConnectorColumns> known = new LinkedHashMap<>();
    private final Set<Gap> gaps = new LinkedHashSet<>();

    /** @param row the rule for the connector's class, or null */
    ColumnLineage(
        ConnectorRow row, Map<String, String> config, TransformChain chain, TopicShapes shapes, RegistryView registry) {
        this.row = row;
        this.config = config;
        this.chain = chain;
        this.shapes = shapes;
        this.registry = registry;
    }

    /** The transforms because of which columns are not known. */
    Set<Gap> gaps() {
        return gaps;
    }

    /** The columns of a source's tables that those of a topic come from, by the latter. */
    Map<String, List<Map<String, Object>>> ofTables(String topic, List<External> tables) {
        Map<String, List<Map<String, Object>>> fields = new LinkedHashMap<>();
        List<List<String>> value = valuePaths(topic);
        for (External each : value.isEmpty() ? List.<External>of() : tables) {
            if (each.topics().contains(topic)) {
                String origin = shapes.routes().origins.getOrDefault(topic, chain.originOf(topic));
                List<List<String>> key = keyPaths(topic);
                ConnectorColumns found = known(List.of(each.name, topic, key, value), () ->
                    ConnectorColumns.ofSource(row, config, chain, each.name.name, origin, key, value));
                add(fields, found, each.name);
            }
        }
        return fields;
    }

    /** The columns of topics that those come from which a sink writes, by the latter. */
    Map<String, List<Map<String, Object>>> ofTopics(External table, Function<String, DatasetName> names) {
        Map<String, List<Map<String, Object>>> fields = new LinkedHashMap<>();
        for (String topic : table.topics()) {
            List<List<String>> value = valuePaths(topic);
            if (!value.isEmpty()) {
                List<List<String>> key = keyPaths(topic);
                ConnectorColumns found = known(List.of(topic, key, value), () ->
                    ConnectorColumns.ofSink(row, config, chain, topic, key, value));
                add(fields, found, names.apply(topic));
            }
        }
        return fields;
    }

    /** The columns of a topic as its records show them, else as the registry has them; none if unknown. */
    private List<List<String>> valuePaths(String topic) {
        if (shapes == null) {
            return List.of();
        }
        Shape shape = shapes.byTopic().get(topic);
        if (shape != null && (shape.value != null || shape.inferred != null)) {
            return shape.valuePaths();
        }
        List<Map<String, Object>> fields = registry.fields(topic);
        return fields == null ? List.of() : FieldPaths.of(fields);
    }

    private List<List<String>> keyPaths(String topic) {
        Shape shape = shapes.byTopic().get(topic);
        return shape == null ? List.of() : shape.keyPaths();
    }

    private ConnectorColumns known(List<Object> of, Supplier<ConnectorColumns> made) {
        if (known.size() >= MOST) {
            known.clear();
        }
        ConnectorColumns found = known.computeIfAbsent(of, key -> guarded(made));
        gaps.addAll(found.gaps);
        return found;
    }

    /** A failure here, as of a user's own rules, leaves no columns; the rest is reported nevertheless. */
    private ConnectorColumns guarded(Supplier<ConnectorColumns> made) {
        try {
            return made.get();
        } catch (RuntimeException error) {
            String connector = config.getOrDefault("name", "");
            Counters.get().countError(connector, error);
            return ConnectorColumns.unknown(new Gap(
                "other",
                config.getOrDefault("connector.class", connector),
                "The columns could not be derived by the rules for this class."));
        }
    }

    private static void add(
        Map<String, List<Map<String, Object>>> fields, ConnectorColumns found, DatasetName input) {
        add(fields, found.columns, "value", input);
        add(fields, found.keyColumns, "key", input);
    }

    private static void add(
        Map<String, List<Map<String, Object>>> fields,
        Map<List<String>, List<ColumnOrigin>> columns,
        String part,
        DatasetName input) {
        columns.forEach((path, origins) -> {
            for (ColumnOrigin origin : origins) {
                if (!origin.part.equals("headers")) {
                    fields.computeIfAbsent(named(path, part), name -> new ArrayList<>()).add(Events.inputField(
                        input, named(origin.path, origin.part), origin.isChanged, origin.isMasked));
                }
            }
        });
    }

    /** Of a topic, the fields of keys are beside those of values, which have no prefix. */
    private static String named(List<String> path, String part) {
        String own = String.join(".", path);
        return path.isEmpty() ? part : part.equals("value") ? own : part + "." + own;
    }
}
