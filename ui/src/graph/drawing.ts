/** From a scene to what the library draws: its nodes and lines, with what is lit. */
import { isJobId } from "../api/ids";
import { toneOf } from "../parts/badges";
import { toListed } from "./column-pages";
import { oneOfAKind } from "./columns";
import type { Wire } from "./edge-paths";
import { columnWires, tableWires } from "./edge-paths";
import type { ColumnEdge, Fan, Health } from "./model";
import { neighbours } from "./model";
import type { DrawnData, DrawnNode } from "./nodes";
import { findNodes } from "./path-order";
import type { Scene } from "./scene";
import { sizeOf } from "./sizes";
import type { View } from "./view-state";
import type { DrawnWire } from "./wire-layer";

interface Asked {
  scene: Scene;
  columnEdges: ColumnEdge[];
  view: View;
  health: Map<string, Health>;
  selected: string;
  /** How much passes through nodes, in words. */
  rates?: ReadonlyMap<string, string>;
}

export function drawScene(asked: Asked): { nodes: DrawnNode[]; lines: DrawnWire[]; wires: Wire[] } {
  const { scene, columnEdges, view } = asked;
  const columns = columnWires(scene, oneOfAKind(columnEdges.map((edge) => toListed(edge, scene.opened))));
  // On a column's path its own lines say it all.
  const wires = view.column ? columns : [...tableWires(scene), ...columns];
  return { nodes: drawNodes(asked), lines: wires.map((wire) => ({ wire, isLit: isLit(wire, asked) })), wires };
}

function drawNodes({ scene, columnEdges, view, health, selected, rates }: Asked): DrawnNode[] {
  const { graph, places, opened } = scene;
  const next = neighbours(graph.edges);
  const marked = markedColumns(columnEdges);
  const masked = maskedColumns(columnEdges);
  const found = new Set(findNodes(graph, view.find ?? "").map(({ node, fan }) => fan ?? node.id));
  return [...graph.nodes.values()].flatMap((node) => {
    const position = places.get(node.id);
    if (!position) return [];
    const { width, height } = sizeOf(node, opened.get(node.id));
    const data = {
      node,
      health: health.get(node.id),
      opened: opened.get(node.id),
      isFocus: node.id === graph.focus,
      isSelected: node.id === selected,
      hasShown: { up: next.up.has(node.id), down: next.down.has(node.id) },
      marked: marked.get(node.id) ?? NONE,
      masked: masked.get(node.id) ?? NONE,
      isFound: found.has(node.id),
      troubles: node.fan && troublesOf(node.fan, health),
      rate: rates?.get(node.id),
      canExpand: !view.column && !view.to,
      chosen: chosenField(view.column, node),
    };
    // The library lets clicks through nodes that it neither moves nor selects itself.
    const style = { pointerEvents: "all" as const };
    // All that it would measure is told beforehand: what it has to measure it draws, in view or not.
    const known = { width, height, measured: { width, height }, handles: [] };
    return [{ id: node.id, type: node.kind === "group" ? "stack" : node.kind, position, ...known, data, style }];
  });
}

const NONE: ReadonlySet<string> = new Set();

function chosenField(
  column: string | undefined,
  { id, namespace, name }: { id: string; namespace: string; name: string },
): string {
  const prefix = `datasetField:${namespace}:${name}:`;
  return column?.startsWith(prefix) && !isJobId(id) ? column.slice(prefix.length) : "";
}

/** How much of what is folded has a problem. */
function troublesOf({ members, behind }: Fan, health: ReadonlyMap<string, Health>): DrawnData["troubles"] {
  const tones = [...members, ...behind].flatMap((node) => {
    const state = health.get(node.id)?.state ?? (node.state === "FAILED" ? node.state : undefined);
    return state ? [toneOf(state)] : [];
  });
  return tones.length > 0 ? { count: tones.length, tone: tones.includes("bad") ? "bad" : "warn" } : undefined;
}

function maskedColumns(edges: ColumnEdge[]): Map<string, Set<string>> {
  const masked = new Map<string, Set<string>>();
  for (const { to, isMasked } of edges) {
    if (isMasked && to.field) masked.set(to.dataset, (masked.get(to.dataset) ?? new Set()).add(to.field));
  }
  return masked;
}

function markedColumns(edges: ColumnEdge[]): Map<string, Set<string>> {
  const marked = new Map<string, Set<string>>();
  for (const { from, to } of edges) {
    for (const { dataset, field } of [from, to]) {
      if (field) marked.set(dataset, (marked.get(dataset) ?? new Set()).add(field));
    }
  }
  return marked;
}

function isLit({ from, to }: Wire, { selected, view }: Asked): boolean {
  return !view.column && (from === selected || to === selected);
}
