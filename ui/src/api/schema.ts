// Made by `make ui-types` from the API document; not written by hand.

export interface ActivityAt {
  at: string;
  events: number | null;
  written: CountedVolume;
  read: CountedVolume;
}

export interface ActivityMark {
  at: string;
  kind: string;
  run: string;
}

export interface AffectedAsset {
  id: string;
  type: string;
  namespace: string;
  name: string;
  columns: string[];
  columnCount: number;
  dependency: string | null;
  hops: number;
  system: string;
  owners: string[];
  lastUsedAt: string | null;
}

export interface BatchAnswer {
  status: string;
  summary: BatchSummary;
  failed_events: FailedEvent[];
}

export interface BatchSummary {
  received: number;
  successful: number;
  failed: number;
  retriable: number;
  non_retriable: number;
}

export interface BridgeDataset {
  namespace: string;
  name: string;
  facets: Record<string, unknown>;
  aliases?: BridgeName[];
}

export interface BridgeJob {
  namespace: string;
  name: string;
  facets: Record<string, unknown>;
}

export interface BridgeJobDetail {
  job: BridgeJob;
  latest_inputs: BridgeDataset[];
  latest_outputs: BridgeDataset[];
}

export interface BridgeName {
  namespace: string;
  name: string;
}

export interface BridgeStatus {
  status: string;
}

export interface BridgeVersion {
  version: string;
  name: string;
}

export interface CatalogKind {
  catalog_type: string;
  node_type: string;
  system_type: string;
}

export interface Cause {
  type: string;
  actor?: string | null;
  run?: string;
  job?: string | null;
}

export interface ChangedNode {
  type: string;
  namespace: string;
  name: string;
  field: string | null;
}

export interface CollectorAnswer {
  name: string;
  type: string;
  state: string;
  everySeconds: number;
  holder: string | null;
  lastStartedAt: string | null;
  lastEndedAt: string | null;
  lastChangeAt: string | null;
  nextAt: string | null;
  isRequested: boolean;
  stored: number;
  refused: number;
  allStored: number;
  failures: number;
  problem: string | null;
}

export interface CollectorHold {
  isHeld: boolean;
  isRequested: boolean;
}

export interface CollectorList {
  collectors: CollectorAnswer[];
  totalCount: number;
}

export interface CollectorReport {
  holder: string;
  step: "ended" | "hold" | "released" | "started";
  type?: string;
  everySeconds?: number;
  stored?: number;
  refused?: number;
  problem?: string | null;
  isFailed?: boolean;
  nextSeconds?: number;
}

export interface ColumnData {
  namespace: string;
  dataset: string;
  datasetVersion: string | null;
  field: string;
  fieldType: string | null;
  transformationDescription: string | null;
  transformationType: string | null;
  inputFields: InputFieldShape[];
}

export interface ColumnGraphShape {
  graph: ColumnNodeShape[];
  nodes: string[];
  jobs: Record<string, ColumnJob>;
  asOf: string | null;
  isCut: boolean;
  incomplete: boolean;
}

export interface ColumnJob {
  namespace: string;
  name: string;
  incomplete?: boolean;
  gapSummary?: string;
  gaps?: GapShape[];
}

export interface ColumnLineageShape {
  name: string;
  inputFields: ColumnSourceShape[];
  transformationDescription: string | null;
  transformationType: string | null;
}

export interface ColumnNodeShape {
  id: string;
  type: string;
  data: ColumnData;
  inEdges: EdgeShape[];
  outEdges: EdgeShape[];
  distance: number;
  more?: MoreShape;
  incomplete?: boolean;
}

export interface ColumnSourceShape {
  namespace: string;
  dataset: string;
  field: string;
  transformationDescription: string | null;
  transformationType: string | null;
}

export interface ColumnsOfJob {
  namespace: string;
  name: string;
  id: string;
  columns: string;
  reasons: string[];
}

export interface ColumnsOfJobs {
  jobs: ColumnsOfJob[];
  counts: Record<string, number>;
  totalCount: number;
}

export interface ComparedColumn {
  origin: string;
  destination: string;
  change: string;
  before: string | null;
  after: string | null;
}

export interface ComparedCounters {
  rows: number | null;
  bytes: number | null;
  files: number | null;
}

export interface ComparedDataset {
  id: string;
  namespace: string;
  name: string;
  direction: string;
  change: string;
}

