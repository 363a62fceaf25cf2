package io.headwater.connect.send;

import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.JMException;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How many events this worker has sent and lost, shown by JMX. */
public final class Counters implements CountersMXBean {
    public static final String NAME = "io.headwater.connect:type=lineage";

    private static final Logger LOG = LoggerFactory.getLogger(Counters.class);
    private static final Counters ONE = new Counters();
    /** Between two warnings about dropped events: they must not fill the log. */
    private static final long WARN_NANOS = 300_000_000_000L;

    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong attempts = new AtomicLong();
    private final AtomicLong errors = new AtomicLong();
    private long warnedAt = System.nanoTime() - WARN_NANOS;

    public static Counters get() {
        return ONE;
    }

    public void register() {
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
        if (System.nanoTime() - warnedAt >= WARN_NANOS) {
            warnedAt = System.nanoTime();
            LOG.warn("lineage was dropped ({} events so far): {}", dropped, reason);
        }
    }

    public void countError(Throwable error) {
        if (errors.getAndIncrement() == 0) {
            LOG.warn("lineage could not be reported; records are passed on", error);
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
