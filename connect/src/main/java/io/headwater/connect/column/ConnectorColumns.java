package io.headwater.connect.column;

import io.headwater.connect.dataset.ConnectorKnowledge;
import io.headwater.connect.dataset.ConnectorRow;
import io.headwater.connect.dataset.Gap;
import io.headwater.connect.dataset.Template;
import io.headwater.connect.dataset.TransformChain;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Each column that a connector writes, with those it comes from; none where that is not known. */
public final class ConnectorColumns {
    private static final Map<?, ?> KNOWN = (Map<?, ?>) ConnectorKnowledge.SHIPPED.get("columns");
    private static final String NOT_KNOWN = "What this transform does to the columns of records is not known.";

    /** The columns that are written, by their paths. */
    public final Map<List<String>, List<ColumnOrigin>> columns = new LinkedHashMap<>();
    /** Of a topic that a source writes, those of the key. */
    public final Map<List<String>, List<ColumnOrigin>> keyColumns = new LinkedHashMap<>();
    /** The transform because of which they are not known. */
    public final List<Gap> gaps = new ArrayList<>();

    private final ConnectorRow row;
    private final Map<String, String> config;
    private final TransformChain chain;

    private ConnectorColumns(ConnectorRow row, Map<String, String> config, TransformChain chain) {
        this.row = row == null ? ConnectorRow.EMPTY : row;
        this.config = config;
        this.chain = chain;
    }

    /** Columns that are not known, for a reason. */
    public static ConnectorColumns unknown(Gap gap) {
        ConnectorColumns found = new ConnectorColumns(null, Map.of(), null);
        found.gaps.add(gap);
        return found;
    }

    /** The columns of what a sink writes, from those of a topic's key and value. */
    public static ConnectorColumns ofSink(
        ConnectorRow row,
        Map<String, String> config,
        TransformChain chain,
        String topic,
        List<List<String>> key,
        List<List<String>> value) {
        ConnectorColumns found = new ConnectorColumns(row, config, chain);
        Map<String, PartColumns> record = new HashMap<>();
        record.put("key", PartColumns.ofFields("key", key));
        record.put("value", PartColumns.ofFields("value", value));
        record.put("headers", new PartColumns());
        try {
            record = found.through(topic, record);
            for (Object step : record == null ? List.of() : found.row.list("columns")) {
                record = ColumnSteps.apply((Map<?, ?>) step, "value", config, record);
            }
            if (record != null) {
                found.columns.putAll(record.get("value").named());
            }
        } catch (UnknownColumns error) {
            found.columns.clear();
        }
        return found;
    }

    /**
     * The columns of a topic that a source writes, by its schema, from those of a table.
     *
     * @param topic the one before all transforms, empty where that is not known
     */
    public static ConnectorColumns ofSource(
        ConnectorRow row,
        Map<String, String> config,
        TransformChain chain,
        String table,
        String topic,
        List<List<String>> key,
        List<List<String>> value) {
        ConnectorColumns found = new ConnectorColumns(row, config, chain);
        Map<?, ?> stated = found.row.map("record");
        if (stated.isEmpty() || table.isEmpty()) {
            return found;
        }
        boolean isWhole = found.row.holds("whole_where", config);
        Map<String, PartColumns> record = new HashMap<>();
        record.put("key", ofTable(stated.get("key")));
        record.put("value", ofTable(isWhole ? List.of(List.of()) : stated.get("value")));
        record.put("headers", new PartColumns());
        record = found.through(topic, record);
        if (record != null) {
            found.columns.putAll(found.ofTable(table, record.get("value"), value));
            found.keyColumns.putAll(found.ofTable(table, record.get("key"), key));
        }
        return found;
    }

