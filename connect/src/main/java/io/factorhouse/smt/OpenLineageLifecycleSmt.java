package io.factorhouse.smt;

import io.headwater.connect.HeadwaterTransform;
import org.apache.kafka.connect.connector.ConnectRecord;

/** The transform under the name that the labs' configurations have, so that they deploy unchanged. */
public final class OpenLineageLifecycleSmt<R extends ConnectRecord<R>> extends HeadwaterTransform<R> {}
