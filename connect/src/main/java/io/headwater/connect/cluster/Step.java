package io.headwater.connect.cluster;

/** A change of a connector that is reported: the type of its event, and the reason in it. */
enum Step {
    STARTED("START", "started"),
    RECORDS("RUNNING", "records"),
    HEARTBEAT("RUNNING", "heartbeat"),
    PAUSED("OTHER", "paused"),
    RESUMED("OTHER", "resumed"),
    FAILED("FAIL", "failed"),
    /** A failed run stays failed while other tasks of it continue. */
    RECORDS_AFTER_FAILURE("OTHER", "records"),
    HEARTBEAT_AFTER_FAILURE("OTHER", "heartbeat"),
    STOPPED("ABORT", "stopped"),
    DELETED("ABORT", "deleted"),
    /** The run had ended before, with a state that remains. */
    DELETED_AFTER_END("OTHER", "deleted"),
    CLOSED("ABORT", "all tasks were closed"),
    WORKER_STOPPED("ABORT", "the worker was stopped"),
    RECONFIGURED("COMPLETE", "reconfigured");

    final String eventType;
    final String reason;

    Step(String eventType, String reason) {
        this.eventType = eventType;
        this.reason = reason;
    }

    boolean isHeartbeat() {
        return this == HEARTBEAT || this == HEARTBEAT_AFTER_FAILURE;
    }
}
