package io.headwater.connect.send;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpRetryException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;

/** Posts events to a server with OpenLineage's API. */
final class HttpTransport implements Transport {
    private static final int TIMEOUT_MILLIS = 10_000;

    private final URI address;
    private final String apiKey;
    private final boolean isGzip;

    /** A URL without a path gets OpenLineage's. */
    HttpTransport(String url, String apiKey, boolean isGzip) {
        URI given = URI.create(url);
        if (!"http".equals(given.getScheme()) && !"https".equals(given.getScheme())) {
            throw new IllegalArgumentException("it must begin with http:// or https://");
        }
        String path = given.getPath() == null ? "" : given.getPath().replaceAll("/+$", "");
        this.address = path.isEmpty() ? given.resolve("/api/v1/lineage") : given;
        this.apiKey = apiKey;
        this.isGzip = isGzip;
    }

    @Override
    public void send(String key, byte[] event) throws IOException, Refused {
        HttpURLConnection request = (HttpURLConnection) address.toURL().openConnection();
        request.setConnectTimeout(TIMEOUT_MILLIS);
        request.setReadTimeout(TIMEOUT_MILLIS);
        request.setRequestMethod("POST");
        request.setDoOutput(true);
        request.setInstanceFollowRedirects(false);
        request.setRequestProperty("Content-Type", "application/json");
        if (!apiKey.isEmpty()) {
            request.setRequestProperty("Authorization", "Bearer " + apiKey);
        }
        byte[] body = isGzip ? gzip(event) : event;
        if (isGzip) {
            request.setRequestProperty("Content-Encoding", "gzip");
        }
        request.setFixedLengthStreamingMode(body.length);
        try (OutputStream out = request.getOutputStream()) {
            out.write(body);
        }
        check(request);
    }

    /** Java does not send a body again by itself, be it to another address or with credentials. */
    private static int statusOf(HttpURLConnection request) throws IOException {
        try {
            return request.getResponseCode();
        } catch (HttpRetryException error) {
            return error.responseCode();
        }
    }

    private static void check(HttpURLConnection request) throws IOException, Refused {
        int status = statusOf(request);
        // Read to its end, so that the connection is used again.
        String answer;
        try (InputStream in = status < 400 ? request.getInputStream() : request.getErrorStream()) {
            answer = in == null ? "" : new String(in.readNBytes(500), StandardCharsets.UTF_8);
        }
        if (status >= 200 && status < 300) {
            return;
        }
        String message = "the server answered " + status + " " + answer;
        if (status == 401 || status == 403) {
            // The key can be set right, and what waits is not lost.
            throw new IOException("the server refuses the API key, or that there is none: " + status + " " + answer);
        }
        if (status == 404 || status == 405) {
            throw new IOException("there is no OpenLineage API at this address: " + message);
        }
        if (status >= 400 && status < 500 && status != 408 && status != 429) {
            throw new Refused(message);
        }
        throw new IOException(message);
    }

    private static byte[] gzip(byte[] event) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(event);
        }
        return bytes.toByteArray();
    }

    @Override
    public void close() {}
}
