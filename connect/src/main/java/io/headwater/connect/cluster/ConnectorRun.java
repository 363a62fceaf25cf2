package io.headwater.connect.cluster;

import io.headwater.connect.dataset.ConnectorKnowledge;
import io.headwater.connect.dataset.Described;
import io.headwater.connect.dataset.Gap;
import io.headwater.connect.record.Shape;
import io.headwater.connect.record.TaskView;
import io.headwater.connect.dataset.Template;
import io.headwater.connect.record.TopicShapes;
import io.headwater.connect.dataset.TransformChain;
import io.headwater.connect.send.Counters;
import io.headwater.connect.send.Events;
import io.headwater.connect.send.Redaction;
import io.headwater.connect.send.SettingDefinitions;
import io.headwater.connect.send.Settings;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.health.ConnectorHealth;
import org.apache.kafka.connect.health.TaskState;

/** One run of a connector: from its configuration to its end, all tasks of this worker together. */
final class ConnectorRun {
    final UUID id;
    final Map<String, String> shown;
    final Settings settings;
    final TopicShapes shapes;
    private final TransformChain chain;
    private final RegistryView registry;
    private final ColumnLineage columns;
    /** Whether only the transform sees the connector, and not its configuration. */
    private final boolean isAlone;
    private final String connector;
    /** As the connector gets it, with the values of config providers. */
    private final Map<String, String> config;
    private final Map<String, ConfigDef.Type> types;
    private final Map<String, String> displayed;
    private final Set<String> secrets;
    private final List<Gap> providerGaps;
    private final ClusterNames cluster;
    private final ConnectorKnowledge knowledge;
    private final Traffic traffic;
    private final Map<String, Long> closedRecords = new HashMap<>();
    private final Map<Integer, String> lastTopics = new HashMap<>();
    /** By topic, as of the last event; null before the first. */
    private Map<String, Long> reportedRecords;
    private boolean hasReportedVolume;
    /** Topics that the next event names, whether or not they had records. */
    private final Set<String> toReport = new LinkedHashSet<>();
    private Set<String> tracked = Set.of();
    private Set<String> trackedBefore = Set.of();
    private boolean hasStatedGaps;
    private boolean isIdle;
    private boolean isSink;
    private String role = "";

    ConnectorRun(
        String connector,
        Map<String, String> config,
        ProviderValues.Resolved resolved,
        Settings settings,
        ClusterNames cluster,
        ConnectorKnowledge knowledge) {
        this.connector = connector;
        this.settings = settings;
        this.cluster = cluster;
        this.knowledge = knowledge;
        this.config = new HashMap<>(resolved.config);
        this.config.putIfAbsent("name", connector);
        providerGaps = resolved.gaps;
        types = PluginDefinitions.of(config);
        secrets = Redaction.secrets(resolved.config, types);
        secrets.addAll(resolved.values);
        shown = Redaction.shown(config);
        displayed = Redaction.displayed(config, types);
        id = RunId.of(cluster.kafka, cluster.connect, connector, shown);
        String kind = settings.get(Settings.CONNECTOR_CLASS);
        if (!kind.isEmpty()) {
            this.config.put("connector.class", kind);
        }
        isAlone = config.isEmpty();
        registry = new RegistryView(settings);
        chain = new TransformChain(this.config);
        shapes = new TopicShapes(chain);
        // A transform alone knows neither the others' settings nor the connector's.
        columns = isAlone
            ? ColumnLineage.NONE
            : new ColumnLineage(knowledge.rowOf(this.config), this.config, chain, shapes, registry);
        traffic = new Traffic(connector, this.config);
    }

    /** Keeps what a task has counted that ended. */
    void taskClosed(TaskView view) {
        view.topics.forEach((topic, seen) -> closedRecords.merge(topic, seen.records(), Long::sum));
        if (view.lastTopic() != null) {
            lastTopics.put(view.task, view.lastTopic());
        }
    }

