package io.headwater.connect.send;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends events in their order, in the background. A newer one under the same key replaces an older. */
final class Sender {
    private static final Logger LOG = LoggerFactory.getLogger(Sender.class);
    static final int MOST_WAITING = 1_000;
    private static final long SHORTEST_PAUSE_MILLIS = 500;
    private static final long LONGEST_PAUSE_MILLIS = 60_000;

    private final Transport transport;
    private final int mostWaiting;
    private final Counters counters;
    private final String target;
    private boolean isFailing;
    private boolean isRefused;
    private final ObjectMapper json = new ObjectMapper();
    private final Map<String, Map<String, Object>> waiting = new LinkedHashMap<>();
    private boolean isSending;
    private boolean isClosing;
    private boolean isClosed;

    /** @param target the name of the server, for the log */
    Sender(Transport transport, int mostWaiting, Counters counters, String target) {
        this.transport = transport;
        this.target = target;
        this.mostWaiting = mostWaiting;
        this.counters = counters;
        counters.show(this::waiting);
        Thread thread = new Thread(this::run, "headwater-sender");
        thread.setDaemon(true);
        thread.start();
    }

    /** Queues an event and returns at once. If the queue is full, the oldest is dropped. */
    synchronized void send(String key, Map<String, Object> event) {
        if (isClosed) {
            counters.countDropped("the worker has stopped");
            return;
        }
        if (!waiting.containsKey(key) && waiting.size() >= mostWaiting) {
            Iterator<String> oldest = waiting.keySet().iterator();
            oldest.next();
            oldest.remove();
            counters.countDropped("too many events are waiting for the server");
        }
        waiting.put(key, event);
        notifyAll();
    }

    /** How many events wait to be sent. */
    synchronized int waiting() {
        return waiting.size();
    }

    /** Sends what waits, within the time given, then stops. */
    synchronized void close(long millis) {
        long giveUp = System.nanoTime() + millis * 1_000_000;
        isClosing = true;
        notifyAll();
        while ((isSending || !waiting.isEmpty()) && System.nanoTime() < giveUp) {
            pause(50);
        }
        isClosed = true;
        for (int left = waiting.size(); left > 0; left--) {
            counters.countDropped("the worker stopped before the server accepted it");
        }
        waiting.clear();
        notifyAll();
    }

    private void run() {
        long pauseMillis = 0;
        Map.Entry<String, Map<String, Object>> next;
        while ((next = take(pauseMillis)) != null) {
            try {
                transport.send(keyOf(next.getValue()), json.writeValueAsBytes(next.getValue()));
                counters.countSent();
                logRecovery();
                pauseMillis = 0;
            } catch (Transport.Refused error) {
                logRefusal(error);
                counters.countDropped(error.getMessage());
            } catch (IOException | RuntimeException error) {
                counters.countFailedAttempt(error);
                logFailure(error);
                putBack(next);
                pauseMillis = Math.min(Math.max(pauseMillis * 2, SHORTEST_PAUSE_MILLIS), LONGEST_PAUSE_MILLIS);
            }
            sent();
        }
        transport.close();
    }

    /** Only the first failure is a warning, until the server answers again. */
    private void logFailure(Exception error) {
        if (!isFailing) {
            isFailing = true;
            LOG.warn("lineage cannot be sent to {}, and waits: {}", target, Redaction.text(reason(error)));
        }
    }

    /** What is wrong, in words that lead to the setting that is wrong. */
    private static String reason(Exception error) {
        if (error instanceof SSLException) {
            return "there is no TLS at this address, or with another certificate; should it begin with http://? " + error;
        }
        if (error instanceof UnknownHostException) {
            return "no such host: " + error.getMessage();
        }
        if (error instanceof ConnectException) {
            return "nothing answers at this address: " + error.getMessage();
        }
        boolean isNoHttp =
            error instanceof SocketException && String.valueOf(error.getMessage()).matches(".*(?:end of file|reset).*");
        return isNoHttp ? "no HTTP answer; should the address begin with https://? " + error : error.toString();
    }

    private void logRefusal(Exception error) {
        if (!isRefused) {
            isRefused = true;
            LOG.warn("{} refuses an event, which is dropped: {}", target, Redaction.text(error.getMessage()));
        }
    }

    private void logRecovery() {
        isRefused = false;
        if (isFailing) {
            isFailing = false;
            LOG.warn("lineage is sent to {} again", target);
        }
    }

    /** The next event, after a pause, which is short while the sender closes. */
    private synchronized Map.Entry<String, Map<String, Object>> take(long pauseMillis) {
        long start = System.nanoTime();
        while (!isClosed) {
            long pause = isClosing ? Math.min(pauseMillis, SHORTEST_PAUSE_MILLIS) : pauseMillis;
            long left = pause - (System.nanoTime() - start) / 1_000_000;
            if (!waiting.isEmpty() && left <= 0) {
                break;
            }
            pause(waiting.isEmpty() ? 0 : left);
        }
        if (isClosed) {
            return null;
        }
        isSending = true;
        Map.Entry<String, Map<String, Object>> first = waiting.entrySet().iterator().next();
        waiting.remove(first.getKey());
        return Map.entry(first.getKey(), first.getValue());
    }

    /** Puts an event before all others, unless there is a newer one of its key. */
    private synchronized void putBack(Map.Entry<String, Map<String, Object>> event) {
        if (isClosed || waiting.containsKey(event.getKey())) {
            return;
        }
        Map<String, Map<String, Object>> later = new LinkedHashMap<>(waiting);
        waiting.clear();
        waiting.put(event.getKey(), event.getValue());
        waiting.putAll(later);
    }

    private synchronized void sent() {
        isSending = false;
        notifyAll();
    }

    private void pause(long millis) {
        try {
            wait(millis);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            isClosed = true;
        }
    }

    /** Events of one job stay in one partition, under the key of OpenLineage's own clients. */
    private static String keyOf(Map<String, Object> event) {
        Map<?, ?> job = (Map<?, ?>) event.get("job");
        return "run:" + job.get("namespace") + "/" + job.get("name");
    }
}
