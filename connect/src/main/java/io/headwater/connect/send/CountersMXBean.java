package io.headwater.connect.send;

/** What JMX shows of this worker's lineage. */
public interface CountersMXBean {
    /** Events that the server accepted. */
    long getSent();

    /** Events that were lost: refused, or too many waited. */
    long getDropped();

    /** Attempts that failed and were repeated. */
    long getFailedAttempts();

    /** Errors while records or the cluster were observed. */
    long getErrors();
}
