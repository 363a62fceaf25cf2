package io.headwater.connect.dataset;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A text with variables: <code>{a.key|other.key|=literal}</code> is the first that has a value,
 * <code>@name</code> in it a part found before, and <code>{a.list*}</code> each of its entries.
 * <code>a.key!</code> also counts if it is set to nothing, <code>a.key^</code> is written in upper case.
 */
public final class Template {
    private static final Pattern VARIABLE = Pattern.compile("\\{([^{}]+)\\}");
    private static final Pattern PLAIN = Pattern.compile("[\\w$ -]+(\\.[\\w$ -]+)*");

    private Template() {}

    /** All expansions of a template: none where a variable has no value. */
    public static List<String> expand(
        String template, Map<String, String> config, Map<String, String> local) {
        List<String> texts = List.of("");
        int end = 0;
        Matcher found = VARIABLE.matcher(template);
        while (found.find()) {
            String between = template.substring(end, found.start());
            end = found.end();
            List<String> longer = new ArrayList<>();
            for (String text : texts) {
                for (String value : values(found.group(1), config, local)) {
                    longer.add(text + between + value);
                }
            }
            texts = longer;
        }
        List<String> whole = new ArrayList<>();
        for (String text : texts) {
            whole.add(text + template.substring(end));
        }
        return whole;
    }

    /** Whether each list in a template has one entry, patterns included. */
    static boolean hasSingleEntries(String template, Map<String, String> config) {
        return lists(template, config).stream().allMatch(list -> list.size() == 1);
    }

    /** The entries of a template's lists that stand for more than one name. */
    static List<String> patterns(String template, Map<String, String> config) {
        List<String> found = new ArrayList<>();
        lists(template, config).forEach(found::addAll);
        found.removeIf(entry -> PLAIN.matcher(unescaped(entry)).matches());
        return found;
    }

    private static List<List<String>> lists(String template, Map<String, String> config) {
        List<List<String>> lists = new ArrayList<>();
        Matcher found = VARIABLE.matcher(template);
        while (found.find()) {
            if (found.group(1).endsWith("*")) {
                String value = "";
                for (String key : found.group(1).substring(0, found.group(1).length() - 1).split("\\|")) {
                    value = value.isEmpty() ? config.getOrDefault(key, "") : value;
                }
                lists.add(entries(value));
            }
        }
        return lists;
    }

    /** The entries of a list of Connect's. */
    public static List<String> entries(String text) {
        List<String> found = new ArrayList<>();
        for (String entry : text == null ? new String[0] : text.split(",")) {
            if (!entry.isBlank()) {
                found.add(entry.trim());
            }
        }
        return found;
    }

    private static List<String> values(
        String variable, Map<String, String> config, Map<String, String> local) {
        boolean isList = variable.endsWith("*");
        String choices = isList ? variable.substring(0, variable.length() - 1) : variable;
        for (String choice : choices.split("\\|")) {
            if (choice.startsWith("=")) {
                return List.of(choice.substring(1));
            }
            String key = choice.replaceAll("[!^]$", "");
            String value = key.startsWith("@") ? local.get(key.substring(1)) : config.get(key);
            if (value != null && (!value.isEmpty() || choice.endsWith("!"))) {
                String spelled = choice.endsWith("^") ? value.toUpperCase(Locale.ROOT) : value;
                return isList ? plainNames(value) : List.of(withTopic(spelled, local.get("topic")));
            }
        }
        return List.of();
    }

    private static String withTopic(String value, String topic) {
        return topic == null ? value : value.replace("${topic}", topic).replace("{{topic}}", topic);
    }

    /** Of a list of regular expressions, those that stand for one name only. */
    private static List<String> plainNames(String list) {
        List<String> names = new ArrayList<>();
        for (String entry : entries(list)) {
            String plain = unescaped(entry);
            if (PLAIN.matcher(plain).matches()) {
                names.add(plain);
            }
        }
        return names;
    }

    private static String unescaped(String pattern) {
        return pattern.replace("\\.", ".").replace("\\$", "$");
    }
}
