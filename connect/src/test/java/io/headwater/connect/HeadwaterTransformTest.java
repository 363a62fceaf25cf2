package io.headwater.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headwater.connect.send.Counters;
import java.lang.management.ManagementFactory;
import java.util.Map;
import javax.management.ObjectName;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;

class HeadwaterTransformTest {
    private static SourceRecord record(Schema schema) {
        return new SourceRecord(Map.of(), Map.of(), "orders", schema, new Object());
    }

    /** A schema that breaks whoever looks at it. */
    private static final class BrokenBuilder extends SchemaBuilder {
        BrokenBuilder() {
            super(Type.STRUCT);
        }

        @Override
        public int hashCode() {
            throw new IllegalStateException("broken");
        }
    }

    private static void inTask(Runnable work) throws InterruptedException {
        Thread thread = new Thread(work, "task-thread-orders-0");
        Throwable[] failure = new Throwable[1];
        thread.setUncaughtExceptionHandler((where, error) -> failure[0] = error);
        thread.start();
        thread.join();
        assertEquals(null, failure[0]);
    }

    @Test
    void aRecordGoesOnUntouched() throws InterruptedException {
        inTask(() -> {
            try (HeadwaterTransform<SourceRecord> transform = new HeadwaterTransform<>()) {
                transform.configure(Map.of());
                SourceRecord record = record(Schema.STRING_SCHEMA);
                assertSame(record, transform.apply(record));
            }
        });
    }

    @Test
    void whatGoesWrongWithLineageIsCountedAndTheRecordGoesOn() throws Exception {
        ObjectName counters = new ObjectName(Counters.NAME);
        Counters.get().register();
        long before = (long) ManagementFactory.getPlatformMBeanServer().getAttribute(counters, "Errors");
        inTask(() -> {
            try (HeadwaterTransform<SourceRecord> transform = new HeadwaterTransform<>()) {
                transform.configure(Map.of());
                SourceRecord record = record(new BrokenBuilder());
                assertSame(record, transform.apply(record));
            }
        });
        long after = (long) ManagementFactory.getPlatformMBeanServer().getAttribute(counters, "Errors");
        assertTrue(after > before);
    }

    @Test
    void outsideOfATaskNothingIsDone() {
        try (HeadwaterTransform<SourceRecord> transform = new HeadwaterTransform<>()) {
            transform.configure(Map.of("url", "nonsense"));
            SourceRecord record = record(Schema.STRING_SCHEMA);
            assertSame(record, transform.apply(record));
        }
    }
}
