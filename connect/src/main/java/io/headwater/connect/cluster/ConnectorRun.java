package io.headwater.connect.cluster;

import io.headwater.connect.dataset.ConnectorKnowledge;
import io.headwater.connect.dataset.Described;
import io.headwater.connect.dataset.TaskView;
import io.headwater.connect.dataset.Template;
import io.headwater.connect.dataset.TopicShapes;
import io.headwater.connect.dataset.TransformChain;
import io.headwater.connect.send.Events;
import io.headwater.connect.send.Redaction;
import io.headwater.connect.send.Settings;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.kafka.connect.health.ConnectorHealth;
import org.apache.kafka.connect.health.TaskState;

/** One run of a connector: from its configuration to its end, all tasks of this worker together. */
final class ConnectorRun {
    final UUID id;
    final Map<String, String> shown;
    final Settings settings;
    final TopicShapes shapes;
    private final String connector;
    private final Map<String, String> config;
    private final ClusterNames cluster;
    private final ConnectorKnowledge knowledge;
    private final Traffic traffic;
    private final Map<String, Long> closedRecords = new HashMap<>();
    private String role = "";

    ConnectorRun(
        String connector,
        Map<String, String> config,
        Settings settings,
        ClusterNames cluster,
        ConnectorKnowledge knowledge) {
        this.connector = connector;
        this.settings = settings;
        this.cluster = cluster;
        this.knowledge = knowledge;
        this.config = new HashMap<>(config);
        this.config.putIfAbsent("name", connector);
        shown = Redaction.shown(config);
        id = RunId.of(cluster.kafka, cluster.connect, connector, shown);
        String kind = settings.get(Settings.CONNECTOR_CLASS);
        if (!kind.isEmpty()) {
            this.config.put("connector.class", kind);
        }
        shapes = new TopicShapes(new TransformChain(config));
        traffic = new Traffic(connector);
    }

    /** Keeps what a task has counted that ended. */
    void taskClosed(TaskView view) {
        view.topics.forEach((topic, seen) -> closedRecords.merge(topic, seen.records(), Long::sum));
    }

    Map<String, Object> event(Step step, ConnectorHealth health, Set<TaskView> views) {
        traffic.read();
        String role = roleOf(health, views);
        Described described = knowledge.describe(config, seenTopics(), role);
        Map<String, Traffic.Counts> counts = counts(described.topics, views);
        boolean isWhole = health != null && isWhole(health);
        RunDatasets datasets = new RunDatasets(
            settings,
            described,
            shapes.byTopic(),
            isWhole || health == null ? counts : Map.of());
        Map<String, Object> run = new LinkedHashMap<>();
        run.put("runId", id.toString());
        run.put("facets", runFacets(step, health, counts));
        // Of a source, and of a pattern, topics may be known to this worker's memory alone.
        boolean knowsTopics = described.isSink && config.containsKey("topics");
        Map<String, Object> job = job(described.isSink, isWhole && knowsTopics);
        return Events.runEvent(step.eventType, run, job, datasets.inputs(), datasets.outputs());
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
            own.put("config", shown);
        }
        Map<String, Object> facets = new LinkedHashMap<>();
        if (health != null) {
            own.put("state", health.connectorState().state());
            own.put("tasks", tasks(health));
        }
        if (step == Step.FAILED && health != null) {
            facets.put("errorMessage", Events.errorMessage(Redaction.text(trace(health), config)));
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

    /** The connector's own trace, else that of its first task that failed. */
    private static String trace(ConnectorHealth health) {
        String own = health.connectorState().traceMessage();
        if (own != null && !own.isBlank()) {
            return own.trim();
        }
        for (TaskState task : new TreeMap<>(health.tasksState()).values()) {
            if (Condition.isFailed(task) && task.traceMessage() != null) {
                return task.traceMessage().trim();
            }
        }
        return "it failed, and the worker has no trace of it";
    }

    /** Records as our transform has seen them, else as the worker's clients have; bytes from these. */
    private Map<String, Traffic.Counts> counts(Set<String> topics, Set<TaskView> views) {
        Map<String, Long> seen = new HashMap<>(closedRecords);
        for (TaskView view : views) {
            view.topics.forEach((topic, each) -> seen.merge(topic, each.records(), Long::sum));
        }
        Map<String, Traffic.Counts> counts = new TreeMap<>();
        for (String topic : topics) {
            Traffic.Counts found = traffic.of(topic);
            counts.put(topic, new Traffic.Counts(seen.getOrDefault(topic, found.records), found.bytes));
        }
        return counts;
    }

    private Set<String> seenTopics() {
        Set<String> seen = new LinkedHashSet<>(Template.entries(settings.get(Settings.TOPICS)));
        seen.addAll(shapes.byTopic().keySet());
        seen.addAll(traffic.written());
        return seen;
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
