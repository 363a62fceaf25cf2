package io.headwater.connect.dataset;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.connect.connector.ConnectRecord;

/** The shapes of records in a connector's topics, from what its tasks see. For one thread. */
public final class TopicShapes {
    private final TransformChain chain;
    private final FollowingTransforms following;
    private final Map<String, Shape> byTopic = new HashMap<>();
    private final Set<String> seen = new HashSet<>();
    /** Of a topic and a shape that a task sees: what the topic gets. */
    private final Map<List<Object>, Map.Entry<String, Shape>> followed = new HashMap<>();

    public TopicShapes(TransformChain chain) {
        this.chain = chain;
        following = chain.following();
    }

    /** The shape in each topic that is known; an unknown one where only the topic is. */
    public Map<String, Shape> byTopic() {
        return byTopic;
    }

    /** Takes at most one new shape of each topic; returns whether there was one. */
    public boolean takeNewShapes(Set<TaskView> views) {
        boolean isNew = false;
        for (TaskView view : views) {
            for (Map.Entry<String, TopicView> each : view.topics.entrySet()) {
                NewShape found = each.getValue().takeNewShape();
                isNew |= seen.add(each.getKey()) || found != null;
                if (found != null) {
                    take(view, each.getKey(), found);
                } else if (!chain.hasFollowing() || isSink(view)) {
                    byTopic.putIfAbsent(each.getKey(), Shape.UNKNOWN);
                }
            }
        }
        return isNew;
    }

    private void take(TaskView view, String topic, NewShape taken) {
        if (!isSink(view) && chain.hasFollowing()) {
            ConnectRecord<?> record = following == null ? null : following.apply(taken.record);
            if (record != null) {
                followed.put(List.of(topic, taken.shape), Map.entry(record.topic(), Shape.of(record)));
            }
        }
        Map.Entry<String, Shape> found = inTopic(view, topic, taken.shape);
        if (found != null) {
            byTopic.put(found.getKey(), found.getValue());
        }
    }

    /** Makes the shape of each topic one that its records have now. */
    public void refresh(Set<TaskView> views) {
        Map<String, Set<Shape>> now = new LinkedHashMap<>();
        for (TaskView view : views) {
            view.topics.forEach((topic, each) -> {
                Map.Entry<String, Shape> found = inTopic(view, topic, each.shape());
                if (found != null) {
                    now.computeIfAbsent(found.getKey(), name -> new LinkedHashSet<>()).add(found.getValue());
                }
            });
        }
        now.forEach((topic, shapes) -> {
            if (!shapes.contains(byTopic.get(topic))) {
                byTopic.put(topic, shapes.iterator().next());
            }
        });
    }

    /** The topic and the shape in it of what a task sees; null where that cannot be known. */
    private Map.Entry<String, Shape> inTopic(TaskView view, String topic, Shape shape) {
        if (isSink(view)) {
            return Map.entry(topic, chain.seesSchemaOfSink() ? shape : Shape.UNKNOWN);
        }
        return chain.hasFollowing() ? followed.get(List.of(topic, shape)) : Map.entry(topic, shape);
    }

    private static boolean isSink(TaskView view) {
        return view.role().equals("sink");
    }
}
