"""OpenMetadata's keys that mean nothing here, each with the reason that users are given."""

_NO_SERVER = "no OpenMetadata server takes part: events go to Headwater's own store"
_OTHER_RUNNER = "Headwater runs its ingestions itself"

BODY = {
    "serviceType": "an ingestion of Headwater always reads OpenLineage events",
    "service": _NO_SERVER,
    "pipelineType": "an ingestion of Headwater always reads OpenLineage events",
    "owners": _NO_SERVER,
    "owner": _NO_SERVER,
    "tags": _NO_SERVER,
    "domain": _NO_SERVER,
    "domains": _NO_SERVER,
    "dataProducts": _NO_SERVER,
    "ingestionRunner": _OTHER_RUNNER,
    "enableStreamableLogs": _OTHER_RUNNER,
    "processingEngine": _OTHER_RUNNER,
}

CONNECTION = {
    "type": "an ingestion of Headwater always reads OpenLineage events",
    "supportsMetadataExtraction": "a flag for OpenMetadata's own form",
    "namespaceToServiceMapping": "datasets keep the namespaces of their events, so that none has"
    " to be found in a service first",
}

SOURCE = {
    "type": "an ingestion of Headwater always reads OpenLineage events",
    "includeUnDeployedPipelines": "every job that an event names is taken in",
    "overrideMetadata": "edits of persons always outrank events, and stay",
    "overrideLineage": "lineage is that of the newest run, with its history",
    "ownershipUpdateMode": "owners are kept by who states them, beside each other",
    "lineageInformation": "datasets need not be found in a service first",
    "dbServiceNames": "datasets need not be found in a service first",
    "storageServiceNames": "datasets need not be found in a service first",
    "statusLookbackDays": "every run that an event names is taken in",
    "threads": "Spark reads with all its cores; see spark.master",
    "incremental": "positions are always kept: each run begins where the last one ended",
}

SCHEDULE = {
    "timezone": "schedules are in UTC",
    "pipelineTimezone": "schedules are in UTC",
    "pausePipeline": "headwater ingest pause NAME does that",
    "concurrency": "one process at a time runs an ingestion",
    "pipelineCatchup": "what was missed runs once",
    "pastDateSupport": "what was missed runs once",
    "maxActiveRuns": "one process at a time runs an ingestion",
    "retries": "what fails is tried again until it works",
    "retryDelay": "what fails is tried again after a minute, then less and less often",
    "workflowTimeout": _OTHER_RUNNER,
    "workflowDefaultView": _OTHER_RUNNER,
    "workflowDefaultViewOrientation": _OTHER_RUNNER,
    "email": _OTHER_RUNNER,
}

WORKFLOW = {
    "sink": "events go to Headwater's own store (setting `store`)",
    "processor": "events are taken in as they are",
    "stage": "events are taken in as they are",
    "bulkSink": "events go to Headwater's own store (setting `store`)",
    "ingestionPipelineFQN": _NO_SERVER,
    "pipelineRunId": _NO_SERVER,
    "enableStreamableLogs": _OTHER_RUNNER,
    "apiVersion": _NO_SERVER,
}

WORKFLOW_CONFIG = {
    "openMetadataServerConfig": _NO_SERVER,
    "config": _NO_SERVER,
    "raiseOnError": "a run that fails always ends with 1",
    "successThreshold": "what is rejected is kept with its reason and counted",
}
