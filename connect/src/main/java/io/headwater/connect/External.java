package io.headwater.connect;

import java.util.Set;

/** A dataset outside Kafka, and the topics that it fills or is filled from. */
final class External {
    final DatasetName name;
    final Set<String> topics;
    /** What a catalog calls it, or null. */
    final DatasetName other;

    External(DatasetName name, Set<String> topics, DatasetName other) {
        this.name = name;
        this.topics = topics;
        this.other = other;
    }
}
