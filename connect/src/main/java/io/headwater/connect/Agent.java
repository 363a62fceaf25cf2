package io.headwater.connect;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one in each worker who tells: its thread gathers what transforms have seen and what the
 * extension can see. Both find it here, as they share a class loader; neither waits for it.
 */
final class Agent {
    private static final Logger LOG = LoggerFactory.getLogger(Agent.class);
    private static final long CLOSE_MILLIS = 3_000;
    private static Agent one;

    private final Map<String, Set<TaskView>> views = new ConcurrentHashMap<>();
    private final Queue<String> opened = new ConcurrentLinkedQueue<>();
    private final Queue<Runnable> closed = new ConcurrentLinkedQueue<>();
    private final Map<String, ConnectorWatch> watches = new HashMap<>();
    private final Outlets outlets = new Outlets();
    private final Thread thread = new Thread(this::run, "headwater-agent");
    private volatile ClusterWatch cluster;
    private volatile Settings settings = Settings.of(System.getenv());
    private volatile boolean isStopping;
    private ConnectorKnowledge knowledge;
    private Map<String, Look> looks = Map.of();
    private long lookedAt;

    /** The agent of this worker, at work. */
    static synchronized Agent get() {
        if (one == null) {
            one = new Agent();
            one.thread.setDaemon(true);
            one.thread.start();
            Runtime.getRuntime().addShutdownHook(new Thread(one::stopWithTasks, "headwater-stop"));
            Counters.get().register();
        }
        return one;
    }

    /** Takes a task in. One of the same number has ended, whether or not it was closed. */
    void open(String connector, TaskView view) {
        for (TaskView each : viewsOf(connector)) {
            if (each.task == view.task) {
                close(connector, each);
            }
        }
        views.compute(connector, (name, some) -> {
            Set<TaskView> all = some == null ? ConcurrentHashMap.newKeySet() : some;
            all.add(view);
            return all;
        });
        opened.add(connector);
        wake();
    }

    void close(String connector, TaskView view) {
        if (viewsOf(connector).remove(view)) {
            closed.add(() -> watchOf(connector).taskClosed(view, System.nanoTime()));
            wake();
        }
    }

    /** Has news looked at soon. */
    void wake() {
        LockSupport.unpark(thread);
    }

    /** From now on the cluster is looked at too. */
    void watch(ClusterWatch found, Settings ofWorker) {
        settings = ofWorker;
        cluster = found;
        wake();
    }

    /** Tells that the worker ends, and waits a little until that is sent. */
    void stop() {
        isStopping = true;
        wake();
        try {
            thread.join(2 * CLOSE_MILLIS);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    /** At the end of a worker without the extension: its tasks are closed, then all is told. */
    private void stopWithTasks() {
        long giveUp = System.nanoTime() + 10_000_000_000L;
        while (!isStopping && hasTasks() && System.nanoTime() < giveUp) {
            LockSupport.parkNanos(50_000_000L);
        }
        stop();
    }

    private boolean hasTasks() {
        return views.values().stream().anyMatch(some -> !some.isEmpty());
    }

    private void run() {
        while (!isStopping) {
            round(System.nanoTime());
            LockSupport.parkNanos(this, settings.nanos(Settings.POLL_SECONDS));
        }
        long now = System.nanoTime();
        round(now);
        if (cluster != null) {
            watches.forEach((name, watch) -> guarded(() -> watch.workerStops(viewsOf(name), now)));
        }
        outlets.close(CLOSE_MILLIS);
    }

    private void round(long now) {
        if (cluster != null) {
            guarded(() -> lookAtCluster(now));
        }
        for (Runnable each = closed.poll(); each != null; each = closed.poll()) {
            guarded(each);
        }
        Set<String> names = new HashSet<>(looks.keySet());
        names.addAll(views.keySet());
        names.forEach(name -> guarded(() -> look(name, now)));
    }

    /** What goes wrong with one connector is no matter of the others. */
    private static void guarded(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | LinkageError error) {
            Counters.get().countError(error);
        }
    }

    /** A task that has just begun may have a new configuration, and is not made to wait for it. */
    private void lookAtCluster(long now) {
        boolean isDue = looks.isEmpty() || now - lookedAt >= settings.nanos(Settings.POLL_SECONDS);
        for (String name = opened.poll(); name != null; name = opened.poll()) {
            cluster.distrust(name);
            isDue = true;
        }
        if (isDue) {
            lookedAt = now;
            looks = cluster.look(now);
        }
    }

    private void look(String name, long now) {
        ConnectorWatch watch = watchOf(name);
        if (cluster == null) {
            watch.lookAlone(settings, viewsOf(name), now);
        } else if (looks.containsKey(name)) {
            watch.look(looks.get(name), settings, cluster.names(), viewsOf(name), now);
            if (!looks.get(name).exists) {
                watches.remove(name);
                // A task may have begun for a new connector of that name.
                views.computeIfPresent(name, (key, some) -> some.isEmpty() ? null : some);
                cluster.forget(name);
            }
        }
    }

    private ConnectorWatch watchOf(String name) {
        if (knowledge == null) {
            knowledge = new ConnectorKnowledge(ownRows(settings.get(Settings.CONNECTORS_FILE)));
        }
        return watches.computeIfAbsent(name, key -> new ConnectorWatch(key, knowledge, outlets));
    }

    private Set<TaskView> viewsOf(String name) {
        Set<TaskView> found = views.get(name);
        return found == null ? new HashSet<>() : found;
    }

    /** The rows of a user's own file. */
    private static List<?> ownRows(String file) {
        if (file.isEmpty()) {
            return List.of();
        }
        try {
            Object rows = new ObjectMapper().readValue(new File(file), Map.class).get("connectors");
            if (rows instanceof List && ((List<?>) rows).stream().allMatch(row -> row instanceof Map)) {
                return (List<?>) rows;
            }
            LOG.warn("the connectors in {} are not used: it has no list \"connectors\" of objects", file);
            return List.of();
        } catch (IOException error) {
            LOG.warn("the connectors in {} are not used: {}", file, error.getMessage());
            return List.of();
        }
    }
}
