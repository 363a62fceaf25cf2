package io.headwater.connect.cluster;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.headwater.connect.dataset.ConnectorKnowledge;
import io.headwater.connect.record.TaskView;
import io.headwater.connect.send.Counters;
import io.headwater.connect.send.Senders;
import io.headwater.connect.send.Settings;
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
 * One per worker: its thread collects what the transforms and the REST extension observe, and
 * reports it. Both find it by get(), as they share a class loader; neither waits for it.
 */
public final class Agent {
    private static final Logger LOG = LoggerFactory.getLogger(Agent.class);
    private static final long CLOSE_MILLIS = 3_000;
    private static Agent instance;

    private final Map<String, Set<TaskView>> views = new ConcurrentHashMap<>();
    private final Queue<String> opened = new ConcurrentLinkedQueue<>();
    private final Queue<Runnable> closed = new ConcurrentLinkedQueue<>();
    private final Map<String, ConnectorWatch> watches = new HashMap<>();
    private final Senders senders = new Senders();
    private final Thread thread = new Thread(this::run, "headwater-agent");
    private volatile ClusterWatch cluster;
    private volatile Settings settings = Settings.of(System.getenv());
    private volatile ProviderValues providers = ProviderValues.NONE;
    private volatile boolean isStopping;
    private ConnectorKnowledge knowledge;
    private Map<String, ConnectorSnapshot> snapshots = Map.of();
    private long readAt;

    /** The agent of this worker, running. */
    public static synchronized Agent get() {
        if (instance == null) {
            instance = new Agent();
            instance.thread.setDaemon(true);
            instance.thread.start();
            Runtime.getRuntime().addShutdownHook(new Thread(instance::stopWithTasks, "headwater-stop"));
            Counters.get().register();
        }
        return instance;
    }

    /** Registers a task. An earlier one of the same number has ended, whether or not it was closed. */
    public void open(String connector, TaskView view) {
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

    public void close(String connector, TaskView view) {
        if (viewsOf(connector).remove(view)) {
            closed.add(() -> watchOf(connector).taskClosed(view, System.nanoTime()));
            wake();
        }
    }

    /** Has the agent's thread process soon what is new. */
    public void wake() {
        LockSupport.unpark(thread);
    }

    /** From now on the cluster is observed too. */
    public void watch(ClusterWatch found, Settings ofWorker, ProviderValues ofProviders) {
        settings = ofWorker;
        providers = ofProviders;
        cluster = found;
        wake();
    }

    /** Reports that the worker stops, and waits a little until that is sent. */
    public void stop() {
        isStopping = true;
        wake();
        try {
            thread.join(2 * CLOSE_MILLIS);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    /** When a worker without the extension stops: waits until its tasks are closed, then reports. */
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
            watches.forEach((name, watch) -> guarded(name, () -> watch.workerStops(viewsOf(name), now)));
        }
        senders.close(CLOSE_MILLIS);
    }

    private void round(long now) {
        if (cluster != null) {
            guarded("", () -> readCluster(now));
        }
        for (Runnable each = closed.poll(); each != null; each = closed.poll()) {
            guarded("", each);
        }
        Set<String> names = new HashSet<>(snapshots.keySet());
        names.addAll(views.keySet());
        names.forEach(name -> guarded(name, () -> observe(name, now)));
    }

    /** An error in one connector does not affect the others. */
    private static void guarded(String connector, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | LinkageError error) {
            Counters.get().countError(connector, error);
        }
    }

    /** A task that has just started may have a new configuration: the cluster is then read at once. */
    private void readCluster(long now) {
        boolean isDue = snapshots.isEmpty() || now - readAt >= settings.nanos(Settings.POLL_SECONDS);
        for (String name = opened.poll(); name != null; name = opened.poll()) {
            cluster.invalidate(name);
            isDue = true;
        }
        if (isDue) {
            readAt = now;
            snapshots = cluster.read(now);
        }
    }

    private void observe(String name, long now) {
        ConnectorWatch watch = watchOf(name);
        if (cluster == null) {
            watch.observeTasks(settings, viewsOf(name), now);
        } else if (snapshots.containsKey(name)) {
            watch.observe(snapshots.get(name), settings, cluster.names(), viewsOf(name), now);
            if (!snapshots.get(name).exists) {
                watches.remove(name);
                // A task may have started for a new connector of that name.
                views.computeIfPresent(name, (key, some) -> some.isEmpty() ? null : some);
                cluster.forget(name);
            }
        }
    }

    private ConnectorWatch watchOf(String name) {
        if (knowledge == null) {
            knowledge = new ConnectorKnowledge(ownRows(settings.get(Settings.CONNECTORS_FILE)));
        }
        return watches.computeIfAbsent(name, key -> new ConnectorWatch(key, knowledge, providers, senders));
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
