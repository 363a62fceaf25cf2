package io.headwater.connect.cluster;

import io.headwater.connect.dataset.Gap;
import io.headwater.connect.record.AvroFields;
import io.headwater.connect.send.Redaction;
import io.headwater.connect.send.SchemaRegistry;
import io.headwater.connect.send.Settings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The schemas of a run's topics in a registry, for those that records do not show. For one thread. */
final class RegistryView {
    private final String url;
    private final String userInfo;
    private final Map<String, Integer> reported = new HashMap<>();

    /** Reads nothing where the settings name no registry, or no schemas are to be reported. */
    RegistryView(Settings settings) {
        boolean isOn = settings.isOn(Settings.VALUE_SCHEMA);
        url = isOn ? settings.get("value" + Settings.REGISTRY_URL) : "";
        boolean isUser = settings.get("value" + Settings.REGISTRY_CREDENTIALS).equalsIgnoreCase("USER_INFO");
        userInfo = isUser ? settings.get("value" + Settings.REGISTRY_USER) : "";
    }

    boolean isUsed() {
        return !url.isEmpty();
    }

    /** Those of some topics of which the registry has a version that was not reported so far. */
    Set<String> takeNews(Set<String> topics) {
        Set<String> news = new LinkedHashSet<>();
        for (String topic : isUsed() ? topics : Set.<String>of()) {
            SchemaRegistry.Newest found = newest(topic);
            if (found != null && found.version > 0) {
                Integer before = reported.put(topic, found.version);
                if (before == null || before != found.version) {
                    news.add(topic);
                }
            }
        }
        return news;
    }

    /** The fields of a topic's newest schema; null where they are not known. */
    List<Map<String, Object>> fields(String topic) {
        SchemaRegistry.Newest found = isUsed() ? newest(topic) : null;
        return found == null || found.schema == null ? null : AvroFields.of(found.schema, "value");
    }

    /** Where those fields are from. */
    Map<String, Object> origin(String topic) {
        Map<String, Object> origin = new LinkedHashMap<>();
        origin.put("registry", Redaction.text(url));
        origin.put("subject", subject(topic));
        SchemaRegistry.Newest found = newest(topic);
        origin.put("version", found == null ? 0 : found.version);
        return origin;
    }

    /** The topics of which the registry has nothing that can be reported. */
    List<Gap> gaps(Set<String> topics) {
        List<Gap> gaps = new ArrayList<>();
        for (String topic : isUsed() ? topics : Set.<String>of()) {
            SchemaRegistry.Newest found = newest(topic);
            if (found != null && !found.problem.isEmpty()) {
                gaps.add(new Gap("other", subject(topic), "The schema registry cannot be read: " + found.problem + "."));
            } else if (found != null && found.version > 0 && found.schema == null) {
                gaps.add(new Gap("other", subject(topic), "Schemas of the type " + found.type + " are not read."));
            }
        }
        return gaps;
    }

    private SchemaRegistry.Newest newest(String topic) {
        return SchemaRegistry.get().newest(url, userInfo, subject(topic));
    }

    private static String subject(String topic) {
        return topic + "-value";
    }
}
