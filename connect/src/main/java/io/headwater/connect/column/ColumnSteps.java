package io.headwater.connect.column;

import io.headwater.connect.dataset.Template;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The steps of the rules that describe what a transform does to the columns of records. */
final class ColumnSteps {
    private static final List<String> WHOLE = List.of();
    private static final Pattern NESTED = Pattern.compile("`((?:[^`]|``)+)`(?:\\.|$)|([^.]+)(?:\\.|$)");
    /** What Debezium's short names of added fields are part of; the others are of the source. */
    private static final Set<String> OF_ENVELOPE = Set.of("op", "ts_ms", "ts_us", "ts_ns");
    private static final Set<String> OF_TRANSACTION = Set.of("id", "total_order", "data_collection_order");

    private final Map<?, ?> step;
    private final String part;
    private final Map<String, String> config;
    private final Map<String, PartColumns> record;

    private ColumnSteps(
        Map<?, ?> step, String part, Map<String, String> config, Map<String, PartColumns> record) {
        this.step = step;
        this.part = text("in", step, part);
        this.config = config;
        this.record = record;
    }

    /** The columns after a step, on one part of a record, with the settings of a transform. */
    static Map<String, PartColumns> apply(
        Map<?, ?> step, String part, Map<String, String> config, Map<String, PartColumns> record) {
        if (!isWhere(step.get("where"), config)) {
            return record;
        }
        return new ColumnSteps(step, part, config, record).apply(step.get("do").toString());
    }

    /** The first of some settings that has a value, or the default among them. */
    private static String setting(String keys, Map<String, String> config) {
        for (String key : keys.split("\\|")) {
            if (key.startsWith("=")) {
                return key.substring(1);
            }
            String value = config.get(key);
            if (value != null && !value.isEmpty()) {
                return value;
            }
        }
        return "";
    }

    static boolean isWhere(Object conditions, Map<String, String> config) {
        return !(conditions instanceof Map) || ((Map<?, ?>) conditions).entrySet().stream().allMatch(each ->
            setting(each.getKey().toString(), config).matches(each.getValue().toString()));
    }

    private Map<String, PartColumns> apply(String kind) {
        switch (kind) {
            case "change":
                return with(part, changed());
            case "collapse":
                return with(part, collapsed());
            case "copy":
                return copied();
            case "embed":
                return with(part, columns().with(paths(step.get("under")), record.get(text("from")).columns));
            case "extract":
                return with(part, extracted());
            case "flatten":
                return with(part, columns().flat(setting(text("delimiter"), config)));
            case "hoist":
                return with(part, hoisted());
            case "insert":
                return with(part, inserted());
            case "parse":
                return parsed();
            case "select":
                return with(part, selected());
            case "unwrap":
                return with(part, unwrapped());
            default:
                throw new UnknownColumns();
        }
    }

    private PartColumns columns() {
        return record.get(part);
    }

    private String text(String key) {
        return text(key, step, "");
    }

    private static String text(String key, Map<?, ?> step, String otherwise) {
        Object found = step.get(key);
        return found == null ? otherwise : found.toString();
    }

    private List<String> entries(String key) {
        return Template.entries(setting(text(key), config));
    }

    private boolean is(String key) {
        return Boolean.TRUE.equals(step.get(key));
    }

    private static List<String> paths(Object names) {
        List<String> found = new ArrayList<>();
        ((List<?>) names).forEach(name -> found.add(name.toString()));
        return found;
    }

    private Map<String, PartColumns> with(String changedPart, PartColumns columns) {
        Map<String, PartColumns> found = new HashMap<>(record);
        found.put(changedPart, columns);
        return found;
    }

    private PartColumns selected() {
        PartColumns found = columns();
        Set<String> only = new LinkedHashSet<>(entries("only"));
        if (!only.isEmpty()) {
            only.addAll(entries("always"));
            found = new PartColumns().withEach(found.takeEach(only));
        }
        found = found.without(new LinkedHashSet<>(entries("drop")));
        // All at once: names may change places.
        Map<String, String> renames = new LinkedHashMap<>();
        for (String rename : entries("rename")) {
            int at = rename.indexOf(':');
            if (at >= 0) {
                renames.put(rename.substring(0, at), rename.substring(at + 1));
            }
        }
        Map<String, Map<List<String>, StateColumn>> taken = found.takeEach(renames.keySet());
        Map<String, Map<List<String>, StateColumn>> renamed = new LinkedHashMap<>();
        taken.forEach((old, columns) -> renamed.put(renames.get(old), columns));
        return found.without(taken.keySet()).withEach(renamed);
    }

    private PartColumns changed() {
        // "field:type" of a cast; a type alone, or no field, is for all of it.
        boolean isPair = text("fields").equals("spec");
        Set<String> names = new LinkedHashSet<>();
        entries("fields").forEach(each -> names.add(isPair ? each.substring(0, Math.max(each.lastIndexOf(':'), 0)) : each));
        if (names.isEmpty() || names.contains("")) {
            return columns().changed(is("masking"));
        }
        Map<String, Map<List<String>, StateColumn>> taken = columns().takeEach(names);
        taken.values().forEach(below -> below.replaceAll((path, column) -> column.changed(is("masking"))));
        return columns().withEach(taken);
    }

    private PartColumns inserted() {
        PartColumns found = columns();
        for (Object templates : (List<?>) step.get("names")) {
            List<String> path = new ArrayList<>();
            for (Object template : (List<?>) templates) {
                // Kafka's InsertField: a mark at the end is not part of the name.
                Template.expand(template.toString(), config, Map.of()).forEach(
                    name -> path.add(name.replaceAll("[?!]$", "")));
            }
            found = path.size() == ((List<?>) templates).size() ? found.with(path, StateColumn.NEW) : found;
        }
        return found;
    }