export interface ComparedFacet {
  facet: string;
  field: string;
  change: string;
  before: unknown;
  after: unknown;
}

export interface ComparedField {
  dataset: string;
  direction: string;
  field: string;
  change: string;
  before: string | null;
  after: string | null;
}

export interface ComparedRun {
  id: string;
  state: string;
  createdAt: string | null;
  startedAt: string | null;
  endedAt: string | null;
  durationMs: number | null;
  nominalStartTime: string | null;
  nominalEndTime: string | null;
}

export interface CountMetric {
  startInterval: string;
  endInterval: string;
  count: number;
}

export interface CountedDataset {
  dataset: string;
  direction: string;
  a: ComparedCounters | null;
  b: ComparedCounters | null;
}

export interface CountedVolume {
  rows: number | null;
  bytes: number | null;
  files: number | null;
  lag: number | null;
  runs: number;
}

export interface DatasetBody {
  type: "DB_TABLE" | "STREAM";
  physicalName: string;
  sourceName: string;
  fields?: FieldBody[] | null;
  tags?: string[] | null;
  description?: string | null;
  schemaLocation?: string | null;
  runId?: string | null;
}

export interface DatasetData {
  id: NameShape;
  type: string;
  name: string;
  physicalName: string;
  createdAt: string | null;
  updatedAt: string | null;
  namespace: string;
  sourceName: string;
  fields: FieldShape[];
  tags: string[];
  lastModifiedAt: string | null;
  description: string | null;
  lastLifecycleState: string | null;
  system: string;
  aliases?: NameShape[];
  owners?: string[];
}

export interface DatasetIdBody {
  namespace: string;
  name: string;
}

export interface DatasetLineageAnswer {
  origin: BridgeName;
  direction: string;
  depth: number;
  events: (Record<string, unknown>)[];
  datasets_visited: number;
  jobs_visited: number;
  not_followed?: number;
  gaps?: LineageGap[];
}

export interface DatasetList {
  datasets: DatasetShape[];
  totalCount: number;
}

export interface DatasetSamples {
  dataset: NodeName;
  by: string;
  from: string;
  to: string;
  samples: VolumeAt[];
  totalCount: number;
  isCut: boolean;
}

export interface DatasetShape {
  id: NameShape;
  type: string;
  name: string;
  physicalName: string;
  createdAt: string | null;
  updatedAt: string | null;
  namespace: string;
  sourceName: string;
  fields: FieldShape[];
  tags: string[];
  lastModifiedAt: string | null;
  lastLifecycleState: string | null;
  description: string | null;
  currentVersion: string;
  columnLineage: ColumnLineageShape[] | null;
  facets: Record<string, unknown>;
  deleted: boolean;
  schemaLocation?: string | null;
  shownAs?: NameShape;
  aliases?: NameShape[];
}

export interface DatasetUsage {
  dataset: NodeName;
  from: string;
  to: string;
  days: UsageDay[];
  isCut: boolean;
}

export interface DatasetVersionList {
  versions: DatasetVersionShape[];
  totalCount: number;
}

export interface DatasetVersionShape {
  id: VersionId;
  type: string;
  name: string;
  physicalName: string;
  createdAt: string | null;
  version: string;
  namespace: string;
  sourceName: string;
  fields: FieldShape[];
  tags: string[];
  lifecycleState: string | null;
  description: string | null;
  currentSchemaVersion: string | null;
  createdByRun: RunShape | null;
  facets: Record<string, unknown>;
  schemaLocation?: string | null;
}

export interface DayUser {
  id: string;
  namespace: string;
  name: string;
  runs: number;
  lastAt: string;
}

export interface DayUsers {
  jobs: DayUser[];
  jobCount: number;
  runCount: number;
}

export interface DiscoveredCluster {
  namespace: string;
  topics: number;
  groups: number;
  gaps: UntoldPart[];
}

export interface Discovery {
  findings: FindingShape[];
  counts: Record<string, number>;
  totalCount: number;
  acknowledgedCount: number;
  clusters: DiscoveredCluster[];
  asOf: string;
}

export interface DrawnEdge {
  origin: string;
  destination: string;
  kind: string;
  job: string;
  transformations: string;
  isIndirect: boolean;
  isAssumed: boolean;
  via?: string;
}

export interface DrawnNode {
  id: string;
  type: string;
  namespace: string;
  name: string;
  field: string;
  system: string;
  state: string;
  gaps?: string;
}

