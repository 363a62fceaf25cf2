package io.headwater.connect.send;

import io.headwater.connect.dataset.ConnectorKnowledge;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Removes secrets from what is sent. */
public final class Redaction {
    static final String HIDDEN = "***";

    private static final Pattern SECRET_KEY = pattern("keys");
    private static final Pattern IN_ADDRESS = pattern("in_addresses");
    private static final Pattern IN_OPTIONS = pattern("in_options");
    /** Shorter ones are found in any text by chance. */
    private static final int SHORTEST_SECRET = 4;

    private Redaction() {}

    private static Pattern pattern(String kind) {
        return Pattern.compile(((Map<?, ?>) ConnectorKnowledge.SHIPPED.get("secrets")).get(kind).toString());
    }

    /** A configuration that can be shown, its keys in order. */
    public static Map<String, String> shown(Map<String, String> config) {
        Map<String, String> shown = new TreeMap<>();
        config.forEach((key, value) -> shown.put(key, isSecret(key) ? HIDDEN : text(value)));
        return shown;
    }

    /** A text without the secrets of a configuration, such as a trace. */
    public static String text(String text, Map<String, String> config) {
        String clean = text;
        for (Map.Entry<String, String> each : config.entrySet()) {
            String value = each.getValue();
            if (isSecret(each.getKey()) && value != null && value.length() >= SHORTEST_SECRET) {
                clean = clean.replace(value, HIDDEN);
            }
        }
        return text(clean);
    }

    private static String text(String text) {
        if (text == null) {
            return "";
        }
        String clean = IN_ADDRESS.matcher(text).replaceAll(HIDDEN + "@");
        return IN_OPTIONS.matcher(clean).replaceAll("$1" + HIDDEN);
    }

    private static boolean isSecret(String key) {
        return SECRET_KEY.matcher(key).matches();
    }
}
