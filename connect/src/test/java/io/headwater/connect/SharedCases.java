package io.headwater.connect;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The cases that the tests of the Python part share. */
public final class SharedCases {
    private SharedCases() {}

    public static Stream<Map<String, Object>> of(String kind) {
        return of("/connector_cases.json", kind);
    }

    @SuppressWarnings("unchecked")
    public static Stream<Map<String, Object>> of(String name, String kind) {
        try (InputStream file = SharedCases.class.getResourceAsStream(name)) {
            return ((List<Map<String, Object>>) new ObjectMapper().readValue(file, Map.class).get(kind)).stream();
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }
}
