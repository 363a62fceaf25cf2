package io.tabular.iceberg.connect;

import io.headwater.lab.LabSink;

/** Has the name of a connector that cannot be had here. */
public class IcebergSinkConnector extends LabSink {}
