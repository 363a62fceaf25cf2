package io.headwater.connect.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.headwater.connect.SharedCases;
import io.headwater.connect.send.Redaction;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RunIdTest {
    static Stream<Map<String, Object>> runs() {
        return SharedCases.of("runs");
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
