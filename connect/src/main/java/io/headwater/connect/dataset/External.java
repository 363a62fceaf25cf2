package io.headwater.connect.dataset;

import java.util.Set;

/** A dataset outside Kafka, and the topics that it fills or is filled from. */
public final class External {
    public final DatasetName name;
    public final Set<String> topics;
    /** What a catalog calls it, or null. */
    public final DatasetName other;

    public External(DatasetName name, Set<String> topics, DatasetName other) {
        this.name = name;
        this.topics = topics;
        this.other = other;
    }
}
