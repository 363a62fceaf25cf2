package io.headwater.connect.cluster;

import java.util.List;
import org.apache.kafka.connect.health.ConnectorHealth;
import org.apache.kafka.connect.health.TaskState;

/** The condition of a connector, and the events that report its changes. */
enum Condition {
    /** Does not exist, or was not seen so far. */
    ABSENT,
    RUNNING,
    PAUSED,
    FAILED,
    STOPPED;

    /** The condition of a connector and its tasks; null while it changes from one to another. */
    static Condition of(ConnectorHealth health) {
        String state = health.connectorState().state();
        if (state.equals("STOPPED")) {
            return STOPPED;
        }
        if (state.equals("FAILED") || health.tasksState().values().stream().anyMatch(Condition::isFailed)) {
            return FAILED;
        }
        if (state.equals("RUNNING")) {
            return RUNNING;
        }
        return state.equals("PAUSED") ? PAUSED : null;
    }

    static boolean isFailed(TaskState task) {
        return task.state().equals("FAILED");
    }

    /** Whether the run continues. */
    boolean isAlive() {
        return this == RUNNING || this == PAUSED;
    }

    /** The events that lead from this condition to another. */
    List<Step> stepsTo(Condition next) {
        if (next == this) {
            return List.of();
        }
        switch (next) {
            case RUNNING:
                return List.of(this == PAUSED ? Step.RESUMED : Step.STARTED);
            case PAUSED:
                return this == RUNNING ? List.of(Step.PAUSED) : List.of(Step.STARTED, Step.PAUSED);
            case FAILED:
                return isAlive() ? List.of(Step.FAILED) : List.of(Step.STARTED, Step.FAILED);
            case STOPPED:
                return isAlive() ? List.of(Step.STOPPED) : List.of();
            default:
                return List.of(isAlive() ? Step.DELETED : Step.DELETED_AFTER_END);
        }
    }
}
