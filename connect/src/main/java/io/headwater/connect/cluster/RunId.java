package io.headwater.connect.cluster;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** The id of a connector's run, the same for all who know its configuration without its secrets. */
final class RunId {
    /** UUID's own namespace for URLs. */
    private static final UUID NAMESPACE = UUID.fromString("6ba7b811-9dad-11d1-80b4-00c04fd430c8");

    private RunId() {}

    static UUID of(String kafkaCluster, String connectCluster, String connector, Map<String, String> shown) {
        String name = String.join("\n", kafkaCluster, connectCluster, connector, digest(shown));
        byte[] hash = hash("SHA-1", ByteBuffer.allocate(16)
            .putLong(NAMESPACE.getMostSignificantBits())
            .putLong(NAMESPACE.getLeastSignificantBits())
            .array(), name.getBytes(StandardCharsets.UTF_8));
        ByteBuffer bits = ByteBuffer.wrap(hash);
        long high = bits.getLong() & ~0xF000L | 0x5000L;
        long low = bits.getLong() & 0x3FFF_FFFF_FFFF_FFFFL | 0x8000_0000_0000_0000L;
        return new UUID(high, low);
    }

    private static String digest(Map<String, String> shown) {
        StringBuilder lines = new StringBuilder();
        new TreeMap<>(shown).forEach((key, value) -> lines.append(key + "=" + value + "\n"));
        StringBuilder hex = new StringBuilder();
        for (byte each : hash("SHA-256", lines.toString().getBytes(StandardCharsets.UTF_8))) {
            hex.append(String.format("%02x", each));
        }
        return hex.toString();
    }

    private static byte[] hash(String algorithm, byte[]... parts) {
        try {
            MessageDigest digest = MessageDigest.getInstance(algorithm);
            for (byte[] part : parts) {
                digest.update(part);
            }
            return digest.digest();
        } catch (NoSuchAlgorithmException error) {
            throw new IllegalStateException("every Java has " + algorithm, error);
        }
    }
}
