package io.headwater.connect.cluster;

import java.lang.management.ManagementFactory;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/** The ids of the Kafka cluster, the Connect cluster and this worker. */
final class ClusterNames {
    static final ClusterNames UNKNOWN = new ClusterNames("", "", "");

    private static final String CLIENT = "connect-";

    final String kafka;
    final String connect;
    /** As the state of a connector names it; empty where that is not known. */
    final String worker;

    ClusterNames(String kafka, String connect, String worker) {
        this.kafka = kafka;
        this.connect = connect;
        this.worker = worker;
    }

    boolean isOwn(String workerId) {
        return worker.isEmpty() || worker.equals(workerId);
    }

    /** A worker puts its id into the name of its client of the group, unless it was given one. */
    static String findWorker() {
        try {
            ObjectName all = new ObjectName("kafka.connect:type=connect-coordinator-metrics,client-id=*");
            for (ObjectName name : ManagementFactory.getPlatformMBeanServer().queryNames(all, null)) {
                String client = name.getKeyProperty("client-id");
                client = client.startsWith("\"") ? ObjectName.unquote(client) : client;
                if (client.startsWith(CLIENT) && client.contains(":")) {
                    return client.substring(CLIENT.length());
                }
            }
        } catch (MalformedObjectNameException error) {
            throw new IllegalStateException(error);
        }
        return "";
    }
}
