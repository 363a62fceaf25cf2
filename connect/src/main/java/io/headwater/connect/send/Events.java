package io.headwater.connect.send;

import io.headwater.connect.dataset.DatasetName;
import io.headwater.connect.dataset.Gap;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The parts of OpenLineage's events. */
public final class Events {
    public static final String VERSION = version();

    private static final String SPEC = "https://openlineage.io/spec";
    private static final String PRODUCER = "https://headwater.example/connect/" + VERSION;
    private static final String CAUSE = "Caused by: ";
    private static Instant lastTime = Instant.EPOCH;

    private Events() {}

    public static Map<String, Object> runEvent(
        String type,
        Map<String, Object> run,
        Map<String, Object> job,
        List<Map<String, Object>> inputs,
        List<Map<String, Object>> outputs) {
        Map<String, Object> event = new LinkedHashMap<>();
        event.put("eventTime", nextTime().toString());
        event.put("eventType", type);
        event.put("producer", PRODUCER);
        event.put("schemaURL", SPEC + "/2-0-2/OpenLineage.json#/$defs/RunEvent");
        event.put("run", run);
        event.put("job", job);
        event.put("inputs", inputs);
        event.put("outputs", outputs);
        return event;
    }

    /** Now, and later than before: events of one worker have an order. */
    private static synchronized Instant nextTime() {
        Instant now = Instant.now().truncatedTo(ChronoUnit.MICROS);
        lastTime = now.isAfter(lastTime) ? now : lastTime.plus(1, ChronoUnit.MICROS);
        return lastTime;
    }

    public static Map<String, Object> dataset(DatasetName name, Map<String, Object> facets) {
        Map<String, Object> dataset = new LinkedHashMap<>();
        dataset.put("namespace", name.namespace);
        dataset.put("name", name.name);
        dataset.put("facets", facets);
        return dataset;
    }

    /** A facet of Headwater's own. */
    public static Map<String, Object> ownFacet() {
        Map<String, Object> facet = new LinkedHashMap<>();
        facet.put("_producer", PRODUCER);
        facet.put("_schemaURL", PRODUCER + "/facets.json");
        return facet;
    }

    /** What of a run's lineage is not known. */
    public static Map<String, Object> gaps(Collection<Gap> gaps) {
        List<Map<String, Object>> all = new ArrayList<>();
        for (Gap gap : gaps) {
            Map<String, Object> each = new LinkedHashMap<>();
            each.put("kind", gap.kind);
            each.put("name", gap.name);
            each.put("description", gap.description);
            all.add(each);
        }
        Map<String, Object> facet = ownFacet();
        facet.put("gaps", all);
        return facet;
    }

    public static Map<String, Object> schema(List<Map<String, Object>> fields) {
        Map<String, Object> facet = facet("SchemaDatasetFacet", "1-2-0");
        facet.put("fields", fields);
        return facet;
    }

    public static Map<String, Object> symlink(DatasetName other) {
        Map<String, Object> identifier = new LinkedHashMap<>();
        identifier.put("namespace", other.namespace);
        identifier.put("name", other.name);
        identifier.put("type", "TABLE");
        Map<String, Object> facet = facet("SymlinksDatasetFacet", "1-0-1");
        facet.put("identifiers", List.of(identifier));
        return facet;
    }

    /** A tag that shows what a dataset is. */
    public static Map<String, Object> tag(String key) {
        Map<String, Object> tag = new LinkedHashMap<>();
        tag.put("key", key);
        tag.put("value", "true");
        tag.put("source", "KAFKA_CONNECT");
        Map<String, Object> facet = facet("TagsDatasetFacet", "1-0-0");
        facet.put("tags", List.of(tag));
        return facet;
    }

