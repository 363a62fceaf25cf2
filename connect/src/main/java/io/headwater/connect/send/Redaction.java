package io.headwater.connect.send;

import io.headwater.connect.dataset.ConnectorKnowledge;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.ConfigDef;

/** Removes secrets from what is sent. */
public final class Redaction {
    static final String HIDDEN = "***";

    private static final Pattern SECRET_KEY = pattern("keys");
    private static final Pattern IN_ADDRESS = pattern("in_addresses");
    private static final Pattern IN_OPTIONS = pattern("in_options");
    private static final Pattern KNOWN_KEY = pattern("shown_keys");
    private static final Pattern PLAIN_VALUE = pattern("plain_values");
    /** Shorter ones are found in any text by chance. */
    private static final int SHORTEST_SECRET = 4;

    private Redaction() {}

    private static Pattern pattern(String kind) {
        return Pattern.compile(((Map<?, ?>) ConnectorKnowledge.SHIPPED.get("secrets")).get(kind).toString());
    }

    /** A configuration without what is a secret by its key; a run is identified by it. */
    public static Map<String, String> shown(Map<String, String> config) {
        Map<String, String> shown = new TreeMap<>();
        config.forEach((key, value) -> shown.put(key, isSecret(key) ? HIDDEN : text(value)));
        return shown;
    }

    /**
     * A configuration as events have it: without what a plugin defines as a password, too. Of a
     * setting that no plugin defines, only numbers, names and the like are shown.
     */
    public static Map<String, String> displayed(Map<String, String> config, Map<String, ConfigDef.Type> types) {
        Map<String, String> displayed = new TreeMap<>();
        config.forEach((key, value) -> displayed.put(key, isHidden(key, value, types) ? HIDDEN : text(value)));
        return displayed;
    }

    private static boolean isHidden(String key, String value, Map<String, ConfigDef.Type> types) {
        ConfigDef.Type type = types.get(key);
        if (isSecret(key) || type == ConfigDef.Type.PASSWORD) {
            return true;
        }
        boolean isKnown = type != null || KNOWN_KEY.matcher(key).matches();
        return !isKnown && value != null && !PLAIN_VALUE.matcher(value).matches();
    }

    /** The secrets of a configuration: values that are hidden, and what is hidden inside of others. */
    public static Set<String> secrets(Map<String, String> config, Map<String, ConfigDef.Type> types) {
        Set<String> found = new HashSet<>();
        config.forEach((key, value) -> {
            if (value == null) {
                return;
            }
            if (isHidden(key, value, types)) {
                found.add(value);
            }
            Matcher address = IN_ADDRESS.matcher(value);
            while (address.find()) {
                String user = address.group().substring(0, address.group().length() - 1);
                found.add(user.substring(user.indexOf(user.contains(":") ? ':' : '/') + 1));
            }
            Matcher option = IN_OPTIONS.matcher(value);
            while (option.find()) {
                found.add(option.group().substring(option.group(1).length()));
            }
        });
        return found;
    }

    /** A text, such as a trace, without these secrets and whatever looks like one. */
    public static String text(String text, Set<String> secrets) {
        String clean = text;
        // The longest first: one may be part of another.
        Set<String> sorted = new TreeSet<>(
            Comparator.comparing(String::length).reversed().thenComparing(Comparator.naturalOrder()));
        sorted.addAll(secrets);
        for (String secret : sorted) {
            if (secret.trim().length() >= SHORTEST_SECRET) {
                clean = clean.replace(secret.trim(), HIDDEN);
            }
        }
        return text(clean);
    }

    /** A text without whatever looks like a secret. */
    public static String text(String text) {
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
