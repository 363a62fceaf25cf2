package io.headwater.connect;

import io.headwater.connect.column.ConnectorColumns;
import io.headwater.connect.dataset.TransformChain;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
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
import org.openjdk.jmh.annotations.Warmup;

/** How long the columns of one schema take through six transforms, once a schema, not in a task's thread. */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(3)
// Once a schema: the first ones are in a JVM that has not compiled anything.
@Warmup(iterations = 0)
@Measurement(iterations = 20)
public class ColumnsBenchmark {
    private static final String KAFKA = "org.apache.kafka.connect.transforms.";

    @Param("500")
    public int fields;

    private final Map<String, String> config = new HashMap<>();
    private final List<List<String>> paths = new ArrayList<>();

    @Setup
    public void open() {
        List<String> flat = new ArrayList<>();
        List<String> renames = new ArrayList<>();
        for (int number = 0; number < fields; number++) {
            paths.add(List.of("after", "inside", "field_" + number));
            flat.add("inside_field_" + number);
            if (number < fields / 5) {
                renames.add("inside_field_" + number + ":renamed_" + number);
            }
        }
        paths.add(List.of("op"));
        config.put("transforms", "unwrap,flatten,choose,mask,cast,insert");
        add("unwrap", "io.debezium.transforms.ExtractNewRecordState", "add.fields", "op");
        add("flatten", KAFKA + "Flatten$Value", "delimiter", "_");
        add("choose", KAFKA + "ReplaceField$Value", "renames", String.join(",", renames));
        add("mask", KAFKA + "MaskField$Value", "fields", String.join(",", flat.subList(fields / 5, fields / 2)));
        add("cast", KAFKA + "Cast$Value", "spec", String.join(":string,", flat.subList(fields / 2, fields)) + ":string");
        add("insert", KAFKA + "InsertField$Value", "topic.field", "topic");
        // The rules are read when a worker starts.
        new TransformChain(config);
    }

    private void add(String name, String type, String key, String value) {
        config.put("transforms." + name + ".type", type);
        config.put("transforms." + name + "." + key, value);
    }

    @Benchmark
    public ConnectorColumns follow() {
        ConnectorColumns found =
            ConnectorColumns.ofSink(null, config, new TransformChain(config), "orders", List.of(), paths);
        if (found.columns.isEmpty()) {
            throw new IllegalStateException("the columns were not followed");
        }
        return found;
    }
}
