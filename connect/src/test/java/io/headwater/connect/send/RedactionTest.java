package io.headwater.connect.send;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.headwater.connect.SharedCases;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.config.ConfigDef;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RedactionTest {
    static Stream<Map<String, Object>> secrets() {
        return SharedCases.of("secrets");
    }

    static Stream<Map<String, Object>> displays() {
        return SharedCases.of("displays");
    }

    static Stream<Map<String, Object>> traces() {
        return SharedCases.of("traces");
    }

    @ParameterizedTest
    @MethodSource("secrets")
    void secretsAreNotShown(Map<String, Object> each) {
        String key = each.get("key").toString();
        assertEquals(Map.of(key, each.get("shown")), Redaction.shown(Map.of(key, each.get("value").toString())));
    }

    @ParameterizedTest
    @MethodSource("displays")
    void aConfigurationIsDisplayedWithoutSecrets(Map<String, Object> each) {
        assertEquals(texts(each, "displayed"), Redaction.displayed(texts(each, "config"), types(each)));
    }

    @ParameterizedTest
    @MethodSource("traces")
    void tracesHaveNoSecretOfTheConfiguration(Map<String, Object> each) {
        String text = each.get("text").toString();
        assertEquals(each.get("clean"), Redaction.text(text, Redaction.secrets(texts(each, "config"), types(each))));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, String> texts(Map<String, Object> each, String key) {
        return (Map<String, String>) each.get(key);
    }

    private static Map<String, ConfigDef.Type> types(Map<String, Object> each) {
        Map<String, ConfigDef.Type> types = new HashMap<>();
        texts(each, "types").forEach((key, type) -> types.put(key, ConfigDef.Type.valueOf(type)));
        return types;
    }
}
