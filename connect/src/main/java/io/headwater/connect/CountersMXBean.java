package io.headwater.connect;

/** What JMX shows of this worker's lineage. */
public interface CountersMXBean {
    /** Events that were taken. */
    long getSent();

    /** Events that were lost: refused, or too many waited. */
    long getDropped();

    /** Times that an event was not taken, and tried again. */
    long getFailedAttempts();

    /** Records and looks at the cluster that lineage could not be told of. */
    long getErrors();
}
