package io.headwater.connect.send;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The senders of this worker, one for each server that settings name. For one thread. */
public final class Senders implements Emitter {
    private static final Logger LOG = LoggerFactory.getLogger(Senders.class);

    private final Map<List<String>, Sender> senders = new HashMap<>();
    private final Set<String> warned = new HashSet<>();

    @Override
    public void send(Settings settings, String key, Map<String, Object> event) {
        Sender sender = senderFor(settings);
        if (sender != null) {
            sender.send(key, event);
        }
    }

    /** Closes all senders within the time given: they work in parallel. */
    public void close(long millis) {
        long giveUp = System.nanoTime() + millis * 1_000_000;
        for (Sender sender : senders.values()) {
            sender.close(Math.max((giveUp - System.nanoTime()) / 1_000_000, 0));
        }
    }

    private Sender senderFor(Settings settings) {
        boolean isKafka = settings.get(Settings.TRANSPORT).equalsIgnoreCase("kafka");
        String url = settings.get(isKafka ? Settings.BOOTSTRAP : Settings.URL);
        if (url.isEmpty()) {
            warnOnce("no server for lineage: set OPENLINEAGE_URL, or headwater.url for the worker");
            return null;
        }
        List<String> target = List.of(
            url,
            settings.get(Settings.TRANSPORT),
            settings.get(Settings.TRANSPORT_TOPIC),
            settings.get(Settings.API_KEY));
        try {
            return senders.computeIfAbsent(target, key -> newSender(settings, url, isKafka));
        } catch (IllegalArgumentException error) {
            String address = Redaction.text(url);
            warnOnce("lineage cannot be sent to " + address + ": " + error.getMessage());
            return null;
        }
    }

    private static Sender newSender(Settings settings, String url, boolean isKafka) {
        return new Sender(
            isKafka ? toKafka(settings, url) : toServer(settings, url),
            Sender.MOST_WAITING,
            Counters.get(),
            settings.target());
    }

    private static Transport toKafka(Settings settings, String bootstrap) {
        Map<String, Object> producer = settings.startingWith(Settings.PRODUCER_PREFIX);
        return new KafkaTransport(bootstrap, settings.get(Settings.TRANSPORT_TOPIC), producer);
    }

    private static Transport toServer(Settings settings, String url) {
        return new HttpTransport(url, settings.get(Settings.API_KEY), settings.isOn(Settings.GZIP));
    }

    private void warnOnce(String text) {
        if (warned.add(text)) {
            LOG.warn(text);
        }
    }
}
