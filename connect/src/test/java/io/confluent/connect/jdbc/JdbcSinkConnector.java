package io.confluent.connect.jdbc;

import io.headwater.lab.LabSink;

/** Has the name of a connector that cannot be had here. */
public class JdbcSinkConnector extends LabSink {}