export interface Drift {
  jobs: DriftingJob[];
  totalCount: number;
  declaredCount: number;
  notRunCount: number;
  isCut: boolean;
}

export interface DriftColumn {
  namespace: string;
  name: string;
  field: string;
}

export interface DriftEdge {
  kind: "notDeclared" | "notObserved";
  direction: "input" | "output";
  namespace: string;
  name: string;
  since: string;
  lastObservedAt: string | null;
}

export interface DriftPair {
  kind: "notDeclared" | "notObserved";
  output: DriftColumn;
  input: DriftColumn;
}

export interface DriftingJob {
  id: string;
  namespace: string;
  name: string;
  run: string | null;
  edges: DriftEdge[];
  columns: DriftPair[];
}

export interface EdgeCreated {
  status: string;
  edge: string;
}

export interface EdgeList {
  edges: LineageEdge[];
  total: number;
}

export interface EdgeShape {
  origin: string;
  destination: string;
  kind?: string;
  incomplete?: boolean;
}

export interface EditAnswer {
  id: string;
  at: string;
  actor: string;
  entity: EditedEntity;
  set: Record<string, unknown>;
  unset: string[];
  undoes?: string;
}

export interface EditBody {
  entity: EditedEntity;
  set?: Record<string, unknown>;
  unset?: string[];
  unchangedSince?: string | null;
}

export interface EditList {
  edits: EditAnswer[];
  totalCount: number;
}

export interface EditedEntity {
  type: "dataset" | "job" | "namespace" | "source" | "tag";
  name: string;
  namespace?: string;
  field?: string;
}

export interface Error {
  code: number;
  message: string;
  path?: string;
  reason?: string;
  near?: string[];
  detail?: string;
}

export interface EventList {
  events: (Record<string, unknown>)[];
  totalCount: number;
}

export interface EventMetric {
  startInterval: string;
  endInterval: string;
  fail: number;
  start: number;
  complete: number;
  abort: number;
  running: number;
  other: number;
}

export interface EventsStored {
  events_stored: number;
  graph_id: string;
}

export interface ExportedGraph {
  nodes: DrawnNode[];
  edges: DrawnEdge[];
  focus: string[];
  truncated: boolean;
  incomplete: boolean;
}

export interface FailedEvent {
  index: number;
  reason: string;
  retriable: boolean;
}

export interface FamilyJob {
  id: string;
  namespace: string;
  name: string;
  state: string | null;
  lastHeardAt: string | null;
}

export interface FieldBody {
  name: string;
  type?: string | null;
  tags?: string[] | null;
  description?: string | null;
  fields?: FieldBody[] | null;
}

export interface FieldShape {
  name: string;
  type: string | null;
  tags: string[];
  description: string | null;
  fields?: FieldShape[];
}

export interface FindingShape {
  id: string;
  type: string;
  namespace: string;
  name: string;
  cluster: string;
  kind: string;
  reason: string;
  since: string;
  acknowledged: ProblemAcknowledged | null;
}

export interface FlowRate {
  rowsPerSecond: number | null;
  bytesPerSecond: number | null;
  lag: number | null;
}

export interface GapCount {
  kind: string;
  name: string;
  jobs: number;
}

export interface GapShape {
  kind: string;
  name: string;
  count: number;
  description: string | null;
}

export interface GraphAnswer {
  graph_id: string;
  nodes: LineageNode[];
  edges: LineageEdge[];
  stats: GraphStats;
  created_at: string;
  last_modified: string;
}

export interface GraphContent {
  nodes: LineageNode[];
  edges: LineageEdge[];
}

export interface GraphCreated {
  graph_id: string;
}

export interface GraphDeleted {
  status: string;
  graph_id: string;
}

export interface GraphImported {
  graph_id: string;
  nodes_imported: number;
  edges_imported: number;
}

export interface GraphShape {
  graph: NodeShape[];
  node: string;
  asOf: string | null;
  isCut: boolean;
  incomplete: boolean;
}

export interface GraphStats {
  node_count: number;
  edge_count: number;
  pipeline_count: number;
  validation_warnings: string[];
}

export interface GraphSummary {
  graph_id: string;
  node_count: number;
  edge_count: number;
  pipeline_count: number;
  created_at: string;
  last_modified: string;
}

