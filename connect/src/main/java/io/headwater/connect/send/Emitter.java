package io.headwater.connect.send;

import java.util.Map;

/** Accepts events to be sent: a newer one replaces one of the same key that still waits. */
public interface Emitter {
    void send(Settings settings, String key, Map<String, Object> event);
}
