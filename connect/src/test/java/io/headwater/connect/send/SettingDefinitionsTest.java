package io.headwater.connect.send;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingDefinitionsTest {
    private static List<String> errors(String key, String value) {
        Map<String, String> given = new HashMap<>();
        given.put(key, value);
        return SettingDefinitions.get().validateAll(given).get(key).errorMessages();
    }

    @ParameterizedTest
    @CsvSource({
        "url, server:5000", "url, ftp://server", "url, http://", "gzip, yes", "transport, pigeon",
        "heartbeat.seconds, soon", "heartbeat.seconds, 0", "key.converter.schema.read, 1",
        "value.converter.schema.registry.url, schema:8081"})
    void aBadValueIsRefused(String key, String value) {
        assertEquals(1, errors(key, value).size());
    }

    @ParameterizedTest
    @CsvSource({
        "url, http://server:5000/api", "url, https://server", "gzip, FALSE", "transport, kafka",
        "heartbeat.seconds, 0.5", "value.converter.schema.registry.url, 'http://a:1, http://b:1'", "url, ''"})
    void aGoodValueIsNot(String key, String value) {
        assertEquals(List.of(), errors(key, value));
    }

    @Test
    void aPasswordInAnAddressIsNotRepeated() {
        assertFalse(errors("url", "me:hush@server").toString().contains("hush"));
    }

    @Test
    void keysThatDoNotExistAreKnownAsSuch() {
        Set<String> keys = Set.of("type", "predicate", "negate", "url", "transport.producer.acks", "urll");
        assertEquals(Set.of("urll"), SettingDefinitions.unknown(keys));
    }

    @Test
    void whatIsWrongWithAWorkerIsOneSentenceEach() {
        Set<String> problems = SettingDefinitions.problems(
            Map.of("poll.seconds", "often", "hartbeat", "5", "url", "http://server", "transport.producer.acks", "all"));
        assertEquals(2, problems.size());
        assertTrue(problems.toString().contains("headwater.hartbeat is not known"));
        assertTrue(problems.toString().contains("headwater.poll.seconds"));
    }
}
