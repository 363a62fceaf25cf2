package io.headwater.connect.dataset;

import java.util.List;
import java.util.Set;

/** What a connector is, reads and writes, from its configuration. */
public final class Described {
    public final boolean isSink;
    /** Whether no rule knows its class. */
    public final boolean isGuessed;
    public final Set<String> topics;
    public final List<External> externals;
    /** Those of its topics that are for its own use, such as heartbeats: no table is in them. */
    public final Set<String> ownTopics;
    public final Set<Gap> gaps;
    /** Whether it writes the new state of a row out of a change event of Debezium. */
    public final boolean isUnwrapping;

    Described(
        boolean isSink,
        boolean isGuessed,
        Set<String> topics,
        List<External> externals,
        Set<String> ownTopics,
        Set<Gap> gaps,
        boolean isUnwrapping) {
        this.isSink = isSink;
        this.isGuessed = isGuessed;
        this.topics = topics;
        this.externals = externals;
        this.ownTopics = ownTopics;
        this.gaps = gaps;
        this.isUnwrapping = isUnwrapping;
    }

    /** A connector of which only its topics are known. */
    public static Described ofTopics(boolean isSink, Set<String> topics, Gap gap) {
        return new Described(isSink, true, topics, List.of(), Set.of(), Set.of(gap), false);
    }
}