export interface HealthDataset {
  namespace: string;
  name: string;
  id: string;
  state: string;
  reason: string;
  since: string | null;
  lastWrittenAt: string | null;
  freshness: HealthFreshness;
  volume: HealthVolume;
  system: string;
  owners: string[];
}

export interface HealthDatasets {
  datasets: HealthDataset[];
  counts: Record<string, number>;
  totalCount: number;
  asOf: string;
}

export interface HealthFreshness {
  state: string;
  everySeconds: number | null;
  expectedAt: string | null;
}

export interface HealthJob {
  namespace: string;
  name: string;
  id: string;
  type: string;
  state: string;
  reason: string;
  since: string | null;
  errorMessage: string | null;
  lastHeardAt: string | null;
  silentForSeconds: number | null;
  expectedAt: string | null;
  everySeconds: number | null;
  usualSeconds: number | null;
  latestRun: HealthRun | null;
  system: string;
  owners: string[];
}

export interface HealthJobs {
  jobs: HealthJob[];
  counts: Record<string, number>;
  totalCount: number;
  asOf: string;
}

export interface HealthRun {
  id: string;
  state: string;
  startedAt: string | null;
  endedAt: string | null;
}

export interface HealthVolume {
  state: string;
  per: string | null;
  rows: number | null;
  usualRows: number | null;
  bytes: number | null;
  usualBytes: number | null;
}

export interface HeartbeatGap {
  from: string;
  to: string;
  seconds: number;
  isOpen: boolean;
}

export interface Impact {
  assets: AffectedAsset[];
  totalCount: number;
  owners: string[];
  isCut: boolean;
  incomplete: boolean;
}

export interface IngestionAnswer {
  name: string;
  displayName: string;
  description: string;
  reads: string;
  connection: unknown;
  sourceConfig: unknown;
  schedule: unknown;
  loggerLevel: string | null;
  state: string;
  isPaused: boolean;
  isRequested: boolean;
  holder: string | null;
  nextAt: string | null;
  lag: number | null;
  allStored: number;
  failures: number;
  problem: string | null;
  revision: number;
  createdAt: string;
  updatedAt: string;
  updatedBy: string;
  notUsed: UnusedKey[];
  runs: IngestionRunAnswer[];
}

export interface IngestionBody {
  connection: unknown;
  displayName?: string;
  description?: string;
  sourceConfig?: unknown;
  schedule?: unknown;
  loggerLevel?: string | null;
}

export interface IngestionCheck {
  isOk: boolean;
  steps: IngestionStep[];
}

export interface IngestionList {
  ingestions: IngestionAnswer[];
  totalCount: number;
}

export interface IngestionRunAnswer {
  startedAt: string;
  endedAt: string | null;
  state: string;
  stored: number;
  rejected: number;
  excluded: number;
  marked: number;
  lag: number | null;
  problem: string | null;
}

export interface IngestionStep {
  name: string;
  state: string;
  detail: string;
}

export interface InputFieldShape {
  namespace: string;
  dataset: string;
  datasetVersion: string | null;
  field: string;
  transformationDescription: string | null;
  transformationType: string | null;
  transformations: TransformationShape[];
  isIndirect: boolean;
  job: string | null;
  kind?: string;
  isAssumed?: boolean;
  via?: string;
  incomplete?: boolean;
}

export interface JobActivity {
  job: NodeName;
  by: string;
  from: string;
  to: string;
  steps: ActivityAt[];
  marks: ActivityMark[];
  gaps: HeartbeatGap[];
  silentAfterSeconds: number;
  isCut: boolean;
}

export interface JobBody {
  type: "BATCH" | "SERVICE" | "STREAM";
  inputs?: DatasetIdBody[] | null;
  outputs?: DatasetIdBody[] | null;
  location?: string | null;
  description?: string | null;
  context?: Record<string, string> | null;
  tags?: string[] | null;
  runId?: string | null;
}

export interface JobData {
  id: NameShape;
  type: string;
  name: string;
  simpleName: string;
  parentJobName: string | null;
  createdAt: string | null;
  updatedAt: string | null;
  namespace: string;
  inputs: NameShape[];
  outputs: NameShape[];
  location: string | null;
  description: string | null;
  latestRun: RunShape | null;
  tags: string[];
  system: string;
  deleted?: boolean;
  owners?: string[];
  incomplete?: boolean;
  gapSummary?: string;
  gaps?: GapShape[];
}

export interface JobFamily {
  job: NodeName;
  parent: FamilyJob | null;
  children: FamilyJob[];
  totalCount: number;
}

