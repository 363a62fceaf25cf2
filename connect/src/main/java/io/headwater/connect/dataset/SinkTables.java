package io.headwater.connect.dataset;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
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
            return stated;
        }
        if (row.has("qualifier") && topic.contains(row.text("qualifier", ""))) {
            return topic.replace(row.text("qualifier", ""), ".");
        }
        if (row.has("valid") && !topic.matches(row.text("valid", ""))) {
            gaps.add(new Gap("output", topic, "The connector gives a table another name than that of this topic."));
            return "";
        }
        List<String> names =
            Template.expand(row.text("table", "{@topic}"), config, Map.of("topic", written(topic)));
        if (!names.isEmpty() && names.get(0).contains("${")) {
            gaps.add(new Gap("output", names.get(0), "The name of the table is in fields of the records."));
            return "";
        }
        String table = names.isEmpty() ? "" : names.get(0).replaceAll("[`\"\\[\\]]", "");
        return row.isTrue("is_lower") ? table.toLowerCase(Locale.ROOT) : table;
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
        if (row.has("sanitized") && row.holds("sanitized_where", config)) {
            name = name.replaceAll(row.text("sanitized", ""), "_");
            name = Character.isDigit(name.charAt(0)) ? "_" + name : name;
        }
        return name;
    }

    private static boolean isOf(String pattern, String topic) {
        try {
            return pattern.equals(topic) || Pattern.matches(pattern, topic);
        } catch (PatternSyntaxException error) {
            return false;
        }
    }
}
