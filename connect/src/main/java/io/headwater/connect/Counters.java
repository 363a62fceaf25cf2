package io.headwater.connect;

import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.JMException;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How much was sent and lost by this worker, shown by JMX. */
final class Counters implements CountersMXBean {
    static final String NAME = "io.headwater.connect:type=lineage";

    private static final Logger LOG = LoggerFactory.getLogger(Counters.class);
    private static final Counters ONE = new Counters();
    /** Between words on what was dropped: a log is not to be filled by it. */
    private static final long TELL_NANOS = 300_000_000_000L;

    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong attempts = new AtomicLong();
    private final AtomicLong errors = new AtomicLong();
    private long toldAt = System.nanoTime() - TELL_NANOS;

    static Counters get() {
        return ONE;
    }

    void register() {
        try {
            ObjectName name = new ObjectName(NAME);
            if (!ManagementFactory.getPlatformMBeanServer().isRegistered(name)) {
                ManagementFactory.getPlatformMBeanServer().registerMBean(this, name);
            }
        } catch (JMException error) {
            LOG.debug("no counters in JMX", error);
        }
    }

    void countSent() {
        sent.incrementAndGet();
    }

    void countFailedAttempt(Exception error) {
        attempts.incrementAndGet();
        LOG.debug("an event was not sent: {}", error.toString());
    }

    synchronized void countDropped(String reason) {
        dropped.incrementAndGet();
        if (System.nanoTime() - toldAt >= TELL_NANOS) {
            toldAt = System.nanoTime();
            LOG.warn("lineage was dropped ({} events so far): {}", dropped, reason);
        }
    }

    void countError(Throwable error) {
        if (errors.getAndIncrement() == 0) {
            LOG.warn("lineage of a record could not be told; the record goes on", error);
        }
    }

    @Override
    public long getSent() {
        return sent.get();
    }

    @Override
    public long getDropped() {
        return dropped.get();
    }

    @Override
    public long getFailedAttempts() {
        return attempts.get();
    }

    @Override
    public long getErrors() {
        return errors.get();
    }
}
