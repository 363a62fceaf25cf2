package io.headwater.connect.dataset;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.headwater.connect.SharedCases;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ConnectorKnowledgeTest {
    static Stream<Map<String, Object>> connectors() {
        return SharedCases.of("connectors");
    }

    @ParameterizedTest
    @MethodSource("connectors")
    @SuppressWarnings("unchecked")
    void aConnectorIsDescribed(Map<String, Object> each) {
        ConnectorKnowledge knowledge = new ConnectorKnowledge((List<?>) each.getOrDefault("rows", List.of()));
        Set<String> seen = new LinkedHashSet<>((List<String>) each.getOrDefault("seen", List.of()));
        Described found = knowledge.describe((Map<String, String>) each.get("config"), seen, "", new RecordRoutes());
        assertEquals(each.get("role"), found.isSink ? "sink" : "source");
        assertEquals(each.getOrDefault("guessed", false), found.isGuessed);
        assertEquals(new TreeSet<>((List<String>) each.get("topics")), new TreeSet<>(found.topics));
        Set<String> externals = new TreeSet<>();
        found.externals.forEach(external -> externals.add(written(external)));
        Set<String> expected = new TreeSet<>();
        ((List<List<?>>) each.get("externals")).forEach(external -> expected.add(written(external)));
        assertEquals(expected, externals);
        Set<String> guessed = new TreeSet<>();
        found.externals.stream().filter(external -> external.isGuessed).forEach(external -> guessed.add(external.name.name));
        assertEquals(new TreeSet<>((List<String>) each.getOrDefault("guessed_names", List.of())), guessed);
        Set<String> gaps = new TreeSet<>();
        found.gaps.forEach(gap -> gaps.add(gap.toString()));
        Set<String> expectedGaps = new TreeSet<>();
        ((List<?>) each.getOrDefault("gaps", List.of())).forEach(gap -> expectedGaps.add(gap.toString()));
        assertEquals(expectedGaps, gaps);
    }

    private static String written(External external) {
        List<Object> parts = new ArrayList<>();
        parts.add(external.name.namespace);
        parts.add(external.name.name);
        parts.add(new TreeSet<>(external.topics()));
        if (external.other != null) {
            parts.add(external.other.namespace);
            parts.add(external.other.name);
        }
        return parts.toString();
    }

    private static String written(List<?> external) {
        List<Object> parts = new ArrayList<>(external);
        parts.set(2, new TreeSet<>((List<?>) external.get(2)));
        return parts.toString();
    }
}
