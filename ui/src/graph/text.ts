/** What is shown, as text for other tools: CSV of edges and of column edges, Mermaid. */
import { howOf } from "./edges";
import type { ColumnEdge, Graph } from "./model";

export function edgesCsv(graph: Graph): string {
  const rows = graph.edges.map(({ from, to, kind, through }) => {
    const [a, b] = [graph.nodes.get(from)!, graph.nodes.get(to)!];
    return [a.kind, a.namespace, a.name, b.kind, b.namespace, b.name, kind, through.join(" ")];
  });
  return csv([
    ["from_type", "from_namespace", "from_name", "to_type", "to_namespace", "to_name", "kind", "through"],
    ...rows,
  ]);
}

export function columnsCsv(edges: ColumnEdge[], graph: Graph): string {
  const rows = edges.map((edge) => {
    const [a, b] = [graph.nodes.get(edge.from.dataset), graph.nodes.get(edge.to.dataset)];
    return [
      a?.namespace ?? "",
      a?.name ?? "",
      edge.from.field,
      b?.namespace ?? "",
      b?.name ?? "",
      edge.to.field,
      edge.isIndirect ? "INDIRECT" : "DIRECT",
      howOf(edge),
      edge.job?.name ?? "",
    ];
  });
  const head = [
    "from_namespace",
    "from_name",
    "from_column",
    "to_namespace",
    "to_name",
    "to_column",
    "type",
    "how",
    "job",
  ];
  return csv([head, ...rows]);
}

export function csv(rows: string[][]): string {
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function cell(value: string): string {
  // A spreadsheet would take these for a formula, and names come from anywhere.
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

export function mermaid(graph: Graph): string {
  const numbers = new Map([...graph.nodes.keys()].map((id, index) => [id, `n${index}`]));
  const nodes = [...graph.nodes.values()].map(({ id, kind, name, system }) => {
    const label = `"${escapeMermaid(name)}<br/>${escapeMermaid(system)}"`;
    return `  ${numbers.get(id)}${kind === "dataset" ? `[(${label})]` : kind === "job" ? `([${label}])` : `[${label}]`}`;
  });
  const edges = graph.edges.map(({ from, to }) => `  ${numbers.get(from)} --> ${numbers.get(to)}`);
  return ["flowchart LR", ...nodes, ...edges, ""].join("\n");
}

function escapeMermaid(text: string): string {
  return text.replace(/[^\p{L}\p{N} ._\-/]/gu, (letter) => `#${letter.codePointAt(0)};`);
}