    /** Takes the last record of a task back, on which a transform after ours has failed. */
    void takeBackLast(int task, Set<TaskView> views) {
        String topic = lastTopics.remove(task);
        if (topic == null) {
            return;
        }
        long records = closedRecords.getOrDefault(topic, 0L);
        for (TaskView view : views) {
            records += view.topics.containsKey(topic) ? view.topics.get(topic).records() : 0;
        }
        // A counter that was reported does not go down: that would be a restart.
        if (reportedRecords == null || records > reportedRecords.getOrDefault(topic, 0L)) {
            closedRecords.merge(topic, -1L, Long::sum);
        }
    }

    Map<String, Object> event(Step step, ConnectorHealth health, Set<TaskView> views) {
        traffic.read();
        String role = roleOf(health, views);
        Described described = describe(role);
        isSink = described.isSink;
        Map<String, Traffic.Counts> counts = counts(described, views);
        boolean isWhole = health != null && isWhole(health);
        boolean hasVolume = isWhole || health == null;
        Set<String> changed = active(counts, hasVolume);
        Set<String> active = step == Step.STARTED ? null : changed;
        isIdle = active != null && active.isEmpty();
        RunDatasets datasets = new RunDatasets(settings, described, shapes, hasVolume ? counts : Map.of(), active);
        datasets.setRegistry(registry, isAlone && !described.isSink);
        datasets.setColumns(columns);
        if (described.isSink) {
            datasets.setDeadLetterTopic(deadLetterTopic());
        }
        Map<String, Object> run = new LinkedHashMap<>();
        run.put("runId", id.toString());
        Map<String, Object> facets = runFacets(step, health, counts);
        List<Map<String, Object>> inputs = datasets.inputs();
        List<Map<String, Object>> outputs = datasets.outputs();
        addGaps(facets, described);
        run.put("facets", facets);
        // Of a source, and of a pattern, topics may be known to this worker's memory alone.
        boolean knowsTopics = described.isSink && config.containsKey("topics");
        boolean isAll = active == null || active.containsAll(described.topics);
        Map<String, Object> job = job(described.isSink, isWhole && knowsTopics && isAll);
        return Events.runEvent(step.eventType, run, job, inputs, outputs);
    }

    /**
     * The topics with records since the last event, or with a shape that none has reported: an event
     * names no others, because a dataset that it names has been read or written.
     */
    private Set<String> active(Map<String, Traffic.Counts> counts, boolean hasVolume) {
        Set<String> active = new LinkedHashSet<>(toReport);
        active.addAll(shapes.takeFresh());
        // Volume that was left out, as tasks were not known, is reported as soon as it can be.
        boolean isFirstVolume = hasVolume && !hasReportedVolume;
        Map<String, Long> before = reportedRecords == null ? Map.of() : reportedRecords;
        Map<String, Long> records = new HashMap<>();
        counts.forEach((topic, found) -> {
            long last = before.getOrDefault(topic, 0L);
            boolean isNewTopic = reportedRecords != null && !before.containsKey(topic);
            if (found.records != last || isNewTopic || isFirstVolume && found.records > 0) {
                active.add(topic);
            }
            records.put(topic, found.records);
        });
        toReport.clear();
        reportedRecords = records;
        hasReportedVolume = hasVolume;
        return active;
    }

    private String deadLetterTopic() {
        return config.getOrDefault("errors.deadletterqueue.topic.name", "");
    }

    /** Whether no record was read or written between the last two events. */
    boolean isIdle() {
        return isIdle;
    }

    /** Whether a registry has a new version of a schema that records do not show. */
    boolean takeRegistryNews() {
        toReport.addAll(registry.takeNews(withoutShape()));
        return !toReport.isEmpty();
    }

