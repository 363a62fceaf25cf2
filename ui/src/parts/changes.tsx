/** What changed between two times, each with when and by what. */
import type { ChangedNode, LineageChange } from "../api/schema";
import { shortName } from "../api/ids";
import { DatasetLink, JobLink, RunLink } from "./links";
import { Ago } from "./time";

const SIGNS: Record<string, string> = { added: "+", removed: "−", changed: "~" };

// What the API calls a change, in the words of the pages.
const WORDS: Record<string, string> = { field: "column", column: "column edge", lifecycle: "marked", sql: "SQL of" };

export function Changes({ of, nodes }: { of: LineageChange[]; nodes: Record<string, ChangedNode> }) {
  return (
    <ul className="rows">
      {of.map((change, index) => (
        <li key={index}>
          <span className={`sign ${change.change}`} title={change.change}>
            {SIGNS[change.change] ?? "~"}
          </span>
          <span className="row-main">
            <Subject of={change} nodes={nodes} />
            {change.cause?.run && (
              <span className="faint">
                run <RunLink id={change.cause.run} />
              </span>
            )}
          </span>
          <Ago time={change.at} />
        </li>
      ))}
    </ul>
  );
}

function Subject({ of: change, nodes }: { of: LineageChange; nodes: Record<string, ChangedNode> }) {
  const node = nodes[change.subject];
  if (change.origin && change.destination) {
    return (
      <span className="wrap">
        {WORDS[change.type] ?? change.type} {labelOf(change.origin, nodes)} → {labelOf(change.destination, nodes)}
      </span>
    );
  }
  const values = change.type === "sql" ? [] : [change.before, change.before && change.after ? "→" : "", change.after];
  const what = [WORDS[change.type] ?? change.type, node?.field, ...values];
  return (
    <span className="change">
      <span className="wrap">{what.filter(Boolean).join(" ")}</span>
      {node && (node.type === "JOB" ? <JobLink of={node} /> : <DatasetLink of={node} />)}
    </span>
  );
}

function labelOf(id: string, nodes: Record<string, ChangedNode>): string {
  const node = nodes[id];
  if (!node) return id;
  return node.field ? `${shortName(node.name)}.${node.field}` : shortName(node.name);
}
