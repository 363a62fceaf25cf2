package io.headwater.connect;

import java.util.Objects;

/** What a dataset is called: the namespace says which system, the name which dataset in it. */
final class DatasetName {
    final String namespace;
    final String name;

    DatasetName(String namespace, String name) {
        this.namespace = namespace;
        this.name = name;
    }

    /** A topic, by the first broker of a bootstrap list, as OpenLineage's integrations do. */
    static DatasetName kafka(String bootstrap, String topic) {
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
