package io.headwater.connect.dataset;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.transforms.Transformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the transforms after ours make of a record. Kafka's own are functions of a record alone, so
 * they are applied here once more, to one record of each shape. Others are not: they may do anything.
 */
public final class FollowingTransforms {
    private static final Logger LOG = LoggerFactory.getLogger(FollowingTransforms.class);
    private static final String KAFKAS = "org.apache.kafka.connect.transforms.";
    private static final String BY_TOPIC = KAFKAS + "predicates.TopicNameMatches";
    private static final String BY_VALUE = KAFKAS + "predicates.RecordIsTombstone";

    /** A transform, and the records that it is for. */
    private static final class Conditional {
        final UnaryOperator<ConnectRecord<?>> transform;
        final Predicate<ConnectRecord<?>> condition;

        Conditional(UnaryOperator<ConnectRecord<?>> transform, Predicate<ConnectRecord<?>> condition) {
            this.transform = transform;
            this.condition = condition;
        }
    }

    private final List<Conditional> transforms = new ArrayList<>();

    private FollowingTransforms() {}

    /** Whether a transform's effect can be computed: records of one shape all have the same. */
    static boolean canFollow(Map<String, String> config, String name) {
        String predicate = config.getOrDefault("transforms." + name + ".predicate", "");
        String condition = config.getOrDefault("predicates." + predicate + ".type", "");
        boolean isSame = predicate.isEmpty()
            || ConnectorRow.isAlias(condition, BY_TOPIC)
            || ConnectorRow.isAlias(condition, BY_VALUE);
        return isSame && className(TransformChain.type(config, name)).startsWith(KAFKAS);
    }

    /** Kafka's own have a name in one package; other aliases are not resolved. */
    private static String className(String type) {
        return type.contains(".") ? type : KAFKAS + type;
    }

    /** The transforms of these names; null where one of them cannot be created. */
    static FollowingTransforms of(Map<String, String> config, List<String> names) {
        FollowingTransforms found = new FollowingTransforms();
        try {
            for (String name : names) {
                found.add(config, name);
            }
            return found;
        } catch (ReflectiveOperationException | RuntimeException | LinkageError error) {
            LOG.debug("the effect of the transforms after ours is not known: {}", error.toString());
            return null;
        }
    }

    private void add(Map<String, String> config, String name) throws ReflectiveOperationException {
        Map<String, String> own = TransformChain.settings(config, "transforms." + name + ".");
        Object made = Class.forName(className(own.get("type"))).getDeclaredConstructor().newInstance();
        transforms.add(new Conditional(configured((Transformation<?>) made, own), condition(config, own)));
    }

    /** A transform takes and gives records of one class, that of the first record. */
    @SuppressWarnings("unchecked")
    private static <R extends ConnectRecord<R>> UnaryOperator<ConnectRecord<?>> configured(
        Transformation<R> transform, Map<String, String> own) {
        transform.configure(own);
        return record -> transform.apply((R) record);
    }

    private static Predicate<ConnectRecord<?>> condition(Map<String, String> config, Map<String, String> own) {
        String predicate = own.getOrDefault("predicate", "");
        if (predicate.isEmpty()) {
            return record -> true;
        }
        Predicate<ConnectRecord<?>> holds = record -> record.value() == null;
        if (ConnectorRow.isAlias(config.getOrDefault("predicates." + predicate + ".type", ""), BY_TOPIC)) {
            Pattern pattern = Pattern.compile(config.getOrDefault("predicates." + predicate + ".pattern", ""));
            holds = record -> pattern.matcher(record.topic()).matches();
        }
        return Boolean.parseBoolean(own.getOrDefault("negate", "")) ? holds.negate() : holds;
    }

    /** The record after the last transform; null where it is filtered out, or not known. */
    public ConnectRecord<?> apply(ConnectRecord<?> record) {
        ConnectRecord<?> changed = record;
        try {
            for (Conditional each : transforms) {
                boolean applies = changed != null && each.condition.test(changed);
                changed = applies ? each.transform.apply(changed) : changed;
            }
            return changed;
        } catch (RuntimeException error) {
            // The task itself meets this error, and handles it as configured.
            LOG.debug("the effect of the transforms after ours on a record is not known: {}", error.toString());
            return null;
        }
    }
}
