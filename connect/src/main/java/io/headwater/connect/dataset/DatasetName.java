package io.headwater.connect.dataset;

import java.util.Objects;

/** The name of a dataset: the namespace is the system, the name the dataset in it. */
public final class DatasetName {
    public final String namespace;
    public final String name;

    public DatasetName(String namespace, String name) {
        this.namespace = namespace;
        this.name = name;
    }

    /** A topic, by the first broker of a bootstrap list, as OpenLineage's integrations do. */
    public static DatasetName kafka(String bootstrap, String topic) {
        String broker = bootstrap.split(",")[0].trim();
        broker = broker.substring(broker.lastIndexOf("://") < 0 ? 0 : broker.lastIndexOf("://") + 3);
        // Behind the bracket of an IPv6 address only a port has a colon.
        boolean hasPort = broker.indexOf(':', broker.lastIndexOf(']') + 1) >= 0;
        return new DatasetName("kafka://" + broker + (hasPort ? "" : ":9092"), topic);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DatasetName
            && namespace.equals(((DatasetName) other).namespace)
            && name.equals(((DatasetName) other).name);
    }

    @Override
    public int hashCode() {
        return Objects.hash(namespace, name);
    }

    @Override
    public String toString() {
        return namespace + " | " + name;
    }
}
