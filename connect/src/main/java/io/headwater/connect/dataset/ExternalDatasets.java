package io.headwater.connect.dataset;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The names of datasets outside Kafka, by a row of the rules, in a connector's configuration. */
final class ExternalDatasets {
    /** A database or a schema that is not known; tables in it have no name. */
    private static final String UNKNOWN = "?";
    private static final Pattern GROUP = Pattern.compile("\\(\\?<(\\w+)>");

    private final ConnectorRow row;
    private final List<ConnectorRow> urls;
    private final Map<String, String> config;

    ExternalDatasets(ConnectorRow row, List<ConnectorRow> urls, Map<String, String> config) {
        this.row = row;
        this.urls = urls;
        this.config = config;
    }

    /** The datasets of a table and a topic, either of them empty where it is not known. */
    List<External> named(String table, String topic, boolean isGuessed) {
        Map<String, String> local = new LinkedHashMap<>();
        put(local, "table", table);
        put(local, "topic", topic);
        List<External> found = new ArrayList<>();
        for (DatasetName[] names : names(local)) {
            found.add(new External(names[0], names[1], isGuessed));
        }
        return found;
    }

    /** Whether a URL is of a kind that has no name, such as a database in memory. */
    boolean isNameless() {
        for (String url : Template.expand(row.text("url", "{@nothing}"), config, Map.of())) {
            for (ConnectorRow rule : urls) {
                if (rule.text("namespace", "").equals("{@nothing}") && url.matches(rule.text("pattern", ""))) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether the schema of a table is only the usual one: no setting names it. */
    boolean isSchemaAssumed(String table) {
        return !above("").containsKey("schema") && names(Map.of("table", table, "schema", UNKNOWN)).isEmpty();
    }

    /** Database and schema, where settings besides the address name them. */
    private Map<String, String> above(String topic) {
        Map<String, String> above = new LinkedHashMap<>();
        List<?> schema = row.list("schema");
        if (!schema.isEmpty() && !Template.expand(schema.get(0).toString(), config, Map.of()).isEmpty()) {
            List<String> schemas = Template.expand(schema.get(1).toString(), config, Map.of());
            above.put("schema", schemas.size() == 1 ? schemas.get(0) : UNKNOWN);
        }
        for (String key : Template.expand(row.text("database_key", "{@nothing}"), Map.of(), Map.of("topic", topic))) {
            put(above, "database", config.getOrDefault(key, ""));
        }
        return above;
    }

    private static void put(Map<String, String> local, String key, String value) {
        if (!value.isEmpty()) {
            local.put(key, value);
        }
    }

    /** Each name with its other name, or null. */
    private List<DatasetName[]> names(Map<String, String> local) {
        String table = local.get("table");
        if (row.has("location") && table != null) {
            for (String place : Template.expand(row.text("location", ""), config, local)) {
                return List.<DatasetName[]>of(atLocation(place, table));
            }
        }
        List<DatasetName[]> found = new ArrayList<>();
        if (row.has("url")) {
            Map<String, String> known = above(local.getOrDefault("topic", ""));
            known.putAll(local);
            for (String url : Template.expand(row.text("url", ""), config, Map.of())) {
                found.addAll(at(url, known));
            }
            return found;
        }
        boolean isFolder = row.text("is_folder", "false").equals("true");
        for (String namespace : Template.expand(row.text("namespace", ""), config, local)) {
            for (String name : Template.expand(row.text("name", ""), config, local)) {
                if (!name.isEmpty()) {
                    found.add(new DatasetName[] {ExternalNames.ofSystem(namespace, name, isFolder), null});
                }
            }
        }
        return found;
    }

    private DatasetName[] atLocation(String place, String table) {
        String suffix = row.holds("suffix_where", config) ? row.text("database_suffix", "") : "";
        String root = row.holds("root_where", config) ? row.text("root_database", "") : "";
        List<String> catalogs = Template.expand(row.text("catalog", "{@nothing}"), config, Map.of());
        boolean isCatalog = !catalogs.isEmpty() && row.holds("catalog_where", config);
        DatasetName other = isCatalog
            ? ExternalNames.ofCatalog(catalogs.get(0), table)
            : ExternalNames.inCatalog(place, table);
        return new DatasetName[] {ExternalNames.ofTableIn(place, table, suffix, root), other};
    }

    /** The table at a URL, without the URL's user and options. */
    private List<DatasetName[]> at(String url, Map<String, String> local) {
        // A row may have a pattern of its own, for addresses that only it understands.
        for (ConnectorRow rule : row.has("pattern") ? List.of(row) : urls) {
            Matcher match = Pattern.compile(rule.text("pattern", "")).matcher(url);
            if (match.matches()) {
                return behind(rule, match, local);
            }
        }
        return List.of();
    }

    private List<DatasetName[]> behind(ConnectorRow rule, Matcher match, Map<String, String> local) {
        Map<String, String> parts = new LinkedHashMap<>();
        Matcher group = GROUP.matcher(rule.text("pattern", ""));
        while (group.find()) {
            String value = match.group(group.group(1));
            put(parts, group.group(1), value == null ? "" : value);
        }
        parts.putAll(local);
        boolean isFolder = rule.isTrue("is_folder");
        List<DatasetName[]> found = new ArrayList<>();
        for (String namespace : Template.expand(rule.text("namespace", ""), config, parts)) {
            for (String name : names(rule, parts)) {
                found.add(new DatasetName[] {ExternalNames.ofSystem(namespace, name, isFolder), null});
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
        List<String> within = Template.expand(rule.text("within", "{=}"), config, parts);
        String name = ExternalNames.inDatabase(within.isEmpty() ? "" : within.get(0), parts.get("table"));
        return List.of(name.split("\\.")).contains(UNKNOWN) ? List.of() : List.of(name);
    }
}
