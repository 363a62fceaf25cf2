package io.headwater.connect.dataset;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** The topics that records had before and after the transforms of a connector. */
public final class RecordRoutes {
    /** Of a sink: the topics after all transforms, by the topic that is read. */
    public final Map<String, Set<String>> finals = new HashMap<>();
    /** Of a source: the topic before all transforms, by the topic that is written. */
    public final Map<String, String> origins = new HashMap<>();

    /** Adds the topic that records of a sink end in. */
    public void add(String topic, String finalTopic) {
        finals.computeIfAbsent(topic, name -> new LinkedHashSet<>()).add(finalTopic);
    }
}
