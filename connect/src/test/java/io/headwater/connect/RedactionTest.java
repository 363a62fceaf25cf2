package io.headwater.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is a secret is among the cases that the Python part shares. */
class RedactionTest {
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