export interface JobGaps {
  namespace: string;
  name: string;
  incomplete?: boolean;
  gapSummary?: string;
  gaps?: GapShape[];
}

export interface JobGapsList {
  jobs: JobGaps[];
  names: GapCount[];
  totalCount: number;
}

export interface JobList {
  jobs: JobShape[];
  totalCount: number;
}

export interface JobShape {
  id: NameShape;
  type: string;
  name: string;
  simpleName: string;
  parentJobName: string | null;
  parentJobUuid: string | null;
  createdAt: string | null;
  updatedAt: string | null;
  namespace: string;
  inputs: NameShape[];
  outputs: NameShape[];
  location: string | null;
  context: Record<string, unknown>;
  description: string | null;
  latestRun: RunShape | null;
  latestRuns: RunShape[];
  facets: Record<string, unknown>;
  tags: string[];
  labels: string[];
  currentVersion: string;
  incomplete?: boolean;
  gapSummary?: string;
  gaps?: GapShape[];
}

export interface JobVersionList {
  versions: JobVersionShape[];
  totalCount: number;
}

export interface JobVersionShape {
  id: VersionId;
  name: string;
  namespace: string;
  version: string;
  createdAt: string | null;
  inputs: NameShape[];
  outputs: NameShape[];
  location: string | null;
  context: Record<string, unknown>;
  latestRun: RunShape | null;
  facets: Record<string, unknown>;
}

export interface KnownTable {
  namespace: string;
  name: string;
  columns: (Record<string, string | null>)[];
}

export interface LineageChange {
  type: string;
  change: string;
  subject: string;
  before: string | null;
  after: string | null;
  at: string | null;
  cause: Cause | null;
  origin?: string;
  destination?: string;
  job?: string;
}

export interface LineageDiff {
  from: string;
  to: string;
  node: string | null;
  changes: LineageChange[];
  nodes: Record<string, ChangedNode>;
  totalCount: number;
  counts: Record<string, number>;
  isCut: boolean;
  next: string | null;
}

export interface LineageEdge {
  src_id: string;
  dst_id: string;
  edge_type: "consumes" | "has_schema" | "materializes" | "member_of" | "produces" | "transforms";
  confidence?: number;
  attributes?: Record<string, unknown>;
  first_seen?: string | null;
  last_seen?: string | null;
}

export interface LineageGap {
  job: BridgeName;
  gaps: GapShape[];
}

export interface LineageNode {
  node_id: string;
  system: "aws" | "confluent" | "databricks" | "external" | "google";
  node_type: "catalog_query" | "catalog_table" | "connector" | "consumer_group" | "external_dataset" | "flink_job" | "kafka_topic" | "ksqldb_query" | "notebook" | "schema" | "tableflow_table";
  qualified_name: string;
  display_name: string;
  environment_id?: string | null;
  environment_name?: string | null;
  cluster_id?: string | null;
  cluster_name?: string | null;
  catalog_type?: string | null;
  attributes?: Record<string, unknown>;
  tags?: string[];
  url?: string | null;
  first_seen?: string | null;
  last_seen?: string | null;
}

export interface LineagePath {
  nodes: string[];
  edges: DrawnEdge[];
  length: number;
}

export interface LineagePaths {
  paths: LineagePath[];
  nodes: DrawnNode[];
  jobs: Record<string, PathJob>;
  isReversed: boolean;
  isCut: boolean;
  incomplete: boolean;
}

export interface LineageRun {
  job: VersionedJob;
  run: RunOfLineage;
  inputs: RunInput[];
}

export interface MoreShape {
  upstream?: number;
  downstream?: number;
}

export interface NameShape {
  namespace: string;
  name: string;
}

export interface NamedNode {
  id: string;
  type: string;
  namespace: string;
  name: string;
  field: string | null;
  isExact: boolean;
}

export interface NamedNodes {
  nodes: NamedNode[];
  near: string[];
}

export interface NamespaceBody {
  ownerName: string;
  description?: string | null;
}

export interface NamespaceList {
  namespaces: NamespaceShape[];
  totalCount: number;
}

export interface NamespaceShape {
  name: string;
  createdAt: string | null;
  updatedAt: string | null;
  ownerName: string;
  description: string | null;
  isHidden: boolean;
}

export interface NodeCreated {
  status: string;
  node_id: string;
}

