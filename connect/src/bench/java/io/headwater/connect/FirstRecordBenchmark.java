package io.headwater.connect;

import io.headwater.connect.send.Counters;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.sink.SinkRecord;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** How long a task waits at a record of a topic and of a schema that were never seen, once each. */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(5)
// The first of each fork is in a JVM that has just started: it counts as well.
@Warmup(iterations = 0)
@Measurement(iterations = 20)
public class FirstRecordBenchmark {
    private static final int FIELDS = 100;

    /** Whether the record has its schema, or its fields are inferred. */
    public enum Records { SCHEMA, NO_SCHEMA }

    @Param
    public Records records;

    private final HeadwaterTransform<SinkRecord> transform = new HeadwaterTransform<>();
    private SinkRecord first;
    private int number;

    @Setup
    public void open() {
        Thread.currentThread().setName("task-thread-orders-0");
        transform.configure(Map.of());
    }

    @Setup(Level.Iteration)
    public void change() {
        number++;
        SchemaBuilder schema = SchemaBuilder.struct().name("order-" + number);
        Map<String, Object> value = new LinkedHashMap<>();
        for (int field = 0; field < FIELDS; field++) {
            String name = "field_" + number + "_" + field;
            schema.field(name, Schema.STRING_SCHEMA);
            value.put(name, field % 10 == 0 ? Map.of("id", (long) field, "text", name) : name);
        }
        boolean hasSchema = records == Records.SCHEMA;
        first = new SinkRecord(
            "orders-" + number, 0, null, null, hasSchema ? schema.build() : null, hasSchema ? new Object() : value, 1);
    }

    @Benchmark
    public SinkRecord apply() {
        return transform.apply(first);
    }

    /** A transform that failed would be fast. */
    @TearDown
    public void close() {
        if (Counters.get().getErrors() > 0) {
            throw new IllegalStateException("the records were not observed");
        }
        transform.close();
    }
}
