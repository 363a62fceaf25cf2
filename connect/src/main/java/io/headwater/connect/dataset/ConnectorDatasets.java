package io.headwater.connect.dataset;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a connector reads and writes, by a row of the rules, in its configuration. */
final class ConnectorDatasets {
    private final ConnectorRow row;
    private final Map<String, String> config;
    private final RecordRoutes routes;
    private final TransformChain chain;
    private final ExternalDatasets externals;
    private final SinkTables tables;
    private final Set<Gap> gaps = new LinkedHashSet<>();

    ConnectorDatasets(
        ConnectorRow row, List<ConnectorRow> urls, Map<String, String> config, RecordRoutes routes) {
        this.row = row;
        this.config = config;
        this.routes = routes;
        chain = new TransformChain(config);
        externals = new ExternalDatasets(row, urls, config);
        tables = new SinkTables(row, config);
        if (row.has("gap")) {
            List<?> gap = row.list("gap");
            gaps.add(new Gap(gap.get(0).toString(), gap.get(1).toString(), gap.get(2).toString()));
        }
    }

    Described describe(boolean isSink, Set<String> seen, boolean isGuessed) {
        Set<String> topics = new LinkedHashSet<>();
        Set<String> own = new LinkedHashSet<>();
        List<SourceTables.TablePair> pairs;
        if (isSink) {
            topics.addAll(Template.entries(config.get("topics")));
            topics.addAll(seen);
            String pattern = config.getOrDefault("topics.regex", "");
            if (topics.isEmpty() && !pattern.isEmpty()) {
                gaps.add(new Gap(
                    "input", pattern, "No topic is known yet that this pattern matches and records came from."));
            }
            pairs = written(topics);
            if (topics.isEmpty() || !routes.finals.keySet().containsAll(topics)) {
                gaps.addAll(chain.routeGaps());
            }
        } else {
            SourceTables source = new SourceTables(row, config, chain, routes.origins, seen);
            topics.addAll(source.topics());
            seen.forEach(topic -> topics.add(chain.grouped(topic)));
            pairs = source.pairs(topics);
            gaps.addAll(source.gaps());
            topics.stream().filter(source::isOwn).forEach(own::add);
            if (topics.isEmpty() || !routes.origins.keySet().containsAll(topics)) {
                gaps.addAll(chain.routeGaps());
            }
        }
        List<External> found = named(pairs);
        gaps.addAll(tables.gaps());
        reportUnnamed(!own.containsAll(topics), !found.isEmpty());
        return new Described(isSink, isGuessed, topics, found, own, gaps, row.isTrue("is_unwrapping"));
    }

    private List<External> named(List<SourceTables.TablePair> pairs) {
        Map<DatasetName, External> found = new LinkedHashMap<>();
        for (SourceTables.TablePair pair : pairs) {
            for (External each : externals.named(pair.table, pair.finalTopic, isGuessed(pair))) {
                External before = found.computeIfAbsent(each.name, name -> each);
                if (!pair.topic.isEmpty()) {
                    before.with(pair.topic, pair.finalTopic);
                }
            }
        }
        return new ArrayList<>(found.values());
    }

    /** Whether the name is not sure: another topic would have another table or folder, or a table another schema. */
    private boolean isGuessed(SourceTables.TablePair pair) {
        if (!pair.isGuessed) {
            return false;
        }
        if (row.text("role", "").equals("source")) {
            return externals.isSchemaAssumed(pair.table);
        }
        String other = pair.finalTopic + "-other";
        return !names(pair.table, pair.finalTopic).equals(names(tables.tableOf(other), other));
    }

    private List<DatasetName> names(String table, String topic) {
        List<DatasetName> found = new ArrayList<>();
        externals.named(table, topic, false).forEach(each -> found.add(each.name));
        return found;
    }

    /** Pairs of a table and a topic of a sink. */
    private List<SourceTables.TablePair> written(Set<String> topics) {
        List<SourceTables.TablePair> pairs = new ArrayList<>();
        for (String topic : topics.isEmpty() ? Set.of("") : topics) {
            Set<String> finals = routes.finals.getOrDefault(topic, Set.of());
            String routed = topic.isEmpty() ? "" : chain.route(topic);
            boolean isGuessed = finals.isEmpty() && routed == null;
            for (String last : finals.isEmpty() ? Set.of(routed == null ? topic : routed) : finals) {
                if (row.has("tables")) {
                    for (String table : Template.expand(row.text("tables", ""), config, Map.of())) {
                        pairs.add(new SourceTables.TablePair(table, topic, last, false));
                    }
                } else {
                    for (String table : tables.tablesOf(last)) {
                        pairs.add(new SourceTables.TablePair(table, topic, last, isGuessed));
                    }
                }
            }
        }
        return pairs;
    }

    /** A dataset that the settings do not name is a gap, where there must be one. */
    private void reportUnnamed(boolean hasTopics, boolean isNamed) {
        boolean isOutside = row.has("url") || row.has("namespace");
        boolean mustBe = row.has("role") && !row.isTrue("may_have_no_name");
        if (mustBe && isOutside && !isNamed && gaps.isEmpty() && !externals.isNameless()) {
            boolean isSink = row.text("role", "").equals("sink");
            String does = isSink ? "writes" : "reads";
            gaps.add(new Gap(
                isSink ? "output" : "input",
                config.getOrDefault("connector.class", ""),
                hasTopics
                    ? "The settings do not name the datasets that the connector " + does + "."
                    : "Its first record shows which datasets the connector " + does + "; none is listed."));
        }
    }
}
