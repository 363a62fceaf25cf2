package io.headwater.connect.column;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headwater.connect.dataset.TransformChain;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Schemas that are large, odd or empty, and transforms whose settings are wrong. */
class ColumnLimitsTest {
    private static final String KAFKA = "org.apache.kafka.connect.transforms.";

    private static ConnectorColumns followed(Map<String, String> config, List<List<String>> value) {
        return ConnectorColumns.ofSink(null, config, new TransformChain(config), "orders", List.of(), value);
    }

    @Test
    void aSchemaOfTwoThousandFieldsIsFollowed() {
        List<List<String>> fields = new ArrayList<>();
        for (int number = 0; number < 2_000; number++) {
            fields.add(List.of("inside", "field_" + number));
        }
        Map<String, String> config = new HashMap<>();
        config.put("transforms", "flatten,mask");
        config.put("transforms.flatten.type", KAFKA + "Flatten$Value");
        config.put("transforms.mask.type", KAFKA + "MaskField$Value");
        config.put("transforms.mask.fields", "inside.field_7");
        ConnectorColumns found = followed(config, fields);
        assertEquals(2_000, found.columns.size());
        assertEquals(List.of("inside", "field_7"), found.columns.get(List.of("inside.field_7")).get(0).path);
        assertTrue(found.columns.get(List.of("inside.field_7")).get(0).isMasked);
    }

    @Test
    void aSchemaWithoutFieldsHasNoColumns() {
        assertEquals(Map.of(), followed(Map.of(), List.of()).columns);
    }

    @Test
    void fieldsThatDoNotExistAndSettingsThatAreMissingChangeNothing() {
        Map<String, String> config = new HashMap<>();
        config.put("transforms", "mask,rename,copy");
        config.put("transforms.mask.type", KAFKA + "MaskField$Value");
        config.put("transforms.mask.fields", "nobody");
        config.put("transforms.rename.type", KAFKA + "ReplaceField$Value");
        config.put("transforms.rename.renames", "nobody:x,odd");
        config.put("transforms.copy.type", KAFKA + "ValueToKey");
        ConnectorColumns found = followed(config, List.of(List.of("id")));
        assertEquals(List.of(List.of("id")), new ArrayList<>(found.columns.keySet()));
        assertEquals(List.of(), found.gaps);
    }
}
