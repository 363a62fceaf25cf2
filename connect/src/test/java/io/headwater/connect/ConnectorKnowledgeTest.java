package io.headwater.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The cases are those of the Python part. */
class ConnectorKnowledgeTest {
    @SuppressWarnings("unchecked")
    private static Stream<Map<String, Object>> cases(String kind) {
        try (InputStream file = ConnectorKnowledgeTest.class.getResourceAsStream("/connector_cases.json")) {
            return ((List<Map<String, Object>>) new ObjectMapper().readValue(file, Map.class).get(kind)).stream();
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    static Stream<Map<String, Object>> connectors() {
        return cases("connectors");
    }

    static Stream<Map<String, Object>> secrets() {
        return cases("secrets");
    }

    static Stream<Map<String, Object>> runs() {
        return cases("runs");
    }

    @ParameterizedTest
    @MethodSource("connectors")
    @SuppressWarnings("unchecked")
    void aConnectorIsDescribed(Map<String, Object> each) {
        ConnectorKnowledge knowledge = new ConnectorKnowledge((List<?>) each.getOrDefault("rows", List.of()));
        Set<String> seen = new LinkedHashSet<>((List<String>) each.getOrDefault("seen", List.of()));
        Described found = knowledge.describe((Map<String, String>) each.get("config"), seen, "");
        assertEquals(each.get("role"), found.isSink ? "sink" : "source");
        assertEquals(each.getOrDefault("guessed", false), found.isGuessed);
        assertEquals(new TreeSet<>((List<String>) each.get("topics")), new TreeSet<>(found.topics));
        Set<String> externals = new TreeSet<>();
        found.externals.forEach(external -> externals.add(written(external)));
        Set<String> expected = new TreeSet<>();
        ((List<List<?>>) each.get("externals")).forEach(external -> expected.add(written(external)));
        assertEquals(expected, externals);
    }

    private static String written(External external) {
        List<Object> parts = new ArrayList<>();
        parts.add(external.name.namespace);
        parts.add(external.name.name);
        parts.add(new TreeSet<>(external.topics));
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

    @ParameterizedTest
    @MethodSource("secrets")
    void secretsAreNotShown(Map<String, Object> each) {
        String key = each.get("key").toString();
        assertEquals(Map.of(key, each.get("shown")), Redaction.shown(Map.of(key, each.get("value").toString())));
    }

    @ParameterizedTest
    @MethodSource("runs")
    @SuppressWarnings("unchecked")
    void aRunHasTheSameIdForAllWhoSeeIt(Map<String, Object> each) {
        String id = RunId.of(
            (String) each.get("kafka_cluster"),
            (String) each.get("connect_cluster"),
            (String) each.get("connector"),
            Redaction.shown((Map<String, String>) each.get("config"))).toString();
        assertEquals(each.get("id"), id);
    }
}
