package io.headwater.connect.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProviderValuesTest {
    private static final Map<String, String> WORKER = Map.of(
        "config.providers", "file",
        "config.providers.file.class", "org.apache.kafka.common.config.provider.FileConfigProvider");

    private final ProviderValues providers = new ProviderValues(WORKER);

    @Test
    void aVariableHasTheValueOfItsProvider(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("place.properties"), "bucket=lake\n");
        ProviderValues.Resolved found = providers.resolve(Map.of(
            "warehouse", "s3://${file:" + file + ":bucket}/wh", "format", "${topic}", "topics", "orders"));
        assertEquals(Map.of("warehouse", "s3://lake/wh", "format", "${topic}", "topics", "orders"), found.config);
        assertEquals(Set.of("lake"), found.values);
        assertTrue(found.gaps.isEmpty());
    }

    @Test
    void aSettingWithoutAValueIsLeftOutAndReported() {
        ProviderValues.Resolved found = providers.resolve(Map.of("warehouse", "${file:/not/there:bucket}", "a", "b"));
        assertEquals(Map.of("a", "b"), found.config);
        assertEquals("[[other, warehouse]]", found.gaps.toString());
    }

    @Test
    void whatNamesNoProviderIsNoVariable() {
        assertEquals(Map.of("a", "${vault:x:y}"), providers.resolve(Map.of("a", "${vault:x:y}")).config);
    }
}
