package io.headwater.connect.record;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The paths of the columns of a schema: of all fields that have none inside. */
public final class FieldPaths {
    /** Of a key or a value that has no fields. */
    static final List<List<String>> WHOLE = List.of(List.of());

    private FieldPaths() {}

    /** The paths of fields as OpenLineage's schema facet has them. */
    public static List<List<String>> of(List<Map<String, Object>> fields) {
        List<List<String>> found = new ArrayList<>();
        collect(found, List.of(), fields);
        return found;
    }

    @SuppressWarnings("unchecked")
    private static void collect(List<List<String>> found, List<String> above, List<Map<String, Object>> fields) {
        for (Map<String, Object> field : fields) {
            List<String> path = new ArrayList<>(above);
            path.add(field.get("name").toString());
            Object inside = field.get("fields");
            // What is inside of a list or a map is not followed by itself.
            if (inside instanceof List && "struct".equals(field.get("type"))) {
                collect(found, path, (List<Map<String, Object>>) inside);
            } else {
                found.add(path);
            }
        }
    }
}
