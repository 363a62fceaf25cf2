package io.headwater.connect.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

class TaskIdentityTest {
    private static String identity(String context, String thread) {
        TaskIdentity found = TaskIdentity.of(context, thread);
        return found.connector + " " + found.task;
    }

    @Test
    void theLoggingContextTells() {
        assertEquals("orders-source 1", identity("[orders-source|task-1] ", "any"));
        assertEquals("orders-source 12", identity("[orders-source|task-12|offsets] ", "any"));
        assertEquals("a|b c 0", identity("[a|b c|task-0] ", "any"));
    }

    @Test
    void aThreadTellsWhereThereIsNoContext() {
        assertEquals("orders-2 3", identity(null, "task-thread-orders-2-3"));
        assertNull(TaskIdentity.of(null, "main"));
        assertNull(TaskIdentity.of("none of ours", "main"));
    }
}
