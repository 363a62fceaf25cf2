/** What changed between two times, each with when and by what. */

import { shortName } from "../api/ids";
import type { ChangedNode, LineageChange } from "../api/schema";
import { strings } from "../strings";
import { NodeLink, RunLink } from "./links";
import { Ago } from "./time";

const SIGNS: Record<string, string> = { added: "+", removed: "−", changed: "~" };

interface Props {
  of: LineageChange[];
  nodes: Record<string, ChangedNode>;
  /** Whether what brought them stands above all of them. */
  isGrouped?: boolean;
}

export function Changes({ of, nodes, isGrouped = false }: Props) {
  return (
    <ul className={isGrouped ? "rows tight" : "rows"}>
      {of.map((change, index) => (
        <li key={index}>
          <span className={`sign ${change.change}`} title={change.change}>
            {SIGNS[change.change] ?? "~"}
          </span>
          <span className="row-main">
            <Subject of={change} nodes={nodes} />
            {!isGrouped && <Because of={change} nodes={nodes} />}
          </span>
          {!isGrouped && <Ago time={change.at} />}
        </li>
      ))}
    </ul>
  );
}

/** The run that brought it, with its job; or the person. */
function Because({ of: { cause }, nodes }: { of: LineageChange; nodes: Record<string, ChangedNode> }) {
  if (cause?.actor) return <span className="faint wrap">{`${strings.graph.by} ${cause.actor}`}</span>;
  if (!cause?.run) return null;
  const job = cause.job ? nodes[cause.job] : undefined;
  return (
    <span className="faint change">
      {strings.kinds.run.toLowerCase()} <RunLink id={cause.run} />
      {job && (
        <span className="name" title={job.name}>
          {strings.graph.by} <bdi>{shortName(job.name)}</bdi>
        </span>
      )}
    </span>
  );
}

function Subject({ of: change, nodes }: { of: LineageChange; nodes: Record<string, ChangedNode> }) {
  const node = nodes[change.subject];
  if (change.origin && change.destination) {
    return (
      <span className="change">
        {strings.changes[change.type] ?? change.type}
        <Label id={change.origin} nodes={nodes} />
        →
        <Label id={change.destination} nodes={nodes} />
      </span>
    );
  }
  const what = [strings.changes[change.type] ?? change.type, node?.field, ...valuesOf(change)];
  return (
    <span className="change">
      <span className="wrap few-lines">{what.filter(Boolean).join(" ")}</span>
      {node && <NodeLink of={node} />}
    </span>
  );
}

function Label({ id, nodes }: { id: string; nodes: Record<string, ChangedNode> }) {
  const node = nodes[id];
  const field = node?.field ? `.${node.field}` : "";
  return (
    <bdi className="name" title={id}>
      {node ? `${shortName(node.name)}${field}` : id}
    </bdi>
  );
}

/** Of what is there or not, and of long texts, the sign says enough. */
function valuesOf({ type, before, after }: LineageChange): (string | null)[] {
  if (["dataset", "job", "sql", "code"].includes(type)) return [];
  return [before, before && after ? "→" : "", after];
}
