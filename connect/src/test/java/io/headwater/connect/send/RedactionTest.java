package io.headwater.connect.send;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.headwater.connect.SharedCases;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.config.ConfigDef;
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

    private static String trace(String trace, Map<String, String> config, Map<String, ConfigDef.Type> types) {
        return Redaction.text(trace, Redaction.secrets(config, types));
    }

    @Test
    void tracesHaveNoSecretOfTheConfiguration() {
        String trace = "no login for me with pa$$w0rd at jdbc:x://me:word@db\n\tat Some.java:1";
        String clean = trace(trace, Map.of("database.password", "pa$$w0rd", "topics", "login"), Map.of());
        assertEquals("no login for me with *** at jdbc:x://***@db\n\tat Some.java:1", clean);
    }

    @Test
    void aSecretInsideOfAnAddressIsFoundByItself() {
        Map<String, String> config = Map.of(
            "connection.uri", "mongodb://u:p@PW12@m1", "connection.url", "jdbc:oracle:thin:scott/tiger@//db/X",
            "http.api.url", "https://api?key=abcd1234");
        assertEquals("bad *** and *** and ***", trace("bad p@PW12 and tiger and abcd1234", config, Map.of()));
    }

    @Test
    void aSecretThatIsShortIsNotLookedForInATrace() {
        assertEquals("a b", trace("a b", Map.of("database.password", "a"), Map.of()));
    }

    @Test
    void whatAPluginDefinesAsPasswordIsHidden() {
        Map<String, String> config = Map.of("pin", "12345", "host", "db.example", "topics", "orders, bids");
        Map<String, ConfigDef.Type> types = Map.of("pin", ConfigDef.Type.PASSWORD, "host", ConfigDef.Type.STRING);
        assertEquals(
            "{host=db.example, pin=***, topics=orders, bids}", Redaction.displayed(config, types).toString());
        assertEquals("no ***", trace("no 12345", config, types));
    }

    @Test
    void ofASettingThatNobodyDefinesOnlyPlainValuesAreShown() {
        Map<String, String> config = Map.of(
            "a", "12", "b", "true", "c", "com.example.Some$Class", "d", "x9-Tz!kk", "e", "eyJhbGciOiJIUzI1.eyJzdWIi.abc",
            "f", "hush", "table.include.list", "public.orders");
        assertEquals(
            "{a=12, b=true, c=com.example.Some$Class, d=***, e=***, f=***, table.include.list=public.orders}",
            Redaction.displayed(config, Map.of()).toString());
    }
}
