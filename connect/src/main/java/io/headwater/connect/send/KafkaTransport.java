package io.headwater.connect.send;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Writes events to a topic, as OpenLineage's own clients do. */
final class KafkaTransport implements Transport {
    private static final int TIMEOUT_MILLIS = 10_000;

    private final String topic;
    private final Map<String, Object> settings;
    private Producer<String, byte[]> producer;

    KafkaTransport(String bootstrap, String topic, Map<String, Object> producerSettings) {
        this.topic = topic;
        settings = new HashMap<>();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("client.id", "headwater-connect");
        settings.put("compression.type", "gzip");
        settings.put("max.block.ms", TIMEOUT_MILLIS);
        settings.putAll(producerSettings);
    }

    @Override
    public void send(String key, byte[] event) throws IOException, Refused {
        try {
            if (producer == null) {
                producer = new KafkaProducer<>(settings, new StringSerializer(), new ByteArraySerializer());
            }
            producer.send(new ProducerRecord<>(topic, key, event)).get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException error) {
            if (error.getCause() instanceof RecordTooLargeException) {
                throw new Refused(error.getCause().getMessage());
            }
            throw new IOException(error.getCause());
        } catch (TimeoutException | KafkaException error) {
            throw new IOException(error);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw new IOException(error);
        }
    }

    @Override
    public void close() {
        if (producer != null) {
            producer.close(Duration.ofSeconds(1));
        }
    }
}
