package io.headwater.connect;

import java.util.List;
import java.util.Set;

/** What a connector is, reads and writes, as its configuration tells. */
final class Described {
    final boolean isSink;
    /** Whether its class is none that is known. */
    final boolean isGuessed;
    final Set<String> topics;
    final List<External> externals;

    Described(boolean isSink, boolean isGuessed, Set<String> topics, List<External> externals) {
        this.isSink = isSink;
        this.isGuessed = isGuessed;
        this.topics = topics;
        this.externals = externals;
    }
}
