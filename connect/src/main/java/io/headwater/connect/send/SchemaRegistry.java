package io.headwater.connect.send;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Reads the newest schemas of a registry, on a thread of its own: nobody waits for it. */
public final class SchemaRegistry {
    private static final SchemaRegistry ONE = new SchemaRegistry();
    private static final int TIMEOUT_MILLIS = 10_000;
    private static final long KNOWN_NANOS = 60_000_000_000L;
    private static final long UNKNOWN_NANOS = 2_000_000_000L;
    private static final int MOST_BYTES = 4_000_000;

    /** The newest version of a subject; version 0 where there is none so far, or a problem. */
    public static final class Newest {
        public final int version;
        /** AVRO, JSON or PROTOBUF. */
        public final String type;
        /** The schema of Avro as JSON; null of others. */
        public final Object schema;
        /** Why there is no answer; may be empty. */
        public final String problem;
        private final long at = System.nanoTime();

        Newest(int version, String type, Object schema, String problem) {
            this.version = version;
            this.type = type;
            this.schema = schema;
            this.problem = problem;
        }

        private boolean isOld() {
            return System.nanoTime() - at >= (version > 0 ? KNOWN_NANOS : UNKNOWN_NANOS);
        }
    }

    private final ObjectMapper json = new ObjectMapper();
    private final Map<List<String>, Newest> known = new ConcurrentHashMap<>();
    private final Map<List<String>, Boolean> pending = new ConcurrentHashMap<>();
    private final ExecutorService thread = Executors.newSingleThreadExecutor(work -> {
        Thread made = new Thread(work, "headwater-registry");
        made.setDaemon(true);
        return made;
    });

    public static SchemaRegistry get() {
        return ONE;
    }

    /** What is known of a subject now, or null; has it read again where that is old. */
    public Newest newest(String url, String userInfo, String subject) {
        List<String> key = List.of(url, userInfo, subject);
        Newest found = known.get(key);
        if ((found == null || found.isOld()) && pending.putIfAbsent(key, true) == null) {
            thread.execute(() -> {
                try {
                    Newest now = read(url, userInfo, subject);
                    // A registry that does not answer now has not lost the schema.
                    known.merge(key, now, (before, next) -> next.version == 0 && before.version > 0 ? before : next);
                } finally {
                    pending.remove(key);
                }
            });
        }
        return found;
    }

    private Newest read(String urls, String userInfo, String subject) {
        Newest last = new Newest(0, "", null, "no address");
        for (String url : urls.split(",")) {
            try {
                last = readOne(url.trim(), userInfo, subject);
                if (last.problem.isEmpty()) {
                    return last;
                }
            } catch (IOException | RuntimeException error) {
                last = new Newest(0, "", null, error.getClass().getSimpleName());
            }
        }
        return last;
    }

    private Newest readOne(String url, String userInfo, String subject) throws IOException {
        String path = url.replaceAll("/+$", "") + "/subjects/"
            + URLEncoder.encode(subject, StandardCharsets.UTF_8).replace("+", "%20") + "/versions/latest";
        URI address = URI.create(path);
        HttpURLConnection request = (HttpURLConnection) address.toURL().openConnection();
        request.setConnectTimeout(TIMEOUT_MILLIS);
        request.setReadTimeout(TIMEOUT_MILLIS);
        request.setRequestProperty("Accept", "application/vnd.schemaregistry.v1+json, application/json");
        String user = userInfo.isEmpty() && address.getUserInfo() != null ? address.getUserInfo() : userInfo;
        if (!user.isEmpty()) {
            String encoded = Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8));
            request.setRequestProperty("Authorization", "Basic " + encoded);
        }
        int status = request.getResponseCode();
        try (InputStream in = status < 400 ? request.getInputStream() : request.getErrorStream()) {
            byte[] body = in == null ? new byte[0] : in.readNBytes(MOST_BYTES);
            if (status == 404) {
                return new Newest(0, "", null, "");
            }
            return status == 200 ? parse(body) : new Newest(0, "", null, "it answered " + status);
        }
    }

    private Newest parse(byte[] body) throws IOException {
        Map<?, ?> found = json.readValue(body, Map.class);
        String type = found.get("schemaType") == null ? "AVRO" : found.get("schemaType").toString();
        Object schema = type.equals("AVRO") ? json.readValue(found.get("schema").toString(), Object.class) : null;
        int version = found.get("version") instanceof Number ? ((Number) found.get("version")).intValue() : 1;
        return new Newest(version, type, schema, "");
    }
}
