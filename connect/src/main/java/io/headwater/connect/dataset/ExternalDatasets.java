package io.headwater.connect.dataset;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The datasets outside Kafka, by a row of the rules, in a connector's configuration. */
final class ExternalDatasets {
    private static final Pattern GROUP = Pattern.compile("\\(\\?<(\\w+)>");
    private static final String TABLE = "{@table}";

    private final ConnectorRow row;
    private final List<ConnectorRow> urls;
    private final Map<String, String> config;

    ExternalDatasets(ConnectorRow row, List<ConnectorRow> urls, Map<String, String> config) {
        this.row = row;
        this.urls = urls;
        this.config = config;
    }

    List<External> of(boolean isSink, Set<String> topics) {
        Map<DatasetName, External> found = new LinkedHashMap<>();
        for (String[] pair : isSink ? written(topics) : read(topics)) {
            Map<String, String> local = new LinkedHashMap<>();
            put(local, "table", pair[0]);
            put(local, "topic", pair[1]);
            for (External each : named(local)) {
                External before = found.computeIfAbsent(each.name, name -> each);
                if (!pair[1].isEmpty()) {
                    before.topics.add(pair[1]);
                }
            }
        }
        return new ArrayList<>(found.values());
    }

    private static void put(Map<String, String> local, String key, String value) {
        if (!value.isEmpty()) {
            local.put(key, value);
        }
    }

    /** Pairs of a table and a topic of a sink, either of them empty where it is not known. */
    private List<String[]> written(Set<String> topics) {
        Set<String> each = topics.isEmpty() ? Set.of("") : topics;
        List<String[]> pairs = new ArrayList<>();
        if (row.has("tables")) {
            for (String table : listed()) {
                each.forEach(topic -> pairs.add(new String[] {table, topic}));
            }
        } else {
            each.forEach(topic -> pairs.add(new String[] {tableOf(topic), topic}));
        }
        return pairs;
    }

    /** The same of a source: tables in the names of its topics, then those that it lists. */
    private List<String[]> read(Set<String> topics) {
        List<String[]> pairs = new ArrayList<>();
        boolean namesTables = row.list("topics").stream().anyMatch(each -> each.toString().contains(TABLE));
        if (!namesTables) {
            (topics.isEmpty() ? Set.of("") : topics).forEach(topic -> pairs.add(new String[] {"", topic}));
            return pairs;
        }
        Set<String> captured = new LinkedHashSet<>();
        for (String topic : topics) {
            String table = captured(topic);
            if (!table.isEmpty()) {
                captured.add(table);
                pairs.add(new String[] {table, topic});
            }
        }
        for (String table : listed()) {
            if (!captured.contains(table)) {
                pairs.add(new String[] {table, ""});
            }
        }
        return pairs;
    }

    private List<String> listed() {
        return row.has("tables") ? Template.expand(row.text("tables", ""), config, Map.of()) : List.of();
    }

    private String tableOf(String topic) {
        if (topic.isEmpty()) {
            return "";
        }
        String written = row.has("dots") ? topic.replace(".", row.text("dots", "")) : topic;
        String template = row.text("table", "{@topic}");
        List<String> names = Template.expand(template, config, Map.of("topic", written));
        return names.isEmpty() ? "" : names.get(0);
    }

    /** The table in a topic's name; empty for a connector's own topics. */
    private String captured(String topic) {
        for (Object each : row.list("topics")) {
            String pattern = each.toString();
            if (!pattern.endsWith(TABLE)) {
                continue;
            }
            String before = pattern.substring(0, pattern.length() - TABLE.length());
            for (String start : Template.expand(before, config, Map.of())) {
                String table = topic.startsWith(start) ? topic.substring(start.length()) : "";
                if (!table.isEmpty() && table.split("\\.", -1).length >= row.number("parts", 1)) {
                    return table;
                }
            }
        }
        return "";
    }

    private List<External> named(Map<String, String> local) {
        String table = local.get("table");
        if (row.has("location") && table != null) {
            for (String place : Template.expand(row.text("location", ""), config, local)) {
                DatasetName other = ExternalNames.inCatalog(place, table);
                return List.of(external(ExternalNames.ofTableIn(place, table, databaseSuffix()), other));
            }
        }
        List<External> found = new ArrayList<>();
        if (row.has("url")) {
            for (String url : Template.expand(row.text("url", ""), config, Map.of())) {
                found.addAll(at(url, local));
            }
            return found;
        }
        for (String namespace : Template.expand(row.text("namespace", ""), config, local)) {
            for (String name : Template.expand(row.text("name", ""), config, local)) {
                if (!name.isEmpty()) {
                    found.add(external(ExternalNames.ofSystem(namespace, name), null));
                }
            }
        }
        return found;
    }

    /** What the catalog appends to the name of a database's folder. */
    private String databaseSuffix() {
        for (Object each : row.list("suffix_where")) {
            String[] pair = each.toString().split("=");
            if (pair[1].equals(config.get(pair[0]))) {
                return row.text("database_suffix", "");
            }
        }
        return "";
    }

    /** The table at a URL, without the URL's user and options. */
    private List<External> at(String url, Map<String, String> local) {
        for (ConnectorRow rule : urls) {
            Matcher match = Pattern.compile(rule.text("pattern", "")).matcher(url);
            if (match.matches()) {
                return behind(rule, match, local);
            }
        }
        return List.of();
    }

    private List<External> behind(ConnectorRow rule, Matcher match, Map<String, String> local) {
        Map<String, String> parts = new LinkedHashMap<>(local);
        Matcher group = GROUP.matcher(rule.text("pattern", ""));
        while (group.find()) {
            String value = match.group(group.group(1));
            put(parts, group.group(1), value == null ? "" : value);
        }
        List<External> found = new ArrayList<>();
        for (String namespace : Template.expand(rule.text("namespace", ""), config, parts)) {
            for (String name : names(rule, parts)) {
                found.add(external(ExternalNames.ofSystem(namespace, name), null));
            }
        }
        return found;
    }

    private List<String> names(ConnectorRow rule, Map<String, String> parts) {
        if (rule.has("name")) {
            return Template.expand(rule.text("name", ""), config, parts);
        }
        if (!parts.containsKey("table")) {
            return List.of();
        }
        List<String> within = Template.expand(rule.text("within", ""), config, parts);
        return List.of(ExternalNames.inDatabase(within.isEmpty() ? "" : within.get(0), parts.get("table")));
    }

    private static External external(DatasetName name, DatasetName other) {
        return new External(name, new LinkedHashSet<>(), other);
    }
}