    /** The datasets that one output comes from, of all inputs of its job. */
    public static Map<String, Object> lineage(Collection<DatasetName> inputs) {
        List<Map<String, Object>> all = new ArrayList<>();
        for (DatasetName input : inputs) {
            Map<String, Object> each = new LinkedHashMap<>();
            each.put("namespace", input.namespace);
            each.put("name", input.name);
            each.put("type", "DATASET");
            all.add(each);
        }
        Map<String, Object> facet = facet("LineageFacet", "1-0-0");
        facet.put("inputs", all);
        return facet;
    }

    /** One of the columns that a column comes from. */
    public static Map<String, Object> inputField(
        DatasetName dataset, String field, boolean isChanged, boolean isMasked) {
        Map<String, Object> transformation = new LinkedHashMap<>();
        transformation.put("type", "DIRECT");
        transformation.put("subtype", isChanged ? "TRANSFORMATION" : "IDENTITY");
        transformation.put("masking", isMasked);
        Map<String, Object> input = new LinkedHashMap<>();
        input.put("namespace", dataset.namespace);
        input.put("name", dataset.name);
        input.put("field", field);
        input.put("transformations", List.of(transformation));
        return input;
    }

    /** The columns that those of a dataset come from, by their names. */
    public static Map<String, Object> columnLineage(Map<String, List<Map<String, Object>>> inputs) {
        Map<String, Object> fields = new TreeMap<>();
        inputs.forEach((name, of) -> fields.put(name, Map.of("inputFields", of)));
        Map<String, Object> facet = facet("ColumnLineageDatasetFacet", "1-2-0");
        facet.put("fields", fields);
        return facet;
    }

    public static Map<String, Object> inputStatistics(long records, long bytes) {
        return statistics(facet("InputStatisticsInputDatasetFacet", "1-0-0"), records, bytes);
    }

    public static Map<String, Object> outputStatistics(long records, long bytes) {
        return statistics(facet("OutputStatisticsOutputDatasetFacet", "1-0-2"), records, bytes);
    }

    private static Map<String, Object> statistics(Map<String, Object> facet, long records, long bytes) {
        facet.put("rowCount", records);
        if (bytes > 0) {
            facet.put("size", bytes);
        }
        return facet;
    }

    /** An error by its innermost cause: those around it only report that a task has ended. */
    public static Map<String, Object> errorMessage(String trace) {
        int cause = trace.lastIndexOf(CAUSE);
        String message = cause < 0 ? trace : trace.substring(cause + CAUSE.length());
        Map<String, Object> facet = facet("ErrorMessageRunFacet", "1-0-1");
        facet.put("message", message.lines().findFirst().orElse(""));
        facet.put("programmingLanguage", "JAVA");
        if (trace.contains("\n")) {
            facet.put("stackTrace", trace);
        }
        return facet;
    }

    /** A streaming job; each event is a complete snapshot where all of its datasets are known. */
    public static Map<String, Object> jobType(boolean isSink, boolean isComplete, long heartbeatSeconds) {
        Map<String, Object> pattern = new LinkedHashMap<>();
        pattern.put("eventTrigger", "PERIODIC");
        pattern.put("eventContentMode", isComplete ? "COMPLETE_SNAPSHOT" : "ACCUMULATIVE");
        pattern.put("windowDuration", heartbeatSeconds);
        Map<String, Object> facet = facet("JobTypeJobFacet", "2-0-4");
        facet.put("processingType", "STREAMING");
        facet.put("integration", "KAFKA_CONNECT");
        facet.put("jobType", isSink ? "SINK" : "SOURCE");
        facet.put("emissionPattern", pattern);
        return facet;
    }

    private static Map<String, Object> facet(String kind, String version) {
        Map<String, Object> facet = new LinkedHashMap<>();
        facet.put("_producer", PRODUCER);
        facet.put("_schemaURL", SPEC + "/facets/" + version + "/" + kind + ".json#/$defs/" + kind);
        return facet;
    }

    private static String version() {
        String version = Events.class.getPackage().getImplementationVersion();
        return version == null ? "dev" : version;
    }
}
