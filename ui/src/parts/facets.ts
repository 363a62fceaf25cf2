/** Facets that pages know how to show; anything may be in them, so nothing is taken for granted. */

type Facets = Record<string, unknown>;

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(record) : [];
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const number = (value: unknown): number | null => (typeof value === "number" ? value : null);

export interface Failing {
  message: string;
  trace: string;
}

export function errorOf(facets: Facets): Failing | undefined {
  const facet = record(facets.errorMessage);
  const message = text(facet.message);
  return message ? { message, trace: text(facet.stackTrace) } : undefined;
}

/** The state of a run as it is shown: a connector that does not exist any more is not one that was stopped. */
export function shownStateOf(run: { state: string; facets?: Facets }): string {
  const inside = record(run.facets?.kafka_connect);
  const outside = record(run.facets?.kafka_connect_rest);
  const isDeleted = [inside, outside].some((each) => text(each.reason) === "deleted");
  return isDeleted && run.state !== "RUNNING" ? "deleted" : run.state;
}

export interface ParentRun {
  runId: string;
  namespace: string;
  name: string;
}

export function parentOf(facets: Facets): ParentRun | undefined {
  const facet = record(facets.parent);
  const runId = text(record(facet.run).runId);
  const job = record(facet.job);
  return runId ? { runId, namespace: text(job.namespace), name: text(job.name) } : undefined;
}

export function ownersOf(facets: Facets): string[] {
  return list(record(facets.ownership).owners).map((owner) => {
    const kind = text(owner.type).toLowerCase();
    return kind ? `${text(owner.name)} (${kind})` : text(owner.name);
  });
}

export function aliasesOf(facets: Facets): { namespace: string; name: string }[] {
  return list(record(facets.symlinks).identifiers).map((one) => ({
    namespace: text(one.namespace),
    name: text(one.name),
  }));
}

/** The SQL of a job, as the newest of some events that has it reports it. */
export function sqlOf(events: Facets[]): string {
  const texts = events.map((event) => text(record(record(record(event.job).facets).sql).query));
  return texts.find(Boolean) ?? "";
}

export interface Counted {
  rows: number | null;
  bytes: number | null;
}

/** Rows and bytes that a run tells of a dataset, whichever way round. */
export function countedOf(facets: Facets): Counted {
  const facet = { ...record(facets.inputStatistics), ...record(facets.outputStatistics) };
  return { rows: number(facet.rowCount), bytes: number(facet.size) ?? number(facet.byteCount) };
}

/** What a job's producer calls itself; else the namespace tells its system. */
export function integrationOf(facets: Facets): string {
  return text(record(facets.jobType).integration).toLowerCase();
}

export interface Assertion {
  name: string;
  column: string;
  isPassed: boolean;
}

export function assertionsOf(facets: Facets): Assertion[] {
  return list(record(facets.dataQualityAssertions).assertions).map((one) => ({
    name: text(one.assertion),
    column: text(one.column),
    isPassed: one.success === true,
  }));
}

export function metricsOf(facets: Facets): [string, string][] {
  const facet = record(facets.dataQualityMetrics);
  const own = Object.entries(facet).filter(([name, value]) => !name.startsWith("_") && typeof value === "number");
  const ofColumns = Object.entries(record(facet.columnMetrics)).flatMap(([column, metrics]) =>
    Object.entries(record(metrics))
      .filter(([, value]) => typeof value === "number")
      .map(([name, value]) => [`${column} ${name}`, value] as [string, unknown]),
  );
  return [...own, ...ofColumns].map(([name, value]) => [name, Number(value).toLocaleString("en")]);
}

/** A link to the code, where it is one that a browser may follow. */
export function codeOf(location: string | null): string | undefined {
  return location && /^https?:\/\//i.test(location) ? location : undefined;
}
