package io.headwater.connect.dataset;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The transforms of a connector, and what those around ours may do to records. */
public final class TransformChain {
    private static final String OURS = "io.headwater.connect.HeadwaterTransform";
    private static final String KAFKA = "org.apache.kafka.connect.transforms.";
    private static final Set<String> KEEP_SCHEMA = Set.of(
        KAFKA + "InsertHeader",
        KAFKA + "DropHeaders",
        KAFKA + "Filter",
        KAFKA + "RegexRouter",
        KAFKA + "TimestampRouter");

    private final List<String> before;
    private final List<String> after;
    private final Map<String, String> config;

    /** The transforms around ours; without a configuration none are known. */
    public TransformChain(Map<String, String> config) {
        List<String> names = Template.entries(config.get("transforms"));
        int own = 0;
        while (own < names.size() && !OURS.equals(type(config, names.get(own)))) {
            own++;
        }
        this.config = config;
        before = names.subList(0, own);
        after = own < names.size() ? names.subList(own + 1, names.size()) : List.of();
    }

    /** The settings of our transform, as a connector's configuration has them. */
    public static Map<String, String> ownSettings(Map<String, String> config) {
        Map<String, String> found = new HashMap<>();
        for (String name : Template.entries(config.get("transforms"))) {
            String prefix = "transforms." + name + ".";
            if (OURS.equals(type(config, name))) {
                config.forEach((key, value) -> {
                    if (key.startsWith(prefix)) {
                        found.put(key.substring(prefix.length()), value);
                    }
                });
            }
        }
        return found;
    }

    /** Whether a transform may give records of a source another topic. */
    static boolean mayRename(Map<String, String> config) {
        return Template.entries(config.get("transforms")).stream()
            .anyMatch(name -> !OURS.equals(type(config, name)));
    }

    /** Whether what our transform sees of a sink's record is as it is in the topic. */
    boolean seesSchemaOfSink() {
        return before.stream().allMatch(name -> KEEP_SCHEMA.contains(type(config, name)));
    }

    /** Whether a transform comes after ours. */
    boolean hasFollowing() {
        return !after.isEmpty();
    }

    /** The transforms after ours, for a source; null where their effect cannot be computed. */
    FollowingTransforms following() {
        boolean canFollow = after.stream().allMatch(name -> FollowingTransforms.canFollow(config, name));
        return canFollow ? FollowingTransforms.of(config, after) : null;
    }

    private static String type(Map<String, String> config, String name) {
        return config.getOrDefault("transforms." + name + ".type", "");
    }
}
