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

/** The tables that a sink writes to, by the topics of its records, by a row of the rules. */
final class SinkTables {
    private final ConnectorRow row;
    private final Map<String, String> config;
    private final Set<Gap> gaps = new LinkedHashSet<>();

    SinkTables(ConnectorRow row, Map<String, String> config) {
        this.row = row;
        this.config = config;
    }

    /** The topics whose table is not known. */
    Set<Gap> gaps() {
        return gaps;
    }

    /** The table of a topic, as it is after all transforms; empty where it is not known. */
    String tableOf(String topic) {
        if (topic.isEmpty()) {
            return "";
        }
        String stated = stated(topic);
        if (!stated.isEmpty()) {
            return spelled(stated);
        }
        if (isMapComplete()) {
            return unknown(topic, "The list of tables has none for this topic.");
        }
        if (row.has("qualifier") && topic.contains(row.text("qualifier", ""))) {
            return topic.replace(row.text("qualifier", ""), ".");
        }
        if (row.has("valid") && !topic.matches(row.text("valid", ""))) {
            return unknown(topic, "The connector gives a table another name than that of this topic.");
        }
        List<String> names =
            Template.expand(row.text("table", "{@topic}"), config, Map.of("topic", written(topic)));
        if (!names.isEmpty() && names.get(0).contains("${")) {
            return unknown(names.get(0), "The name of the table is in fields of the records.");
        }
        return names.isEmpty() ? "" : spelled(sanitized(names.get(0), "sanitized_name"));
    }

    /** The tables of a topic: keys of the configuration may name several. */
    List<String> tablesOf(String topic) {
        if (!row.has("table_keys")) {
            return List.of(tableOf(topic));
        }
        List<String> found = new ArrayList<>();
        Pattern keys = Pattern.compile(row.text("table_keys", ""));
        for (String key : new TreeSet<>(config.keySet())) {
            Matcher match = keys.matcher(key);
            if (match.matches() && match.group("topic").equals(topic)) {
                found.add(match.group("table"));
            }
        }
        return found.isEmpty() ? List.of(unknown(topic, "No setting names a table for this topic.")) : found;
    }

    private String unknown(String name, String sentence) {
        gaps.add(new Gap("output", name, sentence));
        return "";
    }

    /** A table as its system spells it, which may depend on quotes. */
    private String spelled(String table) {
        String bare = table.replaceAll("[`\"\\[\\]]", "");
        if (row.isTrue("is_upper") && bare.equals(table)) {
            return table.toUpperCase(Locale.ROOT);
        }
        return row.isTrue("is_lower") ? bare.toLowerCase(Locale.ROOT) : bare;
    }

    /** Whether a list of tables is given, and topics that are not in it have none. */
    private boolean isMapComplete() {
        return row.isTrue("is_map_complete") && row.map("table_maps").keySet().stream().anyMatch(
            key -> !config.getOrDefault(key.toString(), "").isEmpty());
    }

    /** The table that the configuration gives a topic: by a list of pairs, or a key of it. */
    private String stated(String topic) {
        for (String key : Template.expand(row.text("table_key", "{@nothing}"), Map.of(), Map.of("topic", topic))) {
            String found = config.getOrDefault(key, "");
            if (!found.isEmpty()) {
                return found;
            }
        }
        for (Map.Entry<?, ?> each : row.map("table_maps").entrySet()) {
            String separator = each.getValue().toString();
            for (String entry : Template.entries(config.get(each.getKey().toString()))) {
                int at = entry.lastIndexOf(separator);
                if (at > 0 && isOf(entry.substring(0, at).trim(), topic)) {
                    List<String> above = Template.expand(row.text("map_within", "{=}"), config, Map.of());
                    String table = entry.substring(at + separator.length()).trim();
                    return above.isEmpty() || above.get(0).isEmpty() ? table : above.get(0) + "." + table;
                }
            }
        }
        return "";
    }

    /** A topic as it is written into the name of a table. */
    private String written(String topic) {
        String name = row.has("dots") ? topic.replace(".", row.text("dots", "")) : topic;
        boolean isChanged = row.has("sanitized") && row.holds("sanitized_where", config);
        name = sanitized(name, "sanitized");
        return isChanged && Character.isDigit(name.charAt(0)) ? "_" + name : name;
    }

    private String sanitized(String name, String key) {
        boolean isChanged = row.has(key) && row.holds("sanitized_where", config);
        return isChanged ? name.replaceAll(row.text(key, ""), "_") : name;
    }

    private static boolean isOf(String pattern, String topic) {
        try {
            return pattern.equals(topic) || Pattern.matches(pattern, topic);
        } catch (PatternSyntaxException error) {
            return false;
        }
    }
}
