package io.headwater.connect.column;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The columns of one part of a record, by their paths; never changed in place.
 *
 * <p>Where the columns are not known beforehand, a path stands for all that is below it. Joined are
 * such paths after their names were joined into one, by the beginning of these names.
 */
final class PartColumns {
    private static final List<String> WHOLE = List.of();

    final Map<List<String>, StateColumn> columns;
    final Map<String, StateColumn> joined;

    PartColumns(Map<List<String>, StateColumn> columns, Map<String, StateColumn> joined) {
        this.columns = columns;
        this.joined = joined;
    }

    PartColumns() {
        this(Map.of(), Map.of());
    }

    /** All columns of a schema that is known. */
    static PartColumns ofFields(String part, List<List<String>> paths) {
        Map<List<String>, StateColumn> found = new LinkedHashMap<>();
        for (List<String> path : paths) {
            found.put(path, StateColumn.of(List.of(new ColumnOrigin(part, path, false, false)), false));
        }
        return new PartColumns(found, Map.of());
    }

    /** The columns; throws UnknownColumns if they are not all known. */
    Map<List<String>, List<ColumnOrigin>> named() {
        if (!joined.isEmpty() || columns.values().stream().anyMatch(each -> each.isOpen)) {
            throw new UnknownColumns();
        }
        Map<List<String>, List<ColumnOrigin>> found = new LinkedHashMap<>();
        columns.forEach((path, each) -> {
            if (!each.isAbsent) {
                found.put(path, each.origins);
            }
        });
        return found;
    }

    /** What is at a path: itself, or what it is a part of; null if there is nothing. */
    StateColumn find(List<String> path) {
        for (int length = path.size(); length >= 0; length--) {
            StateColumn found = columns.get(path.subList(0, length));
            if (found != null) {
                return found.isAbsent ? null : found.below(path.subList(length, path.size()));
            }
        }
        String longest = null;
        for (String start : path.isEmpty() ? List.<String>of() : joined.keySet()) {
            boolean isLonger = longest == null || start.length() > longest.length();
            longest = path.get(0).startsWith(start) && isLonger ? start : longest;
        }
        if (longest == null) {
            return null;
        }
        List<String> rest = new ArrayList<>(path);
        rest.set(0, rest.get(0).substring(longest.length()));
        return joined.get(longest).below(rest);
    }

    /** All columns at and below a path, by what their paths have more than it. */
    Map<List<String>, StateColumn> take(List<String> path) {
        Map<List<String>, StateColumn> below = new LinkedHashMap<>();
        columns.forEach((each, column) -> {
            if (startsWith(each, path)) {
                below.put(each.subList(path.size(), each.size()), column);
            }
        });
        StateColumn found = below.containsKey(WHOLE) ? null : find(path);
        if (found != null) {
            below.put(WHOLE, found);
        }
        return below;
    }

    PartColumns with(List<String> path, StateColumn column) {
        return with(path, Map.of(WHOLE, column));
    }

    /** With other columns at and below a path. */
    PartColumns with(List<String> path, Map<List<String>, StateColumn> added) {
        Map<List<String>, StateColumn> found = new LinkedHashMap<>();
        columns.forEach((each, column) -> {
            if (!startsWith(each, path)) {
                found.put(each, column);
            }
        });
        added.forEach((rest, column) -> {
            List<String> whole = new ArrayList<>(path);
            whole.addAll(rest);
            found.put(whole, column);
        });
        return new PartColumns(found, joined);
    }

    /** All columns at and below each of some names; the names that have any. */
    Map<String, Map<List<String>, StateColumn>> takeEach(Collection<String> names) {
        Map<String, Map<List<String>, StateColumn>> found = new LinkedHashMap<>();
        names.forEach(name -> found.put(name, new LinkedHashMap<>()));
        columns.forEach((path, column) -> {
            if (!path.isEmpty() && found.containsKey(path.get(0))) {
                found.get(path.get(0)).put(path.subList(1, path.size()), column);
            }
        });
        found.forEach((name, below) -> {
            StateColumn whole = below.containsKey(WHOLE) ? null : find(List.of(name));
            if (whole != null) {
                below.put(WHOLE, whole);
            }
        });
        found.values().removeIf(Map::isEmpty);
        return found;
    }

    PartColumns without(Set<String> names) {
        PartColumns found = withEach(names, Map.of());
        for (String name : names) {
            if (found.find(List.of(name)) != null) {
                found.columns.put(List.of(name), StateColumn.ABSENT);
            }
        }
        return found;
    }

    /** With other columns at and below some names. */
    PartColumns withEach(Map<String, Map<List<String>, StateColumn>> added) {
        return withEach(added.keySet(), added);
    }

    private PartColumns withEach(Set<String> names, Map<String, Map<List<String>, StateColumn>> added) {
        Map<List<String>, StateColumn> found = new LinkedHashMap<>();
        columns.forEach((path, column) -> {
            if (path.isEmpty() || !names.contains(path.get(0))) {
                found.put(path, column);
            }
        });
        added.forEach((name, below) -> below.forEach((rest, column) -> {
            List<String> path = new ArrayList<>(List.of(name));
            path.addAll(rest);
            found.put(path, column);
        }));
        return new PartColumns(found, joined);
    }

    /** With all columns changed. */
    PartColumns changed(boolean isMasked) {
        Map<List<String>, StateColumn> found = new LinkedHashMap<>();
        columns.forEach((path, column) -> found.put(path, column.changed(isMasked)));
        Map<String, StateColumn> starts = new LinkedHashMap<>();
        joined.forEach((start, column) -> starts.put(start, column.changed(isMasked)));
        return new PartColumns(found, starts);
    }

    /** With the names of paths joined, as far as these are known. */
    PartColumns flat(String delimiter) {
        Map<List<String>, StateColumn> found = new LinkedHashMap<>();
        Map<String, StateColumn> starts = new LinkedHashMap<>(joined);
        columns.forEach((path, column) -> {
            String name = String.join(delimiter, path);
            found.put(path.isEmpty() ? WHOLE : List.of(name), column);
            if (column.isOpen && !path.isEmpty()) {
                starts.put(name + delimiter, column);
            }
        });
        return new PartColumns(found, starts);
    }

    /** The names at the top. */
    List<String> names() {
        TreeSet<String> found = new TreeSet<>();
        named().keySet().stream().filter(path -> !path.isEmpty()).forEach(path -> found.add(path.get(0)));
        return new ArrayList<>(found);
    }

    private static boolean startsWith(List<String> path, List<String> start) {
        return path.size() >= start.size() && path.subList(0, start.size()).equals(start);
    }
}
