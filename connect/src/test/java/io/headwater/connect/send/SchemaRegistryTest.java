package io.headwater.connect.send;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SchemaRegistryTest {
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final SchemaRegistry registry = new SchemaRegistry();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        Map<String, String> bodies = Map.of(
            "/subjects/a b-value/versions/latest", "{\"version\": 3, \"schema\": \"{\\\"type\\\": \\\"long\\\"}\"}",
            "/subjects/j-value/versions/latest", "{\"version\": 1, \"schemaType\": \"JSON\", \"schema\": \"{}\"}");
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            requests.add(path + " " + exchange.getRequestHeaders().getFirst("Authorization"));
            byte[] body = bodies.getOrDefault(path, "{}").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(bodies.containsKey(path) ? 200 : path.contains("refused") ? 401 : 404, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private SchemaRegistry.Newest newest(String url, String user, String subject) throws InterruptedException {
        assertNull(registry.newest(url, user, subject));
        SchemaRegistry.Newest found = null;
        for (int round = 0; round < 1_000 && found == null; round++) {
            Thread.sleep(10);
            found = registry.newest(url, user, subject);
        }
        return found;
    }

    private String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    @Test
    void theNewestVersionIsReadWithTheCredentials() throws InterruptedException {
        SchemaRegistry.Newest found = newest("http://127.0.0.1:1, " + url() + "/", "admin:admin", "a b-value");
        assertEquals(3, found.version);
        assertEquals(Map.of("type", "long"), found.schema);
        assertEquals(List.of("/subjects/a b-value/versions/latest Basic YWRtaW46YWRtaW4="), requests);
    }

    @Test
    void whatCannotBeReadIsKnownAsSuch() throws InterruptedException {
        SchemaRegistry.Newest other = newest(url(), "", "j-value");
        assertEquals("JSON", other.type);
        assertNull(other.schema);
        SchemaRegistry.Newest none = newest(url(), "", "none-value");
        assertEquals(0, none.version);
        assertEquals("", none.problem);
        assertTrue(newest(url(), "", "refused-value").problem.contains("401"));
        assertTrue(!newest("http://127.0.0.1:1", "", "x").problem.isEmpty());
    }
}
