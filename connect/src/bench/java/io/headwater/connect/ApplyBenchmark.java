package io.headwater.connect;

import io.headwater.connect.send.Counters;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.sink.SinkRecord;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** What a record of a task costs, once its topic and its schema are known. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 9, time = 300, timeUnit = TimeUnit.MILLISECONDS)
public class ApplyBenchmark {
    /** A power of two, so that taking turns costs next to nothing. */
    private static final int RECORDS = 1_024;
    private static final Schema FIRST = schema("order", "status");
    private static final Schema SECOND = schema("bid", "price");

    /** The shapes of the task's records. */
    public enum Records { SCHEMA, TWO_TOPICS_IN_TURNS, TWO_SCHEMAS_IN_TURNS, NO_SCHEMA }

    @Param
    public Records records;

    private final HeadwaterTransform<SinkRecord> transform = new HeadwaterTransform<>();
    private final SinkRecord[] all = new SinkRecord[RECORDS];
    private int next;

    @Setup
    public void open() {
        for (int number = 0; number < RECORDS; number++) {
            all[number] = record(number);
        }
        Thread.currentThread().setName("task-thread-orders-0");
        transform.configure(Map.of());
        for (SinkRecord each : all) {
            transform.apply(each);
        }
    }

    @Benchmark
    public SinkRecord apply() {
        next = (next + 1) & (RECORDS - 1);
        return transform.apply(all[next]);
    }

    /** A transform that observed nothing, or failed, would be fast. */
    @TearDown
    public void close() {
        boolean isAtWork = Thread.getAllStackTraces().keySet().stream()
            .anyMatch(thread -> thread.getName().equals("headwater-agent"));
        if (!isAtWork || Counters.get().getErrors() > 0) {
            throw new IllegalStateException("the records were not observed");
        }
        transform.close();
    }

    private SinkRecord record(int number) {
        boolean isSecond = number % 2 == 1;
        String topic = records == Records.TWO_TOPICS_IN_TURNS && isSecond ? "bids" : "orders";
        if (records == Records.NO_SCHEMA) {
            Map<String, Object> value = Map.of("id", (long) number, "status", "paid");
            return new SinkRecord(topic, 0, null, "key", null, value, number);
        }
        Schema value = records != Records.SCHEMA && isSecond ? SECOND : FIRST;
        return new SinkRecord(topic, 0, Schema.STRING_SCHEMA, "key", value, new Object(), number);
    }

    private static Schema schema(String name, String field) {
        return SchemaBuilder.struct().name(name)
            .field("id", Schema.INT64_SCHEMA)
            .field(field, Schema.STRING_SCHEMA)
            .build();
    }
}
