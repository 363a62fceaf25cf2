package io.headwater.connect.record;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AvroFieldsTest {
    private static List<Map<String, Object>> fields(String json) throws Exception {
        return AvroFields.of(new ObjectMapper().readValue(json, Object.class), "value");
    }

    private static String written(List<Map<String, Object>> fields) {
        List<String> texts = new ArrayList<>();
        for (Map<String, Object> each : fields) {
            @SuppressWarnings("unchecked")
            List<Map<String, Object>> inside = (List<Map<String, Object>>) each.getOrDefault("fields", List.of());
            texts.add(each.get("name") + ":" + each.get("type") + (inside.isEmpty() ? "" : "(" + written(inside) + ")"));
        }
        return String.join(" ", texts);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "\"long\" | value:int64",
        "[\"null\", \"double\"] | value:float64",
        "[\"string\", \"int\"] | value:union",
        "{\"type\": \"long\", \"logicalType\": \"timestamp-millis\"} | value:timestamp",
        "{\"type\": \"bytes\", \"logicalType\": \"decimal\", \"precision\": 10, \"scale\": 2} | value:decimal(10,2)",
        "{\"type\": \"array\", \"items\": \"int\"} | value:array(_element:int32)",
        "{\"type\": \"map\", \"values\": [\"null\", \"float\"]} | value:map(key:string value:float32)",
        "{\"type\": \"enum\", \"name\": \"E\", \"symbols\": [\"A\"]} | value:string"})
    void aSchemaThatIsNoRecordIsOneField(String json, String expected) throws Exception {
        assertEquals(expected, written(fields(json)));
    }

    @Test
    void recordsAreNestedAndMayReferToThemselves() throws Exception {
        String json = "[\"null\", {\"type\": \"record\", \"name\": \"Order\", \"namespace\": \"shop\", \"fields\": ["
            + "{\"name\": \"id\", \"type\": [\"null\", \"string\"], \"doc\": \"its id\"},"
            + "{\"name\": \"item\", \"type\": {\"type\": \"record\", \"name\": \"Item\", \"fields\": ["
            + "{\"name\": \"sku\", \"type\": \"string\"}]}},"
            + "{\"name\": \"other\", \"type\": \"Item\"}, {\"name\": \"third\", \"type\": \"shop.Unknown\"},"
            + "{\"name\": \"next\", \"type\": [\"null\", \"shop.Order\"]}]}]";
        String found = written(fields(json));
        assertEquals(
            "id:string item:struct(sku:string) other:struct(sku:string) third:shop.Unknown next:struct(",
            found.substring(0, found.indexOf("next:struct(") + "next:struct(".length()));
        assertEquals("its id", fields(json).get(0).get("description"));
    }
}
