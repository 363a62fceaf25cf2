package io.headwater.connect.dataset;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Topics with a time in their names, as Kafka's TimestampRouter makes them: one group for all. The
 * group has the format of the time in the place of the time, in braces, which no topic has.
 */
final class DatedTopics {
    private static final Pattern PART = Pattern.compile("'([^']*)'|([A-Za-z])\\2*|.");
    private static final String TEXT = "[\\w+:.-]+";
    private static final String NUMBERS = "yuMdDHhKkmsSwWFnN";
    private static final String TOPIC = "${topic}";
    private static final String TIMESTAMP = "${timestamp}";

    private final String topicFormat;
    private final String inBraces;
    private final Pattern dated;

    DatedTopics(String topicFormat, String timestampFormat) {
        this.topicFormat = topicFormat;
        inBraces = "{" + timestampFormat + "}";
        String time = "(?:" + pattern(timestampFormat) + "|" + Pattern.quote(inBraces) + ")";
        StringBuilder whole = new StringBuilder();
        boolean isFirst = true;
        Matcher variable = Pattern.compile("\\$\\{(?:topic|timestamp)\\}").matcher(topicFormat);
        int end = 0;
        while (variable.find()) {
            whole.append(Pattern.quote(topicFormat.substring(end, variable.start())));
            end = variable.end();
            if (variable.group().equals(TIMESTAMP)) {
                whole.append(time);
            } else {
                whole.append(isFirst ? "(?<topic>.+)" : "\\k<topic>");
                isFirst = false;
            }
        }
        whole.append(Pattern.quote(topicFormat.substring(end)));
        dated = isFirst ? null : Pattern.compile(whole.toString());
    }

    /** The group of all topics that a topic becomes, over time. */
    String groupOf(String topic) {
        return topicFormat.replace(TIMESTAMP, inBraces).replace(TOPIC, topic);
    }

    /** The topic before the router, of one after it or of a group; empty if it is neither. */
    String originOf(String topic) {
        Matcher match = dated == null ? null : dated.matcher(topic);
        return match != null && match.matches() ? match.group("topic") : "";
    }

    /** What times of a format look like. */
    private static String pattern(String timestampFormat) {
        StringBuilder whole = new StringBuilder();
        Matcher part = PART.matcher(timestampFormat);
        while (part.find()) {
            String letter = part.group(2);
            String text = part.group();
            if (letter == null) {
                String literal = part.group(1) == null ? text : part.group(1);
                whole.append(Pattern.quote(literal.isEmpty() ? "'" : literal));
            } else if (!NUMBERS.contains(letter) || letter.equals("M") && text.length() > 2) {
                whole.append(TEXT);
            } else {
                whole.append("\\d{").append(text.length()).append(text.length() == 1 ? ",}" : "}");
            }
        }
        return whole.toString();
    }
}
