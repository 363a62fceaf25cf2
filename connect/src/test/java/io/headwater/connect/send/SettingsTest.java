package io.headwater.connect.send;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingsTest {
    private static final Map<String, String> WORKER = Map.of(
        "bootstrap.servers", "worker:9092", "group.id", "shop", "headwater.url", "http://of-worker", "other", "x");

    @Test
    void theNearestWins() {
        Settings settings = Settings.of(Map.of("OPENLINEAGE_URL", "http://of-environment", "BOOTSTRAP", "b:1"))
            .ofWorker(WORKER)
            .under(Map.of("namespace", "of-transform", "url", " "));
        assertEquals("http://of-worker", settings.get(Settings.URL));
        assertEquals("of-transform", settings.get(Settings.NAMESPACE));
        assertEquals("b:1", settings.get(Settings.BOOTSTRAP));
        assertEquals("http", settings.get(Settings.TRANSPORT));
        assertEquals("", settings.get(Settings.API_KEY));
    }

    @Test
    void theWorkerSaysWhatNobodyElseSays() {
        Settings settings = Settings.of(Map.of()).ofWorker(WORKER);
        assertEquals("kafka-connect://shop", settings.get(Settings.NAMESPACE));
        assertEquals("worker:9092", settings.get(Settings.BOOTSTRAP));
    }

    @Test
    void bothNamesOfTheBootstrapListAreRead() {
        assertEquals("a:1", Settings.of(Map.of("KAFKA_BOOTSTRAP", "a:1", "BOOTSTRAP", "b:1")).get(Settings.BOOTSTRAP));
        assertEquals("b:1", Settings.of(Map.of("BOOTSTRAP", "b:1")).get(Settings.BOOTSTRAP));
    }

    @Test
    void aDurationThatCannotBeReadIsTheUsualOne() {
        assertEquals(60_000_000_000L, Settings.of(Map.of()).under(Map.of("heartbeat.seconds", "soon")).nanos(Settings.HEARTBEAT_SECONDS));
        assertEquals(2_500_000_000L, Settings.of(Map.of()).under(Map.of("heartbeat.seconds", "2.5")).nanos(Settings.HEARTBEAT_SECONDS));
    }
}
