package io.headwater.connect.send;

import java.util.Map;

/** What JMX shows of this worker's lineage. */
public interface CountersMXBean {
    /** Events that the server accepted. */
    long getSent();

    /** Events that were lost: refused, or too many waited. */
    long getDropped();

    /** Attempts that failed and were repeated. */
    long getFailedAttempts();

    /** Events that wait to be sent. */
    int getWaiting();

    /** When the server last accepted an event, as a time in UTC; empty if it never has. */
    String getLastSuccess();

    /** The errors by connector; those without one have none. */
    Map<String, Long> getErrorsByConnector();

    /** Errors while records or the cluster were observed. */
    long getErrors();
}
