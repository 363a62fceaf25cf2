package io.headwater.connect.dataset;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** The tables of a source and the topics of their records, by a row of the rules. */
final class SourceTables {
    private static final Pattern NAMES_TABLE = Pattern.compile("[{|]@(?:table|last)\\}");

    /** A table and a topic, either of them empty where it is not known. */
    static final class TablePair {
        final String table;
        final String topic;
        /** The topic after all transforms, by which a sink names what it writes. */
        final String finalTopic;
        final boolean isGuessed;

        TablePair(String table, String topic, String finalTopic, boolean isGuessed) {
            this.table = table;
            this.topic = topic;
            this.finalTopic = finalTopic;
            this.isGuessed = isGuessed;
        }
    }

    private final ConnectorRow row;
    private final Map<String, String> config;
    private final TransformChain chain;
    private final Map<String, String> origins;
    private final Set<Gap> gaps = new LinkedHashSet<>();
    /** From the configuration, with the topic after all transforms; empty where it is not known. */
    private final List<TablePair> listed = new ArrayList<>();

    /** Tables of the configuration that are others but for their case. */
    private final Set<String> misspelt = new LinkedHashSet<>();

    SourceTables(
        ConnectorRow row,
        Map<String, String> config,
        TransformChain chain,
        Map<String, String> origins,
        Set<String> seen) {
        this.row = row;
        this.config = config;
        this.chain = chain;
        this.origins = origins;
        for (String table : row.has("tables") ? tables() : List.of("")) {
            topicsOf(table).forEach(topic -> add(table, topic));
        }
        if (row.has("topic_keys")) {
            Pattern inKey = Pattern.compile(row.text("topic_keys", ""));
            for (String key : new TreeSet<>(config.keySet())) {
                Matcher match = inKey.matcher(key);
                if (match.matches()) {
                    add("", match.group(1));
                }
            }
        }
        if (row.isTrue("ignores_case")) {
            dropMisspelt(seen);
        }
    }

    /** Drops the tables that records show in another case, as the connector's lists ignore that. */
    private void dropMisspelt(Set<String> seen) {
        Set<String> shown = new LinkedHashSet<>();
        seen.forEach(topic -> shown.add(captured(chain.grouped(topic))));
        Set<String> lower = new LinkedHashSet<>();
        shown.forEach(table -> lower.add(table.toLowerCase(Locale.ROOT)));
        listed.stream().map(pair -> pair.table)
            .filter(table -> !shown.contains(table) && lower.contains(table.toLowerCase(Locale.ROOT)))
            .forEach(misspelt::add);
        listed.removeIf(pair -> misspelt.contains(pair.table));
    }

    private void add(String table, String topic) {
        String routed = chain.route(topic);
        listed.add(new TablePair(table, routed == null ? "" : routed, routed == null ? "" : routed, false));
    }

    /** The topics that the configuration names, as they are after all transforms. */
    Set<String> topics() {
        Set<String> found = new LinkedHashSet<>();
        listed.forEach(pair -> found.add(pair.topic));
        found.remove("");
        return found;
    }

    Set<Gap> gaps() {
        return gaps;
    }

    private List<String> tables() {
        return row.has("tables") ? Template.expand(row.text("tables", ""), config, Map.of()) : List.of();
    }

    /** The topic of a table, by the first pattern that has all of its variables. */
    private List<String> topicsOf(String table) {
        Map<String, String> local = table.isEmpty() ? Map.of() : Map.of(
            "topic", table,
            "table", table.replace(".", delimiter()),
            "last", table.substring(table.lastIndexOf('.') + 1));
        for (Object pattern : row.list("topics")) {
            List<String> found = Template.expand(pattern.toString(), config, local);
            if (!found.isEmpty()) {
                String characters = row.text("no_topic_characters", "(?!)");
                found.replaceAll(topic -> topic.replaceAll(characters, "_"));
                return found;
            }
        }
        return List.of();
    }

