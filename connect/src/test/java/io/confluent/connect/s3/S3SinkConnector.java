package io.confluent.connect.s3;

import io.headwater.lab.LabSink;

/** Has the name of a connector that cannot be had here. */
public class S3SinkConnector extends LabSink {}
