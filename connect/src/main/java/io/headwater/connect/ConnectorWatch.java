package io.headwater.connect;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.connect.health.ConnectorHealth;

/** One connector as this worker sees it: decides what is told, and when. For one thread. */
final class ConnectorWatch {
    /** Takes events on: a newer one under the same key replaces one that still waits. */
    interface Outlet {
        void send(Settings settings, String key, Map<String, Object> event);
    }

    private final String connector;
    private final ConnectorKnowledge knowledge;
    private final Outlet outlet;
    private ConnectorRun run;
    private ConnectorHealth health;
    /** The condition that was told last; absent where another worker tells. */
    private Condition told = Condition.ABSENT;
    private boolean isTeller;
    private long toldAt;
    private long number;

    ConnectorWatch(String connector, ConnectorKnowledge knowledge, Outlet outlet) {
        this.connector = connector;
        this.knowledge = knowledge;
        this.outlet = outlet;
    }

    /** Takes in what a worker's extension shows, and tells what is new. */
    void look(Look look, Settings settings, ClusterNames cluster, Set<TaskView> views, long now) {
        if (!look.exists) {
            tell(told.stepsTo(Condition.ABSENT), views, now);
            told = Condition.ABSENT;
            return;
        }
        if (look.config == null || look.health == null) {
            return;
        }
        adopt(look.config, settings, cluster, views, now);
        health = look.health;
        isTeller = cluster.isOwn(health.connectorState().workerId());
        Condition condition = Condition.of(health);
        if (!isTeller) {
            told = Condition.ABSENT;
        } else if (condition != null) {
            tell(told.stepsTo(condition), views, now);
            told = condition;
        }
        tellMoves(views, now);
    }

    /** Takes in that there is nothing but the transform: it sees tasks come and go. */
    void lookAlone(Settings settings, Set<TaskView> views, long now) {
        isTeller = true;
        if (views.isEmpty()) {
            tell(told.isAlive() ? List.of(Step.CLOSED) : List.of(), views, now);
            told = Condition.ABSENT;
            return;
        }
        if (run == null) {
            Settings own = settings.under(views.iterator().next().settings);
            run = new ConnectorRun(connector, Map.of(), own, ClusterNames.UNKNOWN, knowledge);
        }
        tell(told.stepsTo(Condition.RUNNING), views, now);
        told = Condition.RUNNING;
        tellMoves(views, now);
    }

    /** Takes over what a task has seen that ended. */
    void taskClosed(TaskView view, long now) {
        if (run != null) {
            while (run.shapes.takeFresh(Set.of(view))) {
                send(Step.MOVES, Set.of(view), now);
            }
            run.taskClosed(view);
        }
    }

    /** Tells that nobody works on it here any more. */
    void workerStops(Set<TaskView> views, long now) {
        if (isTeller && told.isAlive()) {
            tell(List.of(Step.WORKER_STOPPED), views, now);
            told = Condition.ABSENT;
        }
    }

    /** A configuration that differs, but for its secrets, is another run. */
    private void adopt(
        Map<String, String> config, Settings settings, ClusterNames cluster, Set<TaskView> views, long now) {
        if (run != null && run.shown.equals(Redaction.shown(config))) {
            return;
        }
        if (run != null && isTeller && told.isAlive()) {
            send(Step.RECONFIGURED, views, now);
        }
        told = Condition.ABSENT;
        Settings own = settings.under(TransformChain.ownSettings(config));
        run = new ConnectorRun(connector, config, own, cluster, knowledge);
    }

    private void tell(List<Step> steps, Set<TaskView> views, long now) {
        for (Step step : steps) {
            if (step != Step.STARTED) {
                // What a run did comes before its end.
                tellFresh(views, now);
            }
            send(step, views, now);
        }
    }

    private void tellMoves(Set<TaskView> views, long now) {
        if (isTeller && (told == Condition.ABSENT || told == Condition.STOPPED)) {
            // Its start comes first.
            return;
        }
        tellFresh(views, now);
        boolean isAlive = told.isAlive() || !isTeller && !views.isEmpty();
        if (isAlive && now - toldAt >= run.settings.nanos(Settings.HEARTBEAT_SECONDS)) {
            run.shapes.refresh(views);
            send(Step.BEATS, views, now);
        }
    }

    private void tellFresh(Set<TaskView> views, long now) {
        while (run.shapes.takeFresh(views)) {
            send(Step.MOVES, views, now);
        }
    }

    private void send(Step step, Set<TaskView> views, long now) {
        toldAt = now;
        String key = step == Step.BEATS ? "beat" : Long.toString(++number);
        outlet.send(run.settings, connector + "/" + run.id + "/" + key, run.event(step, health, views));
    }
}