    private Map<List<String>, List<ColumnOrigin>> ofTable(String table, PartColumns part, List<List<String>> paths) {
        Map<List<String>, List<ColumnOrigin>> found = new LinkedHashMap<>();
        for (List<String> path : paths) {
            StateColumn at = part.find(path);
            List<ColumnOrigin> origins = new ArrayList<>();
            for (ColumnOrigin origin : at == null ? List.<ColumnOrigin>of() : at.origins) {
                if (!origin.path.isEmpty()) {
                    origins.add(onTheWay(table, origin));
                }
            }
            found.put(path, origins);
        }
        return found;
    }

    /** A part of a record in which these paths are a row of a table whose columns are not known. */
    private static PartColumns ofTable(Object paths) {
        PartColumns found = new PartColumns();
        for (Object path : paths instanceof List ? (List<?>) paths : List.of()) {
            List<String> names = new ArrayList<>();
            ((List<?>) path).forEach(name -> names.add(name.toString()));
            found = found.with(names, StateColumn.of(List.of(new ColumnOrigin("value", List.of(), false, false)), true));
        }
        return found;
    }

    /** What the connector itself does to a column: Debezium may mask or shorten it. */
    private ColumnOrigin onTheWay(String table, ColumnOrigin origin) {
        String column = table + "." + String.join(".", origin.path);
        boolean isMasked = isListed(row.text("masked", ""), column);
        return origin.then(isMasked || isListed(row.text("changed", ""), column), isMasked);
    }

    /** Whether settings with such keys list a column: by expressions for its whole name. */
    private boolean isListed(String keys, String column) {
        // A table may be named with its database, and a column without it.
        String shorter = column.substring(column.indexOf('.') + 1);
        return config.entrySet().stream()
            .filter(each -> !keys.isEmpty() && each.getKey().matches(keys))
            .flatMap(each -> Template.entries(each.getValue()).stream())
            .anyMatch(pattern -> matches(pattern, column) || matches(pattern, shorter));
    }

    private static boolean matches(String pattern, String column) {
        try {
            return Pattern.compile(pattern, Pattern.CASE_INSENSITIVE).matcher(column).matches();
        } catch (PatternSyntaxException error) {
            return false;
        }
    }

    /** The columns of a record after all transforms; null, with a gap, where one is not known. */
    private Map<String, PartColumns> through(String topic, Map<String, PartColumns> before) {
        Map<String, PartColumns> record = before;
        for (Map.Entry<String, String> each : chain.withTopics(topic).entrySet()) {
            String type = chain.type(each.getKey());
            String base = type.replaceAll("\\$(Key|Value)$", "");
            if (TransformChain.isOurs(base) || isOneOf(base, KNOWN.get("keep"))) {
                continue;
            }
            Map<String, String> own = chain.settingsOf(each.getKey());
            Map<?, ?> rule = ruleOf(base, own);
            Boolean applies = chain.appliesToRows(each.getKey(), each.getValue());
            if (rule == null || applies == null) {
                String which = "Which records this transform changes is not known.";
                gaps.add(new Gap("operator", type, rule == null ? NOT_KNOWN : which));
                return null;
            }
            try {
                String part = type.endsWith("$Key") ? "key" : "value";
                for (Object step : applies ? (List<?>) rule.get("steps") : List.of()) {
                    record = ColumnSteps.apply((Map<?, ?>) step, part, own, record);
                }
            } catch (UnknownColumns error) {
                gaps.add(new Gap("operator", type, NOT_KNOWN));
                return null;
            }
        }
        return record;
    }

    private static Map<?, ?> ruleOf(String base, Map<String, String> own) {
        for (Object each : (List<?>) KNOWN.get("transforms")) {
            Map<?, ?> rule = (Map<?, ?>) each;
            if (isOneOf(base, rule.get("classes")) && ColumnSteps.isWhere(rule.get("where"), own)) {
                return rule;
            }
        }
        return null;
    }

    private static boolean isOneOf(String type, Object classes) {
        return ((List<?>) classes).stream().anyMatch(known -> ConnectorRow.isAlias(type, known.toString()));
    }
}
