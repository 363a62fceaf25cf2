package io.headwater.connect.send;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.headwater.connect.SharedCases;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RedactionTest {
    static Stream<Map<String, Object>> secrets() {
        return SharedCases.of("secrets");
    }

    @ParameterizedTest
    @MethodSource("secrets")
    void secretsAreNotShown(Map<String, Object> each) {
        String key = each.get("key").toString();
        assertEquals(Map.of(key, each.get("shown")), Redaction.shown(Map.of(key, each.get("value").toString())));
    }

    @Test
    void tracesHaveNoSecretOfTheConfiguration() {
        String trace = "no login for me with pa$$w0rd at jdbc:x://me:word@db\n\tat Some.java:1";
        String clean = Redaction.text(trace, Map.of("database.password", "pa$$w0rd", "topics", "login"));
        assertEquals("no login for me with *** at jdbc:x://***@db\n\tat Some.java:1", clean);
    }

    @Test
    void aSecretThatIsShortIsNotLookedForInATrace() {
        assertEquals("a b", Redaction.text("a b", Map.of("database.password", "a")));
    }
}