export interface NodeLineage {
  origin: string;
  direction: string;
  hops: number;
  nodes: LineageNode[];
  edges: LineageEdge[];
  node_count: number;
  edge_count: number;
}

export interface NodeList {
  nodes: LineageNode[];
  total: number;
}

export interface NodeName {
  id: string;
  namespace: string;
  name: string;
}

export interface NodeShape {
  id: string;
  type: string;
  data: DatasetData | JobData;
  inEdges: EdgeShape[];
  outEdges: EdgeShape[];
  distance: number;
  more?: MoreShape;
  incomplete?: boolean;
}

export interface NodeThroughput {
  id: string;
  written: FlowRate;
  read: FlowRate;
}

export interface OpenLineageEvent {
  eventType?: string | null;
  eventTime: string;
  run?: Record<string, unknown>;
  job?: Record<string, unknown>;
  dataset?: Record<string, unknown>;
  inputs?: (Record<string, unknown>)[];
  outputs?: (Record<string, unknown>)[];
  producer?: string;
  schemaURL?: string;
}

export interface OwnedList {
  assets: OwnedShape[];
  totalCount: number;
}

export interface OwnedShape {
  id: string;
  type: string;
  namespace: string;
  name: string;
  system: string;
  updatedAt: string | null;
}

export interface OwnerList {
  owners: string[];
  totalCount: number;
}

export interface PathJob {
  namespace: string;
  name: string;
}

export interface ProblemAcknowledged {
  actor: string;
  at: string;
  reason: string;
  until: string | null;
  edit: string;
}

export interface ProblemList {
  problems: ProblemShape[];
  counts: Record<string, number>;
  totalCount: number;
  acknowledgedCount: number;
  owners: string[];
  systems: string[];
  namespaces: string[];
  isCut: boolean;
  asOf: string;
}

export interface ProblemShape {
  id: string | null;
  type: string;
  namespace: string;
  name: string;
  system: string;
  owners: string[];
  problem: string;
  reason: string;
  since: string | null;
  run: string | null;
  acknowledged: ProblemAcknowledged | null;
}

export interface PushProviders {
  providers: string[];
}

export interface RejectedList {
  rejected: RejectedShape[];
  totalCount: number;
}

export interface RejectedShape {
  id: string;
  receivedAt: string;
  source: string;
  sources: string[];
  path: string;
  reason: string;
  size: number;
  payload: string;
}

export interface RunBody {
  id?: string | null;
  nominalStartTime?: string | null;
  nominalEndTime?: string | null;
  args?: Record<string, string> | null;
}

export interface RunComparison {
  job: NodeName;
  a: ComparedRun;
  b: ComparedRun;
  durationDeltaMs: number | null;
  datasets: ComparedDataset[];
  fields: ComparedField[];
  columns: ComparedColumn[];
  code: ComparedFacet[];
  facets: ComparedFacet[];
  counters: CountedDataset[];
  isCut: boolean;
}

export interface RunDatasetShape {
  datasetVersionId: VersionId;
  facets: Record<string, unknown>;
}

export interface RunFacets {
  runId: string;
  facets: Record<string, unknown>;
}

export interface RunInput {
  namespace: string;
  name: string;
  version: string;
  producedByRunId: string | null;
}

export interface RunLineage {
  runs: LineageRun[];
  isCut: boolean;
}

export interface RunList {
  runs: RunShape[];
  totalCount: number;
}

export interface RunOfLineage {
  id: string;
  start: string | null;
  end: string | null;
  status: string;
}

export interface RunShape {
  id: string;
  createdAt: string | null;
  updatedAt: string | null;
  nominalStartTime: string | null;
  nominalEndTime: string | null;
  state: string;
  startedAt: string | null;
  endedAt: string | null;
  durationMs: number | null;
  args: Record<string, unknown>;
  facets: Record<string, unknown>;
  job?: NameShape | null;
  jobVersion?: VersionId | null;
  inputDatasetVersions?: RunDatasetShape[];
  outputDatasetVersions?: RunDatasetShape[];
  restartOf?: string;
  incomplete?: boolean;
  gapSummary?: string;
  gaps?: GapShape[];
  replacedBy?: string;
}

export interface SearchHits {
  hits: (Record<string, unknown>)[];
  highlights: (Record<string, string[]>)[];
}

export interface SearchMatch {
  in: SearchPlace;
  text: string;
}