    /** Pairs of a table and a topic, for all topics that are known. */
    List<TablePair> pairs(Set<String> topics) {
        List<TablePair> pairs = new ArrayList<>();
        if (row.list("topics").stream().noneMatch(each -> NAMES_TABLE.matcher(each.toString()).find())) {
            tables().forEach(table -> pairs.add(new TablePair(table, "", "", false)));
            if (pairs.isEmpty()) {
                (topics.isEmpty() ? Set.of("") : topics).forEach(
                    topic -> pairs.add(new TablePair("", topic, topic, false)));
            }
            return pairs;
        }
        listed.stream().filter(pair -> !pair.table.isEmpty() && !pair.topic.isEmpty()).forEach(pairs::add);
        Set<String> paired = new LinkedHashSet<>();
        pairs.forEach(pair -> paired.add(pair.topic));
        Set<String> named = new LinkedHashSet<>(tables());
        String only = chain.routeGaps().isEmpty() ? "" : onlyTable();
        for (String topic : topics) {
            String table = paired.contains(topic) ? "" : captured(topic);
            if (table.isEmpty() && !paired.contains(topic) && !isOwn(topic)) {
                // As of an outbox: whatever its records are routed by, they come from there.
                table = only;
            }
            if (!table.isEmpty()) {
                pairs.add(new TablePair(table, topic, topic, !named.contains(table)));
            } else if (!paired.contains(topic) && !isOwn(topic)) {
                gaps.add(new Gap(
                    "input", topic, "From which table the records of this topic come is not known."));
            }
        }
        Set<String> captured = new LinkedHashSet<>(misspelt);
        pairs.forEach(pair -> captured.add(pair.table));
        tables().stream().filter(table -> !captured.contains(table)).forEach(
            table -> pairs.add(new TablePair(table, "", "", false)));
        reportUnmatched(pairs);
        return pairs;
    }

    /** A pattern that no table matches that is known: its tables show with their records. */
    private void reportUnmatched(List<TablePair> pairs) {
        for (String pattern : Template.patterns(row.text("tables", ""), config)) {
            if (pairs.stream().noneMatch(pair -> matches(pattern, pair.table))) {
                gaps.add(new Gap("input", pattern, "No record has shown yet which tables this pattern matches."));
            }
        }
    }

    /** Whether a pattern of a list, which may omit the database, matches a table. */
    private static boolean matches(String pattern, String table) {
        try {
            return Pattern.compile("(?:.*\\.)?(?:" + pattern + ")", Pattern.CASE_INSENSITIVE).matcher(table).matches();
        } catch (PatternSyntaxException error) {
            return false;
        }
    }

    /** The one table that the connector reads, if it is one and no pattern; else empty. */
    private String onlyTable() {
        List<String> tables = tables();
        boolean isOne = Template.hasSingleEntries(row.text("tables", ""), config) && tables.size() == 1;
        return isOne && row.has("own_topics") ? tables.get(0) : "";
    }

    /** Whether a topic is for the connector's own use: heartbeats, transactions. */
    boolean isOwn(String topic) {
        for (Object template : row.list("own_topics")) {
            for (String own : Template.expand(template.toString(), config, Map.of())) {
                if (topic.equals(own) || topic.equals(chain.route(own))) {
                    return true;
                }
            }
        }
        return false;
    }

    private String delimiter() {
        List<String> found = Template.expand(row.text("delimiter", "{=.}"), config, Map.of());
        return found.isEmpty() ? "." : found.get(0);
    }

    /** The table in a topic's name; empty for a connector's own topics, and for a renamed one. */
    private String captured(String topic) {
        String origin = origins.getOrDefault(topic, chain.originOf(topic));
        if (origin.isEmpty() || isOwn(origin)) {
            return "";
        }
        for (Object each : row.list("topics")) {
            String table = captured(origin, each.toString());
            if (!table.isEmpty()) {
                return table;
            }
        }
        return "";
    }

    /** The table in a topic's name by one pattern, between what stands before and after it. */
    private String captured(String topic, String pattern) {
        Matcher variable = NAMES_TABLE.matcher(pattern);
        if (!variable.find()) {
            return "";
        }
        for (String start : Template.expand(pattern.substring(0, variable.start()), config, Map.of())) {
            for (String end : Template.expand(pattern.substring(variable.end()), config, Map.of())) {
                int length = topic.length() - end.length();
                boolean isMatch = topic.startsWith(start) && topic.endsWith(end) && start.length() <= length;
                String table = isMatch ? tableIn(topic.substring(start.length(), length)) : "";
                if (!table.isEmpty()) {
                    return table;
                }
            }
        }
        return "";
    }

    private String tableIn(String name) {
        String delimiter = delimiter();
        List<String> parts = List.of(name.split(Pattern.quote(delimiter), -1));
        int expected = row.number("parts", 1);
        // Another delimiter than a dot may be part of a name too.
        boolean isTable = parts.size() == expected || delimiter.equals(".") && parts.size() > expected;
        return isTable && !parts.contains("") ? String.join(".", parts) : "";
    }
}
