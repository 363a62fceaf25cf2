package io.headwater.connect.cluster;

import io.headwater.connect.dataset.ConnectorKnowledge;
import io.headwater.connect.record.TaskView;
import io.headwater.connect.dataset.TransformChain;
import io.headwater.connect.send.Emitter;
import io.headwater.connect.send.Redaction;
import io.headwater.connect.send.Settings;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.connect.health.ConnectorHealth;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One connector as this worker sees it: decides what is reported, and when. For one thread. */
final class ConnectorWatch {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectorWatch.class);
    /** So long a worker may show the failures of tasks that it has replaced. */
    private static final long SETTLE_NANOS = 10_000_000_000L;
    private static final long ALONE_NANOS = 1_000_000_000L;
    private static final String TASK = "task ";
    /** In the trace of a record that a transform could not process. */
    private static final String IN_TRANSFORM = "org.apache.kafka.connect.runtime.Transformation";

    private final String connector;
    private final ConnectorKnowledge knowledge;
    private final ProviderValues providers;
    private final Emitter emitter;
    private ConnectorRun run;
    private ConnectorHealth health;
    private Set<String> topics = Set.of();
    /** The condition that was reported last; absent where another worker reports. */
    private Condition reported = Condition.ABSENT;
    private boolean isReporter;
    /** Those that have failed and were reported. */
    private Set<String> failuresReported = Set.of();
    /** Failures of the run before, which a worker still shows for a moment. */
    private Map<String, String> failuresBefore = Map.of();
    private long startedAt;
    private long reportedAt;
    private long number;

    ConnectorWatch(String connector, ConnectorKnowledge knowledge, ProviderValues providers, Emitter emitter) {
        this.connector = connector;
        this.providers = providers;
        this.knowledge = knowledge;
        this.emitter = emitter;
    }

    /** Compares with what the worker's extension reads, and reports what is new. */
    void observe(
        ConnectorSnapshot snapshot, Settings settings, ClusterNames cluster, Set<TaskView> views, long now) {
        if (!snapshot.exists) {
            report(reported.stepsTo(Condition.ABSENT), views, now);
            reported = Condition.ABSENT;
            return;
        }
        if (snapshot.config == null || snapshot.health == null) {
            return;
        }
        adopt(snapshot.config, settings, cluster, views, now);
        topics = snapshot.topics;
        run.setTracked(topics);
        health = snapshot.health;
        isReporter = cluster.isOwn(health.connectorState().workerId());
        Condition condition = isOfRunBefore(now) ? null : Condition.of(health);
        if (!isReporter) {
            reported = Condition.ABSENT;
        } else if (condition != null) {
            takeBackFailed(views);
            report(reported.stepsTo(condition), views, now);
            reportFurtherFailures(condition, views, now);
            reported = condition;
        }
        reportRecords(views, now);
    }

    /** Whether failures are still those of the run before: a new configuration is known earlier. */
    private boolean isOfRunBefore(long now) {
        Map<String, String> failures = failures(health);
        boolean isSame = !failures.isEmpty() && failures.equals(failuresBefore);
        if (!isSame || now - startedAt >= SETTLE_NANOS) {
            failuresBefore = Map.of();
            return false;
        }
        return true;
    }

    /** A record on which a transform fails was seen by ours, and is not written. */
    private void takeBackFailed(Set<TaskView> views) {
        failures(health).forEach((failed, trace) -> {
            if (!failuresReported.contains(failed) && failed.startsWith(TASK) && trace.contains(IN_TRANSFORM)) {
                run.takeBackLast(Integer.parseInt(failed.substring(TASK.length())), views);
            }
        });
    }

    /** Another task that fails is reported too, with its own trace. */
    private void reportFurtherFailures(Condition condition, Set<TaskView> views, long now) {
        Map<String, String> failures = failures(health);
        if (condition == Condition.FAILED && reported == Condition.FAILED) {
            for (String failed : failures.keySet()) {
                if (!failuresReported.contains(failed)) {
                    send(Step.FAILED, views, now);
                    break;
                }
            }
        }
        failuresReported = failures.keySet();
    }

    /** The traces of the connector and of its tasks that have failed, by who has. */
    private static Map<String, String> failures(ConnectorHealth health) {
        Map<String, String> found = new TreeMap<>();
        if (health.connectorState().state().equals("FAILED")) {
            found.put("connector", String.valueOf(health.connectorState().traceMessage()));
        }
        health.tasksState().forEach((number, task) -> {
            if (Condition.isFailed(task)) {
                found.put(TASK + number, String.valueOf(task.traceMessage()));
            }
        });
        return found;
    }

    /** The same with nothing but the transform, which sees tasks come and go. */
    void observeTasks(Settings settings, Set<TaskView> views, long now) {
        isReporter = true;
        if (views.isEmpty()) {
            report(reported.isAlive() ? List.of(Step.CLOSED) : List.of(), views, now);
            reported = Condition.ABSENT;
            return;
        }
        if (run == null) {
            startedAt = startedAt == 0 ? now : startedAt;
            boolean hasRecords = views.stream().anyMatch(view -> !view.topics.isEmpty());
            if (!hasRecords && now - startedAt < ALONE_NANOS) {
                // The worker shows its transforms a moment after it has made them.
                return;
            }
            Settings own = settings.under(views.iterator().next().settings);
            ProviderValues.Resolved known = providers.resolve(Map.of());
            known.config.putAll(TransformBeans.around(connector));
            run = new ConnectorRun(connector, Map.of(), known, own, ClusterNames.UNKNOWN, knowledge);
            LOG.info(
                "lineage of {} to {}, namespace {}, heartbeat every {} s, without the extension",
                connector, own.target(), own.get(Settings.NAMESPACE), own.get(Settings.HEARTBEAT_SECONDS));
        }
        report(reported.stepsTo(Condition.RUNNING), views, now);
        reported = Condition.RUNNING;
        reportRecords(views, now);
    }

    /** Keeps what a task has seen that ended. */
    void taskClosed(TaskView view, long now) {
        if (run != null) {
            while (run.shapes.takeNewShapes(Set.of(view))) {
                send(reported == Condition.FAILED ? Step.RECORDS_AFTER_FAILURE : Step.RECORDS, Set.of(view), now);
            }
            run.taskClosed(view);
        }
    }

    /** Reports that no worker here runs it any more. */
    void workerStops(Set<TaskView> views, long now) {
        if (isReporter && reported.isAlive()) {
            report(List.of(Step.WORKER_STOPPED), views, now);
            reported = Condition.ABSENT;
        }
    }

    /** A configuration that differs, but for its secrets, is another run. */
    private void adopt(
        Map<String, String> config, Settings settings, ClusterNames cluster, Set<TaskView> views, long now) {
        if (run != null && run.shown.equals(Redaction.shown(config))) {
            return;
        }
        if (run != null && isReporter && reported.isAlive()) {
            send(Step.RECONFIGURED, views, now);
        }
        failuresBefore = run == null || health == null ? Map.of() : failures(health);
        failuresReported = Set.of();
        startedAt = now;
        reported = Condition.ABSENT;
        ProviderValues.Resolved resolved = providers.resolve(config);
        Settings own = settings.under(TransformChain.ownSettings(resolved.config));
        boolean isFirst = run == null;
        run = new ConnectorRun(connector, config, resolved, own, cluster, knowledge);
        // What the cluster has tracked so far may be of the configuration before.
        run.setTrackedBefore(isFirst ? Set.of() : topics);
    }

    private void report(List<Step> steps, Set<TaskView> views, long now) {
        for (Step step : steps) {
            if (step != Step.STARTED) {
                // What a run did comes before its end.
                reportNewShapes(views, now);
            }
            send(step, views, now);
        }
    }

    private void reportRecords(Set<TaskView> views, long now) {
        if (isReporter && (reported == Condition.ABSENT || reported == Condition.STOPPED)) {
            // Its start comes first.
            return;
        }
        reportNewShapes(views, now);
        boolean isAlive = reported.isAlive() || isPartly() || !isReporter && !views.isEmpty();
        if (isAlive && now - reportedAt >= run.settings.nanos(Settings.HEARTBEAT_SECONDS)) {
            run.shapes.refresh(views);
            send(isPartly() ? Step.HEARTBEAT_AFTER_FAILURE : Step.HEARTBEAT, views, now);
        }
    }

    /** Whether some task has failed while another continues. */
    private boolean isPartly() {
        return reported == Condition.FAILED
            && health.tasksState().values().stream().anyMatch(task -> task.state().equals("RUNNING"));
    }

    private void reportNewShapes(Set<TaskView> views, long now) {
        Step step = reported == Condition.FAILED ? Step.RECORDS_AFTER_FAILURE : Step.RECORDS;
        while (run.shapes.takeNewShapes(views)) {
            send(step, views, now);
        }
        if (run.takeRegistryNews()) {
            send(step, views, now);
        }
    }

    private void send(Step step, Set<TaskView> views, long now) {
        reportedAt = now;
        Map<String, Object> event = run.event(step, health, views);
        // A heartbeat without records does not replace one with records that still waits.
        String beat = run.isIdle() ? "idle" : "beat";
        String key = step.isHeartbeat() ? beat : Long.toString(++number);
        emitter.send(run.settings, connector + "/" + run.id + "/" + key, event);
    }
}
