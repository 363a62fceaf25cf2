package io.headwater.connect.dataset;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** The transforms of a connector, what they do to topics, and what those around ours do to records. */
public final class TransformChain {
    private static final Map<?, ?> KNOWN = (Map<?, ?>) ConnectorKnowledge.SHIPPED.get("transforms");
    private static final String KAFKA = "org.apache.kafka.connect.transforms.";
    private static final List<String> KEEP_SCHEMA = List.of(
        KAFKA + "InsertHeader",
        KAFKA + "DropHeaders",
        KAFKA + "Filter",
        KAFKA + "RegexRouter",
        KAFKA + "TimestampRouter");

    private final List<String> all;
    private final List<String> before;
    private final List<String> after;
    private final boolean hasOurs;
    private final Map<String, String> config;
    private final DatedTopics dates;

    /** The transforms around ours; without a configuration none are known. */
    public TransformChain(Map<String, String> config) {
        this.config = withNaming(config);
        all = Template.entries(this.config.get("transforms"));
        int own = 0;
        while (own < all.size() && !isOurs(this.config, all.get(own))) {
            own++;
        }
        hasOurs = own < all.size();
        before = all.subList(0, own);
        after = hasOurs ? all.subList(own + 1, all.size()) : List.of();
        dates = findDates();
    }

    /** With Debezium's strategy for the names of topics, which is like a transform before all others. */
    private static Map<String, String> withNaming(Map<String, String> config) {
        String key = KNOWN.get("naming_strategy").toString();
        if (config.getOrDefault(key, "").isEmpty()) {
            return config;
        }
        Map<String, String> changed = new HashMap<>(config);
        config.forEach((each, value) -> {
            if (each.startsWith("topic.")) {
                changed.put("transforms." + key + "." + each, value);
            }
        });
        changed.put("transforms." + key + ".type", config.get(key));
        changed.put("transforms", key + "," + config.getOrDefault("transforms", ""));
        return changed;
    }

    /** The settings of our transform, as a connector's configuration has them. */
    public static Map<String, String> ownSettings(Map<String, String> config) {
        Map<String, String> found = new HashMap<>();
        for (String name : Template.entries(config.get("transforms"))) {
            if (isOurs(config, name)) {
                found.putAll(settings(config, "transforms." + name + "."));
            }
        }
        return found;
    }

    /** The settings under a prefix, without it. */
    static Map<String, String> settings(Map<String, String> config, String prefix) {
        Map<String, String> found = new HashMap<>();
        config.forEach((key, value) -> {
            if (key.startsWith(prefix)) {
                found.put(key.substring(prefix.length()), value);
            }
        });
        return found;
    }

    /** The topic that records of a topic end in; null where that cannot be derived. */
    String route(String topic) {
        String routed = topic;
        for (String name : all) {
            routed = keepsTopic(name) ? routed : route(name, routed);
            if (routed == null) {
                return null;
            }
        }
        return routed;
    }

    /** The names of all transforms, each with the topic of records before it; empty where that is not known. */
    public Map<String, String> withTopics(String topic) {
        Map<String, String> found = new LinkedHashMap<>();
        String at = topic.isEmpty() ? null : topic;
        for (String name : all) {
            if (!name.equals(KNOWN.get("naming_strategy"))) {
                found.put(name, at == null ? "" : at);
            }
            at = at == null || keepsTopic(name) ? at : route(name, at);
        }
        return found;
    }

    /** Whether a transform is for records with a value; null where records decide that. */
    public Boolean appliesToRows(String name, String topic) {
        Map<String, String> own = settingsOf(name);
        String predicate = own.getOrDefault("predicate", "");
        String type = config.getOrDefault("predicates." + predicate + ".type", "");
        Map<?, ?> known = (Map<?, ?>) ((Map<?, ?>) ConnectorKnowledge.SHIPPED.get("columns")).get("predicates");
        for (Map.Entry<?, ?> each : known.entrySet()) {
            if (!predicate.isEmpty() && ConnectorRow.isAlias(type, each.getKey().toString())) {
                boolean isNegated = Boolean.parseBoolean(own.getOrDefault("negate", ""));
                return Boolean.TRUE.equals(each.getValue()) != isNegated;
            }
        }
        return topic.isEmpty() && !predicate.isEmpty() ? null : applies(name, topic);
    }

    /** The settings of a transform. */
    public Map<String, String> settingsOf(String name) {
        return settings(config, "transforms." + name + ".");
    }

    /** The class of a transform. */
    public String type(String name) {
        return type(config, name);
    }

    /** The group that a topic with a time in its name is part of; other topics as they are. */
    public String grouped(String topic) {
        String origin = dates == null ? "" : dates.originOf(topic);
        return origin.isEmpty() ? topic : dates.groupOf(origin);
    }

    /** The topic before all transforms; empty where that cannot be derived. */
    public String originOf(String topic) {
        String origin = dates == null ? topic : dates.originOf(topic);
        return !origin.isEmpty() && topic.equals(route(origin)) ? origin : "";
    }

    /** The router that puts a time into topics, if none comes after it; or null. */
    private DatedTopics findDates() {
        String last = "";
        for (String name : all) {
            last = keepsTopic(name) ? last : name;
        }
        return isOneOf(type(config, last), "timestamp_routers") ? datesOf(last) : null;
    }

    /** With the defaults of Kafka's TimestampRouter. */
    private DatedTopics datesOf(String name) {
        Map<String, String> own = settings(config, "transforms." + name + ".");
        return new DatedTopics(
            own.getOrDefault("topic.format", "${topic}-${timestamp}"),
            own.getOrDefault("timestamp.format", "yyyyMMdd"));
    }