    /** The topics with records whose schema is to be read from a registry. */
    private Set<String> withoutShape() {
        Set<String> topics = new LinkedHashSet<>();
        (reportedRecords == null ? Map.<String, Long>of() : reportedRecords).forEach((topic, records) -> {
            Shape shape = shapes.byTopic().get(topic);
            boolean isShown = shape != null && (shape.value != null || shape.inferred != null);
            if (records != 0 && (!isShown || isAlone && !isSink)) {
                topics.add(topic);
            }
        });
        return topics;
    }

    private Map<String, Object> job(boolean isSink, boolean isComplete) {
        long heartbeat = Math.max(settings.nanos(Settings.HEARTBEAT_SECONDS) / 1_000_000_000L, 1);
        String named = settings.get(Settings.CONNECTOR_NAME);
        Map<String, Object> job = new LinkedHashMap<>();
        job.put("namespace", settings.get(Settings.NAMESPACE));
        job.put("name", named.isEmpty() ? connector : named);
        job.put("facets", Map.of("jobType", Events.jobType(isSink, isComplete, heartbeat)));
        return job;
    }

    /** What it reads and writes; if that fails, its topics, and the failure as a gap. */
    private Described describe(String role) {
        try {
            return knowledge.describe(config, seenTopics(role), role, shapes.routes());
        } catch (RuntimeException | LinkageError error) {
            Counters.get().countError(connector, error);
            Set<String> topics = new LinkedHashSet<>(Template.entries(config.get("topics")));
            topics.addAll(seenTopics(role));
            return Described.ofTopics(role.equals("sink"), topics, new Gap(
                "other",
                config.getOrDefault("connector.class", connector),
                "The datasets outside of Kafka could not be derived from the configuration."));
        }
    }

    /** Reports what of the lineage is not known, one gap for each thing. */
    private void addGaps(Map<String, Object> facets, Described described) {
        Map<List<String>, Gap> gaps = new LinkedHashMap<>();
        providerGaps.forEach(gap -> gaps.put(List.of(gap.kind, gap.name), gap));
        described.gaps.forEach(gap -> gaps.put(List.of(gap.kind, gap.name), gap));
        Set<String> unshown = withoutShape();
        boolean isRegistered = !unshown.isEmpty() && unshown.stream().allMatch(topic -> registry.fields(topic) != null);
        if (!isRegistered) {
            chain.schemaGaps(described.isSink).forEach(gap -> gaps.putIfAbsent(List.of(gap.kind, gap.name), gap));
        }
        columns.gaps().forEach(gap -> gaps.putIfAbsent(List.of(gap.kind, gap.name), gap));
        registry.gaps(unshown).forEach(gap -> gaps.put(List.of(gap.kind, gap.name), gap));
        for (String key : SettingDefinitions.unknown(TransformChain.ownSettings(config).keySet())) {
            gaps.put(List.of("other", key), new Gap(
                "other", key, "This setting of the transform for lineage is not known, and has no effect."));
        }
        if (!gaps.isEmpty() || hasStatedGaps) {
            // A list without any takes back what was reported before.
            facets.put("headwater_gaps", Events.gaps(gaps.values()));
            hasStatedGaps = !gaps.isEmpty();
        }
    }

    private Map<String, Object> runFacets(
        Step step, ConnectorHealth health, Map<String, Traffic.Counts> counts) {
        Map<String, Object> own = Events.ownFacet();
        own.put("reason", step.reason);
        own.put("connector", connector);
        own.put("connectorClass", config.get("connector.class"));
        own.put("kafkaCluster", cluster.kafka);
        own.put("connectCluster", cluster.connect);
        Map<String, Object> records = new TreeMap<>();
        counts.forEach((topic, found) -> records.put(topic, found.records));
        own.put("recordsOfThisWorker", records);
        if (step == Step.STARTED && !shown.isEmpty()) {
            own.put("config", displayed);
        }
        Map<String, Object> facets = new LinkedHashMap<>();
        if (health != null) {
            own.put("state", health.connectorState().state());
            own.put("tasks", tasks(health));
        }
        if (step == Step.FAILED && health != null) {
            facets.put("errorMessage", Events.errorMessage(Redaction.text(trace(health), secrets)));
        }
        facets.put("kafka_connect", own);
        return facets;
    }

