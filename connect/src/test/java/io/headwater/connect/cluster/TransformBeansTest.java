package io.headwater.connect.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headwater.connect.dataset.TransformChain;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** With beans such as a worker of Kafka 4.1 or later registers for each transform of a task. */
class TransformBeansTest {
    private static final MBeanServer BEANS = ManagementFactory.getPlatformMBeanServer();
    private static final String OURS = "io.headwater.connect.HeadwaterTransform";
    private static final String KAFKAS = "org.apache.kafka.connect.transforms.";

    private final List<ObjectName> registered = new ArrayList<>();

    /** The one attribute that is read. */
    public interface Metrics {
        String getClassName();
    }

    /** A bean whose attribute has the name that the worker gives it, which no method can have. */
    private static final class Bean extends StandardMBean {
        private final String transformClass;

        Bean(String transformClass) {
            super((Metrics) () -> transformClass, Metrics.class, false);
            this.transformClass = transformClass;
        }

        @Override
        public Object getAttribute(String attribute) {
            return attribute.equals("transform-class") ? transformClass : null;
        }
    }

    private void register(String connector, String transform, String type) throws JMException {
        ObjectName name = new ObjectName(
            "kafka.connect:type=connector-transform-metrics,connector=" + connector + ",task=0,transform=" + transform);
        BEANS.registerMBean(new Bean(type), name);
        registered.add(name);
    }

    @AfterEach
    void unregister() throws JMException {
        for (ObjectName name : registered) {
            BEANS.unregisterMBean(name);
        }
    }

    @Test
    void othersAreOnBothSidesOfOurs() throws JMException {
        register("orders", "openlineage", OURS);
        register("orders", "route", KAFKAS + "RegexRouter");
        register("orders", "cast", KAFKAS + "Cast$Value");
        register("bids", "mask", KAFKAS + "MaskField$Value");
        Map<String, String> config = TransformBeans.around("orders");
        assertEquals("cast,route,headwater,cast,route", config.get("transforms"));
        assertEquals(KAFKAS + "Cast$Value", config.get("transforms.cast.type"));
        assertFalse(config.toString().contains("MaskField"));
    }

    @Test
    void whatTheyDoIsNotComputedWithSettingsThatAreNotKnown() throws JMException {
        register("orders", "openlineage", OURS);
        register("orders", "cast", KAFKAS + "Cast$Value");
        TransformChain chain = new TransformChain(TransformBeans.around("orders"));
        assertTrue(chain.hasFollowing());
        assertEquals(null, chain.following());
        assertEquals(2, chain.schemaGaps(true).size());
    }

    @Test
    void namesInQuotesAreOfTheSameConnector() throws JMException {
        register(ObjectName.quote("orders:1"), ObjectName.quote("my cast"), KAFKAS + "Cast$Value");
        Map<String, String> config = TransformBeans.around("orders:1");
        assertEquals(KAFKAS + "Cast$Value", config.get("transforms.my cast.type"));
    }

    @Test
    void oursAloneIsNoOther() throws JMException {
        register("orders", "openlineage", OURS);
        register("orders", "lab", "io.factorhouse.smt.OpenLineageLifecycleSmt");
        assertEquals(Map.of(), TransformBeans.around("orders"));
    }

    @Test
    void aWorkerWithoutSuchBeansShowsNone() {
        assertEquals(Map.of(), TransformBeans.around("orders"));
    }
}
