package io.headwater.connect.send;

import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;
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
    private final Map<String, Long> errorsOf = new ConcurrentHashMap<>();
    private final List<IntSupplier> waiting = new CopyOnWriteArrayList<>();
    private volatile String lastSuccess = "";
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
        lastSuccess = Instant.now().toString();
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

    /** Counts an error; of each connector the first is logged. */
    public void countError(String connector, Throwable error) {
        errors.incrementAndGet();
        if (errorsOf.merge(connector, 1L, Long::sum) == 1) {
            LOG.warn("lineage of {} could not be reported; records are passed on", connector, error);
        }
    }

    /** From now on the events that wait in a sender are shown. */
    void show(IntSupplier ofSender) {
        waiting.add(ofSender);
    }

    @Override
    public int getWaiting() {
        return waiting.stream().mapToInt(IntSupplier::getAsInt).sum();
    }

    @Override
    public String getLastSuccess() {
        return lastSuccess;
    }

    @Override
    public Map<String, Long> getErrorsByConnector() {
        return new TreeMap<>(errorsOf);
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