    private static Map<String, Object> tasks(ConnectorHealth health) {
        Map<String, Object> tasks = new TreeMap<>();
        health.tasksState().forEach((number, task) ->
            tasks.put(number.toString(), Map.of("state", task.state(), "worker", task.workerId())));
        return tasks;
    }

    /** The connector's own trace, else those of its tasks that failed. */
    private static String trace(ConnectorHealth health) {
        String own = health.connectorState().traceMessage();
        if (own != null && !own.isBlank()) {
            return own.trim();
        }
        Set<String> traces = new LinkedHashSet<>();
        for (TaskState task : new TreeMap<>(health.tasksState()).values()) {
            if (Condition.isFailed(task) && task.traceMessage() != null) {
                traces.add(task.traceMessage().trim());
            }
        }
        return traces.isEmpty() ? "it failed, and the worker has no trace of it" : String.join("\n", traces);
    }

    /** Records as our transform has seen them, else as the worker's clients have; bytes from these. */
    private Map<String, Traffic.Counts> counts(Described described, Set<TaskView> views) {
        Map<String, Long> seen = new HashMap<>();
        UnaryOperator<String> group = described.isSink ? topic -> topic : chain::grouped;
        closedRecords.forEach((topic, records) -> seen.merge(group.apply(topic), records, Long::sum));
        for (TaskView view : views) {
            view.topics.forEach((topic, each) -> seen.merge(group.apply(topic), each.records(), Long::sum));
        }
        Map<String, Traffic.Counts> counts = new TreeMap<>();
        for (String topic : described.topics) {
            Traffic.Counts found = described.isSink ? traffic.of(topic) : traffic.of(topic, chain);
            counts.put(topic, new Traffic.Counts(seen.getOrDefault(topic, found.records), found.bytes));
        }
        String dead = deadLetterTopic();
        if (described.isSink && !dead.isEmpty()) {
            counts.putIfAbsent(dead, traffic.deadLetters(dead));
        }
        return counts;
    }

    private Set<String> seenTopics(String role) {
        Set<String> seen = new LinkedHashSet<>(Template.entries(settings.get(Settings.TOPICS)));
        seen.addAll(shapes.byTopic().keySet());
        seen.addAll(traffic.written());
        String pattern = config.getOrDefault("topics.regex", "");
        if (!pattern.isEmpty()) {
            Pattern topics = Pattern.compile(pattern);
            Set<String> consumed = new LinkedHashSet<>(tracked);
            consumed.addAll(traffic.consumed());
            consumed.stream().filter(topic -> topics.matcher(topic).matches()).forEach(seen::add);
        } else if (role.equals("source") && traffic.written().isEmpty()) {
            // Of producers that others have named, their topics are all that is known.
            tracked.stream().filter(topic -> !trackedBefore.contains(topic)).forEach(seen::add);
        }
        return seen;
    }

    /** Takes the topics that the cluster has seen the connector use. */
    void setTracked(Set<String> topics) {
        tracked = topics;
    }

    /** Takes those of an earlier configuration, which are no evidence. */
    void setTrackedBefore(Set<String> topics) {
        trackedBefore = topics;
    }

    /** The type that the worker reports, else the one that its records showed. */
    private String roleOf(ConnectorHealth health, Set<TaskView> views) {
        if (health != null && health.type() != null) {
            String type = health.type().toString();
            return type.equals("source") || type.equals("sink") ? type : "";
        }
        views.forEach(view -> role = view.role().isEmpty() ? role : view.role());
        return role;
    }

    /** Whether all tasks are known to be with this worker. */
    private boolean isWhole(ConnectorHealth health) {
        return !health.tasksState().isEmpty()
            && health.tasksState().values().stream().allMatch(task -> cluster.isOwn(task.workerId()));
    }
}
