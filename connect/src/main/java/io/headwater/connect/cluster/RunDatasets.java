package io.headwater.connect.cluster;

import io.headwater.connect.dataset.DatasetName;
import io.headwater.connect.dataset.Described;
import io.headwater.connect.dataset.External;
import io.headwater.connect.record.SchemaFields;
import io.headwater.connect.record.Shape;
import io.headwater.connect.dataset.Template;
import io.headwater.connect.record.TopicShapes;
import io.headwater.connect.send.Events;
import io.headwater.connect.send.Settings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The datasets of a connector as events have them: topics, what is outside, schemas, volume. */
final class RunDatasets {
    private final Settings settings;
    private final Described described;
    private final TopicShapes shapes;
    private final Map<String, Traffic.Counts> counts;
    private final Set<String> active;
    private String deadLetterTopic = "";
    private RegistryView registry;
    private boolean isRegistryPreferred;
    private ColumnLineage columns = ColumnLineage.NONE;

    /**
     * @param shapes the shapes of records, where they are known
     * @param counts what went through each topic; empty where it is not known of all tasks
     * @param active the topics that are reported, with what is outside of Kafka; null for all
     */
    RunDatasets(
        Settings settings,
        Described described,
        TopicShapes shapes,
        Map<String, Traffic.Counts> counts,
        Set<String> active) {
        this.settings = settings;
        this.described = described;
        this.shapes = shapes;
        this.counts = counts;
        this.active = active;
    }

    /** Sets the topic for records that a sink cannot process; may be empty. */
    void setDeadLetterTopic(String topic) {
        deadLetterTopic = topic;
    }

    /** Has schemas that records do not show read there; or all, if what records show may be changed later. */
    void setRegistry(RegistryView view, boolean isPreferred) {
        registry = view;
        isRegistryPreferred = isPreferred;
    }

    /** Has columns followed, too. */
    void setColumns(ColumnLineage lineage) {
        columns = lineage;
    }

    private boolean isReported(String topic) {
        return active == null || active.contains(topic);
    }

    /** Whether one of the topics of a dataset is reported; of one without topics, any. */
    private boolean isReported(External external) {
        return active == null
            || (external.topics().isEmpty() ? !active.isEmpty() : external.topics().stream().anyMatch(active::contains));
    }

    List<Map<String, Object>> inputs() {
        return described.isSink ? topics() : externals();
    }

    List<Map<String, Object>> outputs() {
        List<Map<String, Object>> datasets = described.isSink ? externals() : topics();
        if (!deadLetterTopic.isEmpty() && isReported(deadLetterTopic)) {
            Map<String, Object> facets = new LinkedHashMap<>();
            List<DatasetName> inputs = new ArrayList<>();
            described.topics.forEach(topic -> inputs.add(nameOf(topic)));
            facets.put("lineage", Events.lineage(inputs));
            addNote(facets, "isDeadLetterQueue");
            facets.put("tags", Events.tag("dead-letter-queue"));
            Map<String, Object> dataset = Events.dataset(nameOf(deadLetterTopic), facets);
            Traffic.Counts found = counts.get(deadLetterTopic);
            if (found != null && found.records > 0) {
                Map<String, Object> facet = Events.outputStatistics(found.records, found.bytes);
                dataset.put("outputFacets", Map.of("outputStatistics", facet));
            }
            datasets.add(dataset);
        }
        return datasets;
    }

    private List<Map<String, Object>> topics() {
        List<Map<String, Object>> datasets = new ArrayList<>();
        List<External> externals = chosen();
        for (String topic : described.topics) {
            if (!isReported(topic)) {
                continue;
            }
            Map<String, Object> facets = new LinkedHashMap<>();
            if (!addRegistered(facets, topic)) {
                addSchema(facets, shapes.byTopic().get(topic));
            }
            if (!described.isSink) {
                addSources(facets, topic, externals);
                addColumns(facets, facets.containsKey("schema") ? columns.ofTables(topic, externals) : Map.of());
            }
            Map<String, Object> dataset = Events.dataset(nameOf(topic), facets);
            addStatistics(dataset, counts.get(topic));
            datasets.add(dataset);
        }
        return datasets;
    }

    private static void addColumns(Map<String, Object> facets, Map<String, List<Map<String, Object>>> fields) {
        if (!fields.isEmpty()) {
            facets.put("columnLineage", Events.columnLineage(fields));
        }
    }

    private DatasetName nameOf(String topic) {
        String bootstrap = settings.get(Settings.BOOTSTRAP);
        return DatasetName.kafka(bootstrap.isEmpty() ? "unknown" : bootstrap, topic);
    }

    /** Those that the transform's settings name, else those of the rules. */
    private List<External> chosen() {
        List<External> named = namedInSettings();
        return named.isEmpty() ? described.externals : named;
    }

    /** From which of a source's tables a topic comes, where that is known. */
    private void addSources(Map<String, Object> facets, String topic, List<External> externals) {
        List<DatasetName> inputs = new ArrayList<>();
        externals.stream().filter(each -> each.topics().contains(topic)).forEach(each -> inputs.add(each.name));
        if (!inputs.isEmpty() || described.ownTopics.contains(topic)) {
            facets.put("lineage", Events.lineage(inputs));
        }
    }

