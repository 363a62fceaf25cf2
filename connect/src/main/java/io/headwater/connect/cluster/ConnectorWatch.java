package io.headwater.connect.cluster;

import io.headwater.connect.dataset.ConnectorKnowledge;
import io.headwater.connect.dataset.TaskView;
import io.headwater.connect.dataset.TransformChain;
import io.headwater.connect.send.Emitter;
import io.headwater.connect.send.Redaction;
import io.headwater.connect.send.Settings;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.connect.health.ConnectorHealth;

/** One connector as this worker sees it: decides what is reported, and when. For one thread. */
final class ConnectorWatch {
    private final String connector;
    private final ConnectorKnowledge knowledge;
    private final Emitter emitter;
    private ConnectorRun run;
    private ConnectorHealth health;
    /** The condition that was reported last; absent where another worker reports. */
    private Condition reported = Condition.ABSENT;
    private boolean isReporter;
    private long reportedAt;
    private long number;

    ConnectorWatch(String connector, ConnectorKnowledge knowledge, Emitter emitter) {
        this.connector = connector;
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
        health = snapshot.health;
        isReporter = cluster.isOwn(health.connectorState().workerId());
        Condition condition = Condition.of(health);
        if (!isReporter) {
            reported = Condition.ABSENT;
        } else if (condition != null) {
            report(reported.stepsTo(condition), views, now);
            reported = condition;
        }
        reportRecords(views, now);
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
            Settings own = settings.under(views.iterator().next().settings);
            run = new ConnectorRun(connector, Map.of(), own, ClusterNames.UNKNOWN, knowledge);
        }
        report(reported.stepsTo(Condition.RUNNING), views, now);
        reported = Condition.RUNNING;
        reportRecords(views, now);
    }

    /** Keeps what a task has seen that ended. */
    void taskClosed(TaskView view, long now) {
        if (run != null) {
            while (run.shapes.takeNewShapes(Set.of(view))) {
                send(Step.RECORDS, Set.of(view), now);
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
        reported = Condition.ABSENT;
        Settings own = settings.under(TransformChain.ownSettings(config));
        run = new ConnectorRun(connector, config, own, cluster, knowledge);
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
        boolean isAlive = reported.isAlive() || !isReporter && !views.isEmpty();
        if (isAlive && now - reportedAt >= run.settings.nanos(Settings.HEARTBEAT_SECONDS)) {
            run.shapes.refresh(views);
            send(Step.HEARTBEAT, views, now);
        }
    }

    private void reportNewShapes(Set<TaskView> views, long now) {
        while (run.shapes.takeNewShapes(views)) {
            send(Step.RECORDS, views, now);
        }
    }

    private void send(Step step, Set<TaskView> views, long now) {
        reportedAt = now;
        String key = step == Step.HEARTBEAT ? "beat" : Long.toString(++number);
        emitter.send(run.settings, connector + "/" + run.id + "/" + key, run.event(step, health, views));
    }
}