    private PartColumns hoisted() {
        if (!columns().joined.isEmpty()) {
            throw new UnknownColumns();
        }
        return new PartColumns().with(List.of(setting(text("field"), config)), columns().columns);
    }

    private PartColumns collapsed() {
        Set<ColumnOrigin> origins = new LinkedHashSet<>();
        columns().named().values().forEach(each -> each.forEach(origin -> origins.add(origin.then(true, false))));
        StateColumn whole = StateColumn.of(new ArrayList<>(origins), false);
        return new PartColumns().with(List.of(setting(text("field"), config)), whole);
    }

    private PartColumns extracted() {
        String name = setting(text("field"), config);
        boolean isNested = setting(text("syntax"), config).equalsIgnoreCase("V2");
        return new PartColumns(columns().take(isNested ? nested(name) : List.of(name)), Map.of());
    }

    /** A path of Kafka's second syntax: names with a dot are in backticks. */
    private static List<String> nested(String name) {
        List<String> path = new ArrayList<>();
        Matcher found = NESTED.matcher(name);
        while (found.find()) {
            path.add(found.group(1) == null ? found.group(2) : found.group(1));
        }
        return path;
    }

    private Map<String, PartColumns> copied() {
        String to = text("to", step, part);
        PartColumns source = record.get(text("from", step, part));
        PartColumns target = is("is_new") ? new PartColumns() : record.get(to);
        List<String> names = entries("fields");
        List<String> others = step.containsKey("names") ? entries("names") : names;
        if (is("is_whole")) {
            return with(to, new PartColumns(source.take(names.subList(0, Math.min(names.size(), 1))), Map.of()));
        }
        StateColumn whole = source.columns.get(WHOLE);
        if (whole != null && !whole.isOpen && names.size() == 1 && others.size() == 1) {
            // A key that is one value by itself has the name that the settings give it.
            return with(to, target.with(List.of(others.get(0)), whole));
        }
        if (is("is_all") && names.isEmpty()) {
            names = source.names();
            others = names;
        }
        for (int place = 0; place < Math.min(names.size(), others.size()); place++) {
            Map<List<String>, StateColumn> taken = source.take(List.of(names.get(place)));
            Map<List<String>, StateColumn> copy = taken.isEmpty() ? Map.of(WHOLE, StateColumn.NEW) : taken;
            target = target.with(List.of(others.get(place)), copy);
        }
        return with(to, target);
    }

    /** The new state of a row out of a change event; other records are left as they are. */
    private PartColumns unwrapped() {
        PartColumns event = columns();
        StateColumn whole = event.columns.get(WHOLE);
        Map<List<String>, StateColumn> inside = event.take(List.of(text("field")));
        boolean isEvent = paths(step.get("beside")).stream().anyMatch(name -> !event.take(List.of(name)).isEmpty());
        if (inside.isEmpty() || !isEvent || whole != null && whole.isOpen) {
            return event;
        }
        PartColumns found = new PartColumns(inside, Map.of());
        for (Object pair : step.containsKey("also") ? (List<?>) step.get("also") : List.of()) {
            List<?> sources = ((List<?>) pair).subList(1, ((List<?>) pair).size());
            found = found.with(paths(((List<?>) pair).get(0)), combined(event, sources));
        }
        String prefix = setting(text("prefix"), config);
        for (String each : entries("add")) {
            String[] field = each.split(":", 2);
            String name = field.length > 1 && !field[1].isEmpty() ? field[1] : field[0].replace(".", "_");
            found = found.with(List.of(prefix + name), gathered(event, inEnvelope(field[0])));
        }
        return found;
    }

    private static List<String> inEnvelope(String field) {
        if (field.contains(".")) {
            return List.of(field.split("\\."));
        }
        if (OF_ENVELOPE.contains(field)) {
            return List.of(field);
        }
        return List.of(OF_TRANSACTION.contains(field) ? "transaction" : "source", field);
    }

    /** What is at and below a path as one column. */
    private static StateColumn gathered(PartColumns columns, List<String> path) {
        Set<ColumnOrigin> origins = new LinkedHashSet<>();
        columns.take(path).values().forEach(each -> origins.addAll(each.origins));
        return StateColumn.of(new ArrayList<>(origins), false);
    }

    /** What is at several paths as one column; `a|b` is the first of both that is there. */
    private static StateColumn combined(PartColumns columns, List<?> sources) {
        Set<ColumnOrigin> origins = new LinkedHashSet<>();
        sources.forEach(source -> origins.addAll(gathered(columns, present(columns, paths(source))).origins));
        StateColumn found = StateColumn.of(new ArrayList<>(origins), false);
        return sources.size() > 1 ? found.changed(false) : found;
    }

    private static List<String> present(PartColumns columns, List<String> path) {
        List<String> last = List.of(path.get(path.size() - 1).split("\\|"));
        List<List<String>> choices = new ArrayList<>();
        last.forEach(name -> choices.add(Stream.concat(path.stream().limit(path.size() - 1), Stream.of(name))
            .collect(Collectors.toList())));
        return choices.stream().filter(each -> !columns.take(each).isEmpty()).findFirst().orElse(choices.get(0));
    }

    /** A text that becomes a structure: its fields are not known, and all come from it. */
    private Map<String, PartColumns> parsed() {
        StateColumn text = columns().columns.get(WHOLE);
        if (text == null || text.isOpen) {
            return record;
        }
        throw new UnknownColumns();
    }
}
