package io.headwater.connect.cluster;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.MDC;

/** The connector and task that the current thread works for, from Connect's logging context. */
public final class TaskIdentity {
    private static final Pattern CONTEXT =
        Pattern.compile("\\[(.+?)(?:\\|task-(\\d+))?(?:\\|[a-z]+)?\\]\\s*");
    private static final Pattern THREAD = Pattern.compile("task-thread-(.+)-(\\d+)");

    public final String connector;
    public final int task;

    private TaskIdentity(String connector, int task) {
        this.connector = connector;
        this.task = task;
    }

    /** That of the current thread, or null where it is not known. */
    public static TaskIdentity current() {
        return of(MDC.get("connector.context"), Thread.currentThread().getName());
    }

    /** A worker whose logging keeps no context still names the threads of its tasks. */
    static TaskIdentity of(String context, String thread) {
        if (context != null) {
            Matcher found = CONTEXT.matcher(context);
            if (found.matches()) {
                String task = found.group(2);
                return new TaskIdentity(found.group(1), task == null ? 0 : Integer.parseInt(task));
            }
        }
        Matcher found = THREAD.matcher(thread);
        return found.matches()
            ? new TaskIdentity(found.group(1), Integer.parseInt(found.group(2)))
            : null;
    }
}
