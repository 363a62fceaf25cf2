package com.amazonaws.mskdatagen;

import io.headwater.lab.LabSource;

/** Has the name of a connector that cannot be had here. */
public class GeneratorSourceConnector extends LabSource {}
