package io.headwater.connect.dataset;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.transforms.Transformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the transforms after ours make of a source's record. Kafka's own are functions of a record
 * alone, so they are applied here once more, to one record of each shape. Others are not: they may
 * do anything.
 */
final class FollowingTransforms {
    private static final Logger LOG = LoggerFactory.getLogger(FollowingTransforms.class);
    private static final String KAFKAS = "org.apache.kafka.connect.transforms.";

    private final List<Transformation<SourceRecord>> transforms = new ArrayList<>();

    private FollowingTransforms() {}

    /** Whether a transform's effect can be computed; that of one with a predicate cannot. */
    static boolean canFollow(Map<String, String> config, String name) {
        String type = config.getOrDefault("transforms." + name + ".type", "");
        return type.startsWith(KAFKAS) && !config.containsKey("transforms." + name + ".predicate");
    }

    /** The transforms of these names; null where one of them cannot be created. */
    static FollowingTransforms of(Map<String, String> config, List<String> names) {
        FollowingTransforms found = new FollowingTransforms();
        try {
            for (String name : names) {
                found.add(config, "transforms." + name + ".");
            }
            return found;
        } catch (ReflectiveOperationException | RuntimeException | LinkageError error) {
            LOG.debug("the effect of the transforms after ours is not known: {}", error.toString());
            return null;
        }
    }

    @SuppressWarnings("unchecked")
    private void add(Map<String, String> config, String prefix) throws ReflectiveOperationException {
        Map<String, String> own = new HashMap<>();
        config.forEach((key, value) -> {
            if (key.startsWith(prefix)) {
                own.put(key.substring(prefix.length()), value);
            }
        });
        Object made = Class.forName(own.get("type")).getDeclaredConstructor().newInstance();
        Transformation<SourceRecord> transform = (Transformation<SourceRecord>) made;
        transform.configure(own);
        transforms.add(transform);
    }

    /** The record as the topic gets it; null where it is filtered out, or not known. */
    ConnectRecord<?> apply(ConnectRecord<?> record) {
        if (!(record instanceof SourceRecord)) {
            return null;
        }
        SourceRecord changed = (SourceRecord) record;
        try {
            for (Transformation<SourceRecord> each : transforms) {
                changed = changed == null ? null : each.apply(changed);
            }
            return changed;
        } catch (RuntimeException error) {
            // The task itself meets this error, and handles it as configured.
            LOG.debug("the effect of the transforms after ours on a record is not known: {}", error.toString());
            return null;
        }
    }
}