export type SearchPlace = "column" | "description" | "name" | "namespace" | "owner" | "tag";

export interface SearchResult {
  name: string;
  type: string;
  updatedAt: string | null;
  namespace: string;
  nodeId: string;
  match: SearchMatch;
}

export interface SearchResults {
  totalCount: number;
  results: SearchResult[];
}

export interface SenderList {
  senders: SenderShape[];
  totalCount: number;
  since: string;
  read: number;
}

export interface SenderShape {
  producer: string;
  namespaces: string[];
  namespaceCount: number;
  events: number;
  perHour: number;
  lastEventAt: string | null;
  lastReceivedAt: string | null;
  rejected: number;
  lastRejectedAt: string | null;
  lastReason: string | null;
}

export interface SourceBody {
  type: string;
  connectionUrl: string;
  description?: string | null;
}

export interface SourceList {
  sources: SourceShape[];
  totalCount: number;
}

export interface SourceShape {
  type: string;
  name: string;
  createdAt: string | null;
  updatedAt: string | null;
  connectionUrl: string;
  description: string | null;
}

export interface SqlBody {
  sql: string;
  dialect?: string | null;
  schemas?: Record<string, string[] | Record<string, string | null>> | null;
  graph?: boolean;
  asOf?: string | null;
}

export interface SqlLineage {
  dialect: string;
  inputs: string[];
  outputs: string[];
  columns: (Record<string, unknown>)[];
  transformations: (Record<string, unknown>)[];
  problems: (Record<string, unknown>)[];
  statements: (Record<string, unknown>)[];
  tables: Record<string, KnownTable>;
}

export interface Status {
  status: string;
}

export interface SystemCount {
  name: string;
  datasets: number;
  jobs: number;
  runningJobs: number;
}

export interface SystemCountList {
  systems: SystemCount[];
  totalCount: number;
}

export interface SystemNamespace {
  name: string;
  datasets: number;
  jobs: number;
}

export interface SystemNamespaces {
  namespaces: SystemNamespace[];
  totalCount: number;
}

export interface TagAsset {
  state: string;
  id: string;
  type: string;
  namespace: string;
  name: string;
  field: string | null;
  system: string;
  owners: string[];
  hops: number;
  source: string | null;
  jobs: string[];
}

export interface TagBody {
  description?: string | null;
}

export interface TagList {
  tags: TagShape[];
  totalCount: number;
}

export interface TagReport {
  tag: string;
  description: string | null;
  counts: Record<string, number>;
  assets: TagAsset[];
  totalCount: number;
  owners: string[];
  isCut: boolean;
  incomplete: boolean;
}

export interface TagShape {
  name: string;
  description: string | null;
}

export interface TaskInfo {
  task_id: string;
  task_type: string;
  status: string;
  created_at: string;
  started_at: string | null;
  completed_at: string | null;
  progress: string[];
  result: Record<string, unknown> | null;
  error: string | null;
  params: Record<string, unknown>;
}

export interface TaskStarted {
  task_id: string;
  status: string;
}

export interface Throughput {
  minutes: number;
  to: string;
  nodes: NodeThroughput[];
}

export type Towards = "upstream" | "downstream" | "both" | "connected";

export interface TransformationShape {
  type: string | null;
  subtype: string | null;
  description: string | null;
  masking: boolean | null;
}

export interface UntoldPart {
  name: string;
  description: string;
}

export interface UpstreamProblem {
  id: string | null;
  type: string;
  namespace: string;
  name: string;
  system: string;
  owners: string[];
  problem: string;
  reason: string;
  since: string | null;
  run: string | null;
  acknowledged: ProblemAcknowledged | null;
  hops: number;
}

export interface UpstreamProblems {
  node: string | null;
  problems: UpstreamProblem[];
  totalCount: number;
  acknowledgedCount: number;
  checked: number;
  isCut: boolean;
}

export interface UsageDay {
  day: string;
  readers: DayUsers;
  writers: DayUsers;
}

export interface VersionId {
  namespace: string;
  name: string;
  version: string;
}

export interface VersionedJob {
  namespace: string | null;
  name: string | null;
  version: string | null;
}

export interface ViewAnswer {
  view: string;
  events: (Record<string, unknown>)[];
  systems: string[] | null;
}

export interface VolumeAt {
  at: string;
  written: CountedVolume;
  read: CountedVolume;
}

export interface WhoAmI {
  actor: string;
  scopes: string[];
}
