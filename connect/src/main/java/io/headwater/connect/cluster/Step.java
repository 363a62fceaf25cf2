package io.headwater.connect.cluster;

/** A change of a connector that is reported: the type of its event, and the reason in it. */
enum Step {
    STARTED("START", "started"),
    RECORDS("RUNNING", "records"),
    HEARTBEAT("RUNNING", "heartbeat"),
    PAUSED("OTHER", "paused"),
    RESUMED("OTHER", "resumed"),
    FAILED("FAIL", "failed"),
    STOPPED("ABORT", "stopped"),
    DELETED("ABORT", "deleted"),
    CLOSED("ABORT", "all tasks were closed"),
    WORKER_STOPPED("ABORT", "the worker was stopped"),
    RECONFIGURED("COMPLETE", "reconfigured");

    final String eventType;
    final String reason;

    Step(String eventType, String reason) {
        this.eventType = eventType;
        this.reason = reason;
    }
}