    /** The transforms whose effect on topics cannot be derived. */
    List<Gap> routeGaps() {
        List<Gap> gaps = new ArrayList<>();
        boolean isDated = false;
        for (String name : all) {
            if (keepsTopic(name)) {
                continue;
            }
            if (isDated || route(name, "") == null) {
                gaps.add(new Gap(
                    "operator",
                    type(config, name),
                    "To which topic or table this transform routes records is not known."));
            }
            isDated |= isOneOf(type(config, name), "timestamp_routers");
        }
        return gaps;
    }

    /** The transforms around ours for which no schema is reported. */
    public List<Gap> schemaGaps(boolean isSink) {
        List<Gap> gaps = new ArrayList<>();
        for (String name : hasOurs && isSink ? before : List.<String>of()) {
            if (!keepsSchema(name)) {
                gaps.add(new Gap(
                    "operator",
                    type(config, name),
                    "This transform stands before the one for lineage: the schema of the topic is not known."));
            }
        }
        for (String name : after) {
            if (!FollowingTransforms.canFollow(config, name)) {
                gaps.add(new Gap(
                    "operator",
                    type(config, name),
                    "What this transform does to the fields of records is not known."));
            }
        }
        return gaps;
    }

    private boolean keepsTopic(String name) {
        String type = type(config, name);
        for (Map.Entry<?, ?> each : ((Map<?, ?>) KNOWN.get("keep_topic_without")).entrySet()) {
            boolean isUnset = !config.containsKey("transforms." + name + "." + each.getValue());
            if (ConnectorRow.isAlias(type, each.getKey().toString()) && isUnset) {
                return true;
            }
        }
        return isOneOf(type, "ours") || isOneOf(type, "keep_topic");
    }

    /** What one transform makes of a topic. */
    private String route(String name, String topic) {
        Boolean applies = applies(name, topic);
        // The names of all times may match differently.
        boolean isGroup = topic.contains("{");
        if (isOneOf(type(config, name), "timestamp_routers")) {
            return applies == null || isGroup ? null : applies ? datesOf(name).groupOf(topic) : topic;
        }
        for (Object each : (List<?>) KNOWN.get("routers")) {
            ConnectorRow router = new ConnectorRow((Map<?, ?>) each);
            String type = type(config, name);
            if (router.list("classes").stream().noneMatch(known -> ConnectorRow.isAlias(type, known.toString()))) {
                continue;
            }
            if (applies == null || !applies) {
                return applies == null ? null : topic;
            }
            if (isGroup) {
                return null;
            }
            Map<String, String> own = settings(config, "transforms." + name + ".");
            return replaced(topic, own.get(router.text("regex", "")), own.get(router.text("replacement", "")));
        }
        return null;
    }

    /** A topic as Kafka's RegexRouter renames it: the whole name must match. */
    private static String replaced(String topic, String regex, String replacement) {
        if (regex == null || regex.isEmpty()) {
            return null;
        }
        try {
            Matcher match = Pattern.compile(regex).matcher(topic);
            return match.matches() ? match.replaceFirst(replacement == null ? "" : replacement) : topic;
        } catch (IllegalArgumentException | IndexOutOfBoundsException error) {
            return null;
        }
    }

    /** Whether a transform's predicate holds for a topic; null where records decide that. */
    private Boolean applies(String name, String topic) {
        String predicate = config.getOrDefault("transforms." + name + ".predicate", "");
        if (predicate.isEmpty()) {
            return true;
        }
        if (!isOneOf(config.getOrDefault("predicates." + predicate + ".type", ""), "topic_predicates")) {
            return null;
        }
        String negate = config.getOrDefault("transforms." + name + ".negate", "");
        String pattern = config.getOrDefault("predicates." + predicate + ".pattern", "");
        try {
            return Pattern.matches(pattern, topic) != Boolean.parseBoolean(negate);
        } catch (PatternSyntaxException error) {
            return null;
        }
    }

    /** Whether what our transform sees of a sink's record is as it is in the topic. */
    public boolean seesSchemaOfSink() {
        return before.stream().allMatch(this::keepsSchema);
    }

    /** Whether the topics of records that our transform sees of a source are those of the connector. */
    public boolean seesFirstTopicOfSource() {
        return before.stream().allMatch(this::keepsTopic);
    }

    private boolean keepsSchema(String name) {
        return KEEP_SCHEMA.stream().anyMatch(known -> ConnectorRow.isAlias(type(config, name), known));
    }

    /** Whether a transform comes after ours. */
    public boolean hasFollowing() {
        return !after.isEmpty();
    }

    /** The transforms after ours; null where their effect cannot be computed. */
    public FollowingTransforms following() {
        boolean canFollow = after.stream().allMatch(name -> FollowingTransforms.canFollow(config, name));
        return canFollow ? FollowingTransforms.of(config, after) : null;
    }

    /** Whether a class, or its alias, is our transform. */
    public static boolean isOurs(String type) {
        return isOneOf(type, "ours");
    }

    private static boolean isOurs(Map<String, String> config, String name) {
        return isOurs(type(config, name));
    }

    private static boolean isOneOf(String type, String list) {
        return ((List<?>) KNOWN.get(list)).stream().anyMatch(
            known -> ConnectorRow.isAlias(type, known.toString()));
    }

    static String type(Map<String, String> config, String name) {
        return config.getOrDefault("transforms." + name + ".type", "");
    }
}
