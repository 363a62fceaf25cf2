package io.headwater.connect.cluster;

import io.headwater.connect.dataset.DatasetName;
import io.headwater.connect.dataset.Described;
import io.headwater.connect.dataset.External;
import io.headwater.connect.dataset.SchemaFields;
import io.headwater.connect.dataset.Shape;
import io.headwater.connect.dataset.Template;
import io.headwater.connect.send.Events;
import io.headwater.connect.send.Settings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The datasets of a connector as events have them: topics, what is outside, schemas, volume. */
final class RunDatasets {
    private final Settings settings;
    private final Described described;
    private final Map<String, Shape> shapes;
    private final Map<String, Traffic.Counts> counts;

    /**
     * @param shapes the shapes of records, by topic, where they are known
     * @param counts what went through each topic; empty where it is not known of all tasks
     */
    RunDatasets(
        Settings settings,
        Described described,
        Map<String, Shape> shapes,
        Map<String, Traffic.Counts> counts) {
        this.settings = settings;
        this.described = described;
        this.shapes = shapes;
        this.counts = counts;
    }

    List<Map<String, Object>> inputs() {
        return described.isSink ? topics() : externals();
    }

    List<Map<String, Object>> outputs() {
        return described.isSink ? externals() : topics();
    }

    private List<Map<String, Object>> topics() {
        List<Map<String, Object>> datasets = new ArrayList<>();
        String bootstrap = settings.get(Settings.BOOTSTRAP);
        for (String topic : described.topics) {
            DatasetName name = DatasetName.kafka(bootstrap.isEmpty() ? "unknown" : bootstrap, topic);
            Map<String, Object> facets = new LinkedHashMap<>();
            addSchema(facets, shapes.get(topic));
            Map<String, Object> dataset = Events.dataset(name, facets);
            addStatistics(dataset, counts.get(topic));
            datasets.add(dataset);
        }
        return datasets;
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
        List<External> named = namedInSettings();
        boolean isGuessed = described.isGuessed && named.isEmpty();
        for (External external : named.isEmpty() ? described.externals : named) {
            Map<String, Object> facets = new LinkedHashMap<>();
            if (described.isSink) {
                addSchemaOfTopic(facets, external);
            }
            if (external.other != null) {
                facets.put("symlinks", Events.symlink(external.other));
            }
            if (isGuessed) {
                addNote(facets, "isGuessed");
            }
            datasets.add(Events.dataset(external.name, facets));
        }
        return datasets;
    }

    /** A sink's output has the schema of its topic; of several topics, of the one with its name. */
    private void addSchemaOfTopic(Map<String, Object> facets, External external) {
        Set<String> topics = external.topics;
        if (topics.size() > 1) {
            String last = external.name.name.substring(
                Math.max(external.name.name.lastIndexOf('/'), external.name.name.lastIndexOf('.')) + 1);
            topics = topics.contains(last) ? Set.of(last) : Set.of();
        }
        for (String topic : topics) {
            Shape shape = shapes.get(topic);
            if (shape != null && settings.isOn(Settings.VALUE_SCHEMA)) {
                addSchema(facets, new Shape(null, shape.value, shape.inferred));
            }
        }
    }

    /** The datasets that the transform's settings name, each for the topic at its position. */
    private List<External> namedInSettings() {
        String namespace = settings.get(Settings.DATASET_NAMESPACE);
        List<String> names = Template.entries(settings.get(Settings.DATASET_NAMES));
        List<External> found = new ArrayList<>();
        if (namespace.isEmpty()) {
            return found;
        }
        List<String> topics = Template.entries(settings.get(Settings.TOPICS));
        if (topics.isEmpty()) {
            topics = new ArrayList<>(described.topics);
        }
        for (int place = 0; place < names.size(); place++) {
            boolean isPaired = topics.size() == names.size();
            Set<String> of = isPaired ? Set.of(topics.get(place)) : new LinkedHashSet<>(topics);
            found.add(new External(new DatasetName(namespace, names.get(place)), of, null));
        }
        return found;
    }

    private static void addNote(Map<String, Object> facets, String note) {
        Map<String, Object> facet = Events.ownFacet();
        facet.put(note, true);
        facets.put("kafka_connect", facet);
    }
}
