package io.headwater.connect.record;

import io.headwater.connect.dataset.FollowingTransforms;
import io.headwater.connect.dataset.RecordRoutes;
import io.headwater.connect.dataset.TransformChain;
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
    private final Map<List<String>, Shape> written = new HashMap<>();
    private final RecordRoutes routes = new RecordRoutes();
    private final Set<String> seen = new HashSet<>();
    /** Topics with something new that no event has named since. */
    private final Set<String> fresh = new LinkedHashSet<>();
    /** Of a topic and a shape that a task sees: topic and shape after the last transform. */
    private final Map<List<Object>, Map.Entry<String, Shape>> followed = new HashMap<>();

    public TopicShapes(TransformChain chain) {
        this.chain = chain;
        following = chain.following();
    }

    /** The shape in each topic that is known; an unknown one where only the topic is. */
    public Map<String, Shape> byTopic() {
        return byTopic;
    }

    /** What a sink writes: the shape after the last transform, by the topic read and the final one. */
    public Shape written(String topic, String finalTopic) {
        return written.get(List.of(topic, finalTopic));
    }

    /** The topics of records before and after the transforms. */
    public RecordRoutes routes() {
        return routes;
    }

    /** Takes at most one new shape of each topic; returns whether there was one. */
    public boolean takeNewShapes(Set<TaskView> views) {
        boolean isNew = false;
        for (TaskView view : views) {
            for (Map.Entry<String, TopicView> each : view.topics.entrySet()) {
                NewShape found = each.getValue().takeNewShape();
                boolean isFirst = seen.add(each.getKey());
                isNew |= isFirst || found != null;
                if (found != null) {
                    take(view, each.getKey(), found);
                } else if (!chain.hasFollowing() || isSink(view)) {
                    String topic = isSink(view) ? each.getKey() : chain.grouped(each.getKey());
                    byTopic.putIfAbsent(topic, Shape.UNKNOWN);
                    if (isFirst) {
                        fresh.add(topic);
                    }
                }
            }
        }
        return isNew;
    }

    private void take(TaskView view, String topic, NewShape taken) {
        ConnectRecord<?> record = taken.record;
        Shape shape = taken.shape;
        if (chain.hasFollowing()) {
            record = following == null ? null : following.apply(taken.record);
            shape = record == null ? null : Shape.of(record);
        }
        if (record != null) {
            String last = chain.grouped(record.topic());
            followed.put(List.of(topic, taken.shape), Map.entry(last, shape));
            addRoute(view, topic, last);
            if (isSink(view)) {
                written.put(List.of(topic, last), shape);
            }
        }
        Map.Entry<String, Shape> found = inTopic(view, topic, taken.shape);
        if (found != null) {
            byTopic.put(found.getKey(), found.getValue());
            fresh.add(found.getKey());
        }
    }

    /** The topics of the shapes that were taken since the last call: an event names them. */
    public Set<String> takeFresh() {
        Set<String> taken = new LinkedHashSet<>(fresh);
        fresh.clear();
        return taken;
    }

    private void addRoute(TaskView view, String topic, String finalTopic) {
        if (isSink(view)) {
            routes.add(topic, finalTopic);
        } else if (chain.seesFirstTopicOfSource()) {
            routes.origins.put(finalTopic, topic);
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
                Map.Entry<String, Shape> last = followed.get(List.of(topic, each.shape()));
                if (isSink(view) && last != null) {
                    written.put(List.of(topic, last.getKey()), last.getValue());
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
        return chain.hasFollowing()
            ? followed.get(List.of(topic, shape))
            : Map.entry(chain.grouped(topic), shape);
    }

    private static boolean isSink(TaskView view) {
        return view.role().equals("sink");
    }
}