    /** Adds the newest schema in the registry, where it is needed; returns whether it is. */
    private boolean addRegistered(Map<String, Object> facets, String topic) {
        Shape shape = shapes.byTopic().get(topic);
        boolean isShown = shape != null && (shape.value != null || shape.inferred != null);
        if (registry == null || !registry.isUsed() || isShown && !isRegistryPreferred) {
            return false;
        }
        List<Map<String, Object>> fields = registry.fields(topic);
        if (fields != null) {
            facets.put("schema", Events.schema(fields));
            addNote(facets, "schemaFrom", registry.origin(topic));
        }
        return true;
    }

    private void addSchema(Map<String, Object> facets, Shape shape) {
        if (shape == null) {
            return;
        }
        if (settings.isOn(Settings.VALUE_SCHEMA)) {
            if (shape.value != null) {
                facets.put("schema", Events.schema(SchemaFields.of(shape.value, "value")));
            } else if (shape.inferred != null) {
                facets.put("schema", Events.schema(shape.inferred));
                addNote(facets, "schemaIsInferred");
            }
        }
        if (shape.key != null && settings.isOn(Settings.KEY_SCHEMA)) {
            Map<String, Object> key = Events.ownFacet();
            key.put("fields", SchemaFields.of(shape.key, "key"));
            facets.put("kafka_key", key);
        }
    }

    private void addStatistics(Map<String, Object> dataset, Traffic.Counts found) {
        if (found == null || found.records == 0) {
            return;
        }
        if (described.isSink) {
            Map<String, Object> facet = Events.inputStatistics(found.records, found.bytes);
            dataset.put("inputFacets", Map.of("inputStatistics", facet));
        } else {
            Map<String, Object> facet = Events.outputStatistics(found.records, found.bytes);
            dataset.put("outputFacets", Map.of("outputStatistics", facet));
        }
    }

    private List<Map<String, Object>> externals() {
        List<Map<String, Object>> datasets = new ArrayList<>();
        boolean isGuessed = described.isGuessed && namedInSettings().isEmpty();
        for (External external : chosen()) {
            if (!isReported(external)) {
                continue;
            }
            Map<String, Object> facets = new LinkedHashMap<>();
            if (described.isSink) {
                addSchemaOfTopic(facets, external);
                addColumns(facets, settings.isOn(Settings.VALUE_SCHEMA) ? columns.ofTopics(external, this::nameOf) : Map.of());
                if (!external.topics().isEmpty()) {
                    List<DatasetName> inputs = new ArrayList<>();
                    external.topics().forEach(topic -> inputs.add(nameOf(topic)));
                    facets.put("lineage", Events.lineage(inputs));
                }
            }
            if (external.other != null) {
                facets.put("symlinks", Events.symlink(external.other));
            }
            if (isGuessed || external.isGuessed) {
                addNote(facets, "isGuessed");
            }
            datasets.add(Events.dataset(external.name, facets));
        }
        return datasets;
    }

    /** A sink's output has the schema after the last transform; of several topics, of that with its name. */
    private void addSchemaOfTopic(Map<String, Object> facets, External external) {
        Set<String> topics = external.topics();
        if (topics.size() > 1) {
            String last = external.name.name.substring(
                Math.max(external.name.name.lastIndexOf('/'), external.name.name.lastIndexOf('.')) + 1);
            topics = topics.contains(last) ? Set.of(last) : Set.of();
        }
        for (String topic : topics) {
            Shape shape = shapes.written(topic, external.finalOf(topic));
            if (shape != null && settings.isOn(Settings.VALUE_SCHEMA)) {
                shape = described.isUnwrapping ? shape.unwrapped() : shape;
                addSchema(facets, new Shape(null, shape.value, shape.inferred));
            }
        }
    }

    /**
     * The datasets that the transform's settings name, each for the topic at its position. Without
     * names, those of a sink have the names of its topics.
     */
    private List<External> namedInSettings() {
        String namespace = settings.get(Settings.DATASET_NAMESPACE);
        List<External> found = new ArrayList<>();
        if (namespace.isEmpty()) {
            return found;
        }
        List<String> topics = Template.entries(settings.get(Settings.TOPICS));
        if (topics.isEmpty()) {
            topics = new ArrayList<>(described.topics);
        }
        List<String> names = Template.entries(settings.get(Settings.DATASET_NAMES));
        if (names.isEmpty() && described.isSink) {
            names = topics;
        }
        for (int place = 0; place < names.size(); place++) {
            boolean isPaired = topics.size() == names.size();
            External external = new External(new DatasetName(namespace, names.get(place)), null, false);
            for (String topic : isPaired ? List.of(topics.get(place)) : topics) {
                Set<String> finals = shapes.routes().finals.getOrDefault(topic, Set.of(topic));
                external.with(topic, finals.size() == 1 ? finals.iterator().next() : topic);
            }
            found.add(external);
        }
        return found;
    }

    private static void addNote(Map<String, Object> facets, String note) {
        addNote(facets, note, true);
    }

    private static void addNote(Map<String, Object> facets, String note, Object noted) {
        Map<String, Object> facet = Events.ownFacet();
        if (facets.get("kafka_connect") instanceof Map) {
            ((Map<?, ?>) facets.get("kafka_connect")).forEach((key, value) -> facet.put(key.toString(), value));
        }
        facet.put(note, noted);
        facets.put("kafka_connect", facet);
    }
}
