/** Whether what is shown may have changed: by the names in a question and in its answer. */
import { jobId } from "../api/ids";
import type { Changed } from "./stream";

/** What is known of a question that was asked: its key, and its newest answer. */
export interface Asked {
  queryKey: readonly unknown[];
  data: unknown;
}

/** Questions whose answers never change while a page is open. */
const LASTING = new Set(["/openapi.json", "whoami"]);

export function isConcerned({ queryKey, data }: Asked, changed: Changed): boolean {
  const [path, parameters] = queryKey;
  if (typeof path !== "string" || LASTING.has(path)) return false;
  if (isOfThePast(parameters)) return false;
  if (changed.isAll) return true;
  if (path === "events/rejected") return changed.rejected > 0;
  if (changed.events === 0) return path === "problems";
  const about = nodesOf(path, parameters, data);
  if (about.length === 0) return true;
  const nodes = new Set(changed.nodes);
  return about.some((id) => nodes.has(id) || nodes.has(datasetOfField(id)));
}

/** The nodes a question is about; none if it is about everything. */
function nodesOf(path: string, parameters: unknown, data: unknown): string[] {
  const named = /^namespaces\/([^/]+)\/(job|dataset)s\/([^/]+)/.exec(path);
  if (named) return [`${named[2]}:${decodeURIComponent(named[1]!)}:${decodeURIComponent(named[3]!)}`];
  const byId = /^(?:jobs|datasets|impact)\/((?:job|dataset)(?:%3A|:).+?)(?:\/|$)/i.exec(path);
  if (byId) return [decodeURIComponent(byId[1]!)];
  const job = (data as { job?: { namespace: string; name: string } | null } | undefined)?.job;
  if (path.startsWith("jobs/runs/") && job) return [jobId(job)];
  return [...idsIn(parameters), ...idsOfGraph(data)];
}

const PARAMETERS = ["nodeId", "also", "from", "to"] as const;

function idsIn(parameters: unknown): string[] {
  const given = (parameters ?? {}) as Record<string, unknown>;
  const found = PARAMETERS.flatMap((name) => given[name] ?? []).filter((id) => typeof id === "string");
  if (typeof given.type === "string" && typeof given.namespace === "string" && typeof given.name === "string") {
    found.push(`${given.type}:${given.namespace}:${given.name}`);
  }
  return found.filter((id) => /^(job|dataset|datasetField):/.test(id));
}

/** The nodes of a graph or a list of paths, which may change its edges as well. */
function idsOfGraph(data: unknown): string[] {
  const { graph, nodes } = (data ?? {}) as { graph?: unknown; nodes?: unknown };
  const listed = Array.isArray(graph) ? graph : Array.isArray(nodes) ? nodes : [];
  return listed.flatMap((node: { id?: unknown }) => (typeof node?.id === "string" ? [node.id] : []));
}

/** `datasetField:NAMESPACE:NAME:FIELD` without its last part; a field may hold colons, as a name may. */
function datasetOfField(id: string): string {
  return id.startsWith("datasetField:") ? id.replace(/^datasetField:/, "dataset:").replace(/:[^:]*$/, "") : id;
}

/** An earlier time stays as it was, but for what arrives late. */
function isOfThePast(parameters: unknown): boolean {
  const { as_of, to } = (parameters ?? {}) as { as_of?: unknown; to?: unknown };
  return Boolean(as_of) || (typeof to === "string" && !Number.isNaN(Date.parse(to)));
}
