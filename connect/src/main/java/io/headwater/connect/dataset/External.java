package io.headwater.connect.dataset;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** A dataset outside Kafka, and the topics that it fills or is filled from. */
public final class External {
    public final DatasetName name;
    /** What a catalog calls it, or null. */
    public final DatasetName other;
    /** Whether its name depends on a transform whose effect is not known. */
    public final boolean isGuessed;
    private final Map<String, String> finals = new LinkedHashMap<>();

    public External(DatasetName name, DatasetName other, boolean isGuessed) {
        this.name = name;
        this.other = other;
        this.isGuessed = isGuessed;
    }

    /** Adds a topic; the final one is that which its records have after all transforms. */
    public External with(String topic, String finalTopic) {
        finals.put(topic, finalTopic);
        return this;
    }

    public Set<String> topics() {
        return finals.keySet();
    }

    /** The topic that records of a topic have after all transforms. */
    public String finalOf(String topic) {
        return finals.get(topic);
    }
}
