package io.headwater.connect.dataset;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/** Names of the datasets outside Kafka, from the configurations of connectors. */
final class ExternalNames {
    private static final int HDFS_PORT = 8020;

    private ExternalNames() {}

    /** A dataset of a system, in OpenLineage's spelling; of a file's name, its folder. */
    static DatasetName ofSystem(String namespace, String name, boolean isFolder) {
        String address = withoutCredentials(namespace);
        if (namespace.startsWith("kafka://")) {
            return DatasetName.kafka(namespace.substring("kafka://".length()), name);
        }
        if (namespace.matches("(?:s3|gs|wasbs|abfss)://.*")) {
            return new DatasetName(namespace, objectKey(constantFolder(name, isFolder)));
        }
        if (namespace.equals("file") || namespace.startsWith("hdfs://")) {
            return new DatasetName(namespace, filePath(name.replaceAll("/+", "/")));
        }
        return new DatasetName(address, name);
    }

    /** The address of a server without its user and its options, which may be secrets. */
    private static String withoutCredentials(String address) {
        boolean isServer = address.matches("(?:jdbc:|https?://|hive://).*");
        return isServer ? address.replaceAll("(?<=://)[^/]*@|[?;].*", "") : address;
    }

    /** A table named by its location. Tables of the root database have no folder of one above them. */
    static DatasetName ofTableIn(String warehouse, String table, String databaseSuffix, String rootDatabase) {
        int end = table.lastIndexOf('.');
        String database = end < 0 ? "" : table.substring(0, end);
        boolean isBelow = !database.isEmpty() && !database.equals(rootDatabase);
        String folder = isBelow ? database.replace('.', '/') + databaseSuffix + "/" : "";
        return byLocation(withoutLastSlash(warehouse) + "/" + folder + table.substring(end + 1));
    }

    /** What a catalog with an address of its own calls a table. */
    static DatasetName ofCatalog(String uri, String table) {
        return new DatasetName(withoutCredentials(uri.replaceFirst("^thrift://", "hive://")), table);
    }

    /** The other name of such a table: that of its catalog. */
    static DatasetName inCatalog(String warehouse, String table) {
        DatasetName place = byLocation(warehouse);
        // As OpenLineage's own listener for Spark spells it.
        String root = place.namespace.equals("file") ? "file:" : place.namespace;
        return new DatasetName(withoutLastSlash(root + "/" + withoutFirstSlash(place.name)), table);
    }

    private static DatasetName byLocation(String location) {
        URI place = URI.create(location);
        String path = place.getPath() == null ? "" : place.getPath();
        String scheme = place.getScheme() == null ? "file" : place.getScheme();
        switch (scheme) {
            case "s3":
            case "s3a":
            case "s3n":
                return new DatasetName("s3://" + place.getRawAuthority(), objectKey(path));
            case "gs":
            case "abfss":
            case "wasbs":
                return new DatasetName(scheme + "://" + place.getRawAuthority(), objectKey(path));
            case "abfs":
            case "wasb":
                return new DatasetName(scheme + "s://" + place.getRawAuthority(), objectKey(path));
            case "hdfs":
                int port = place.getPort() < 0 ? HDFS_PORT : place.getPort();
                return new DatasetName("hdfs://" + place.getHost() + ":" + port, filePath(path));
            case "file":
                return new DatasetName("file", filePath(path));
            default:
                return new DatasetName(scheme + "://" + place.getRawAuthority(), path);
        }
    }

    /** A table's whole name: what it leaves out of its database and schema is put before it. */
    static String inDatabase(String within, String table) {
        List<String> above = within.isEmpty() ? List.of() : List.of(within.split("\\."));
        int missing = above.size() - (table.split("\\.", -1).length - 1);
        List<String> parts = new ArrayList<>(above.subList(0, Math.max(missing, 0)));
        parts.add(table);
        return String.join(".", parts);
    }

    /** The folder that is the same for all objects, of a key with expressions in it. */
    private static String constantFolder(String key, boolean isFolder) {
        String before = key.split("\\$\\{|\\{\\{", 2)[0];
        boolean isCut = isFolder || before.length() < key.length();
        return isCut ? before.substring(0, Math.max(before.lastIndexOf('/'), 0)) : key;
    }

    private static String objectKey(String key) {
        String bare = withoutFirstSlash(withoutLastSlash(key));
        return bare.isEmpty() ? "/" : bare;
    }

    private static String filePath(String path) {
        String bare = withoutLastSlash(path);
        return bare.isEmpty() ? "/" : bare;
    }

    private static String withoutFirstSlash(String path) {
        return path.replaceAll("^/+", "");
    }

    private static String withoutLastSlash(String path) {
        return path.replaceAll("/+$", "");
    }
}
