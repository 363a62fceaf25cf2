package io.headwater.connect;

/** Something that happens to a connector: the type of its event, and why. */
enum Step {
    STARTED("START", "started"),
    MOVES("RUNNING", "records"),
    BEATS("RUNNING", "heartbeat"),
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
