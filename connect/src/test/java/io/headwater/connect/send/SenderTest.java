package io.headwater.connect.send;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SenderTest {
    private final Deque<Integer> answers = new ConcurrentLinkedDeque<>();
    private final List<String> taken = new CopyOnWriteArrayList<>();
    private final Counters counters = new Counters();
    private CountDownLatch gate = new CountDownLatch(0);
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try {
                gate.await();
            } catch (InterruptedException error) {
                throw new IOException(error);
            }
            boolean isGzip = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
            try (InputStream body = isGzip ? new GZIPInputStream(exchange.getRequestBody()) : exchange.getRequestBody()) {
                String text = new String(body.readAllBytes(), StandardCharsets.UTF_8);
                int status = answers.isEmpty() ? 201 : answers.poll();
                if (status == 201) {
                    taken.add(exchange.getRequestURI().getPath() + " "
                        + exchange.getRequestHeaders().getFirst("Authorization") + " " + text);
                }
                exchange.sendResponseHeaders(status, 0);
            }
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    private Sender sender(String path, int mostWaiting) {
        return new Sender(new HttpTransport(url(path), "", false), mostWaiting, counters, "a server");
    }

    private static Map<String, Object> event(String name) {
        return Map.of("job", Map.of("namespace", "n", "name", name));
    }

    private List<String> names() {
        List<String> names = new CopyOnWriteArrayList<>();
        taken.forEach(text -> names.add(text.replaceAll(".*\"name\":\"(.*?)\".*", "$1")));
        return names;
    }

    @Test
    void eventsArriveInTheirOrder() {
        Sender sender = sender("", 10);
        sender.send("1", event("a"));
        sender.send("2", event("b"));
        sender.close(5_000);
        assertEquals(List.of("a", "b"), names());
        assertEquals(2, counters.getSent());
    }

    @Test
    void aPathIsUsedAsItIsAndAKeyAndGzipAreSent() throws Exception {
        new HttpTransport(url("/other/path"), "secret", true).send("", "x".getBytes(StandardCharsets.UTF_8));
        assertEquals(List.of("/other/path Bearer secret x"), taken);
    }

    @Test
    void anAddressThatIsNoneIsRefusedAtOnce() {
        assertThrows(IllegalArgumentException.class, () -> new HttpTransport("localhost:5000", "", false));
        assertThrows(IllegalArgumentException.class, () -> new HttpTransport("non sense", "", false));
    }

    @Test
    void whatAServerCannotTakeNowIsSentAgain() {
        answers.addAll(List.of(500, 503));
        Sender sender = sender("", 10);
        sender.send("1", event("a"));
        sender.close(10_000);
        assertEquals(List.of("a"), names());
        assertEquals(2, counters.getFailedAttempts());
        assertEquals(0, counters.getDropped());
    }

    @Test
    void eventsWaitWhileTheKeyIsRefused() {
        answers.addAll(List.of(401, 403));
        Sender sender = sender("", 10);
        sender.send("1", event("a"));
        sender.close(10_000);
        assertEquals(List.of("a"), names());
        assertEquals(0, counters.getDropped());
    }

    @Test
    void eventsWaitWhileTheAddressIsWrong() {
        answers.addAll(List.of(404, 405));
        Sender sender = sender("", 10);
        sender.send("1", event("a"));
        sender.close(10_000);
        assertEquals(List.of("a"), names());
        assertEquals(0, counters.getDropped());
    }

    @Test
    void whatWaitsAndWhatWentWrongIsShown() {
        gate = new CountDownLatch(1);
        assertEquals("", counters.getLastSuccess());
        Sender sender = sender("", 10);
        sender.send("1", event("a"));
        while (sender.waiting() > 0) {
            Thread.onSpinWait();
        }
        sender.send("2", event("b"));
        sender.send("3", event("c"));
        assertEquals(2, counters.getWaiting());
        gate.countDown();
        sender.close(5_000);
        assertEquals(0, counters.getWaiting());
        assertTrue(counters.getLastSuccess().matches("\\d{4}-.*Z"));
        counters.countError("orders", new IllegalStateException("broken"));
        counters.countError("orders", new IllegalStateException("broken"));
        assertEquals(Map.of("orders", 2L), counters.getErrorsByConnector());
        assertEquals(2, counters.getErrors());
    }

    @Test
    void whatAServerRefusesIsDroppedAndTheNextIsSent() {
        answers.add(400);
        Sender sender = sender("", 10);
        sender.send("1", event("a"));
        sender.send("2", event("b"));
        sender.close(5_000);
        assertEquals(List.of("b"), names());
        assertEquals(1, counters.getDropped());
    }

    @Test
    void ofTooManyTheOldestAreDroppedAndANewerReplacesAnOlder() {
        gate = new CountDownLatch(1);
        Sender sender = sender("", 2);
        sender.send("first", event("first"));
        while (sender.waiting() > 0) {
            Thread.onSpinWait();
        }
        sender.send("1", event("a"));
        sender.send("beat", event("b"));
        sender.send("beat", event("c"));
        sender.send("2", event("d"));
        gate.countDown();
        sender.close(5_000);
        assertEquals(List.of("first", "c", "d"), names());
        assertEquals(1, counters.getDropped());
    }

    @Test
    void anUnreachableServerHoldsNobodyUp() {
        server.stop(0);
        Sender sender = sender("", 10);
        sender.send("1", event("a"));
        sender.close(100);
        sender.send("2", event("b"));
        assertTrue(counters.getDropped() >= 1);
        assertEquals(0, counters.getSent());
    }
}
