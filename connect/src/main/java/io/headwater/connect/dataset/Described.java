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

    Described(boolean isSink, boolean isGuessed, Set<String> topics, List<External> externals) {
        this.isSink = isSink;
        this.isGuessed = isGuessed;
        this.topics = topics;
        this.externals = externals;
    }
}
