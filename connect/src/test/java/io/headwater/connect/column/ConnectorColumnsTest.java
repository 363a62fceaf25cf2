package io.headwater.connect.column;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.headwater.connect.SharedCases;
import io.headwater.connect.dataset.ConnectorKnowledge;
import io.headwater.connect.dataset.ConnectorRow;
import io.headwater.connect.dataset.TransformChain;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ConnectorColumnsTest {
    private static final ConnectorKnowledge KNOWLEDGE = new ConnectorKnowledge(List.of());

    static Stream<Map<String, Object>> columns() {
        return SharedCases.of("/column_cases.json", "columns");
    }

    @ParameterizedTest
    @MethodSource("columns")
    void columnsAreFollowed(Map<String, Object> each) {
        ConnectorColumns found = followed(each);
        assertEquals(expected(each.get("columns")), written(found.columns));
        assertEquals(expected(each.getOrDefault("key_columns", Map.of())), written(found.keyColumns));
        List<String> gaps = new ArrayList<>();
        found.gaps.forEach(gap -> gaps.add(gap.toString()));
        List<String> expectedGaps = new ArrayList<>();
        ((List<?>) each.getOrDefault("gaps", List.of())).forEach(gap -> expectedGaps.add(gap.toString()));
        assertEquals(expectedGaps, gaps);
    }

    private static Map<String, TreeSet<String>> written(Map<List<String>, List<ColumnOrigin>> columns) {
        Map<String, TreeSet<String>> all = new TreeMap<>();
        columns.forEach((path, origins) -> {
            TreeSet<String> written = new TreeSet<>();
            origins.forEach(origin -> written.add(written(origin)));
            all.put(String.join("/", path), written);
        });
        return all;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, TreeSet<String>> expected(Object stated) {
        Map<String, TreeSet<String>> all = new TreeMap<>();
        ((Map<String, List<String>>) stated).forEach((path, of) -> all.put(path, new TreeSet<>(of)));
        return all;
    }

    @SuppressWarnings("unchecked")
    private static ConnectorColumns followed(Map<String, Object> each) {
        Map<String, String> config = (Map<String, String>) each.get("config");
        ConnectorRow row = KNOWLEDGE.rowOf(config);
        TransformChain chain = new TransformChain(config);
        String topic = each.get("topic").toString();
        List<List<String>> key = paths((List<String>) each.get("key"));
        List<List<String>> value = paths((List<String>) each.get("value"));
        if (each.containsKey("table")) {
            String table = each.get("table").toString();
            return ConnectorColumns.ofSource(row, config, chain, table, topic, key, value);
        }
        return ConnectorColumns.ofSink(row, config, chain, topic, key, value);
    }

    private static List<List<String>> paths(List<String> texts) {
        List<List<String>> found = new ArrayList<>();
        texts.forEach(text -> found.add(text.isEmpty() ? List.of() : List.of(text.split("/"))));
        return found;
    }

    private static String written(ColumnOrigin origin) {
        String part = origin.part.equals("value") ? "" : origin.part + ":";
        String mark = origin.isMasked ? " !" : origin.isChanged ? " ~" : "";
        return part + String.join("/", origin.path) + mark;
    }
}
