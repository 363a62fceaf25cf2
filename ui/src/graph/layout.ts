/** Places for nodes: by ELK in a worker, or by layers alone where that would take too long. */
import ELK from "elkjs/lib/elk-api.js";
import workerUrl from "elkjs/lib/elk-worker.min.js?url";

import { layerLayout } from "./layers";
import type { Placed } from "./wrap";
import { wrapRows } from "./wrap";

export interface Box {
  id: string;
  width: number;
  height: number;
}

export interface Arrow {
  from: string;
  to: string;
}

export type Places = Map<string, { x: number; y: number }>;

/** Above this ELK takes seconds; layers take milliseconds. */
const MOST_FOR_ELK = 500;

const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.direction": "RIGHT",
  "elk.layered.spacing.nodeNodeBetweenLayers": "58",
  "elk.spacing.nodeNode": "26",
  // Lines are drawn by `edge-paths.ts`, bent over one another: a fan of them needs little room of its own.
  "elk.layered.spacing.edgeEdgeBetweenLayers": "3",
  // Of the placements the quickest on hundreds of nodes; more rounds against crossings made lines no shorter.
  "elk.layered.nodePlacement.strategy": "BRANDES_KOEPF",
  "elk.layered.nodePlacement.bk.fixedAlignment": "BALANCED",
  "elk.layered.thoroughness": "3",
  "elk.separateConnectedComponents": "false",
};

let elk: InstanceType<typeof ELK> | undefined;

export async function layout(boxes: Box[], arrows: Arrow[]): Promise<Placed> {
  return wrapRows(await place(boxes, arrows), boxes, arrows);
}

async function place(boxes: Box[], arrows: Arrow[]): Promise<Places> {
  if (boxes.length > MOST_FOR_ELK) return layerLayout(boxes, arrows);
  elk ??= new ELK({ workerUrl });
  const placed = await elk.layout({
    id: "root",
    layoutOptions: OPTIONS,
    children: boxes.map(({ id, width, height }) => ({ id, width, height })),
    edges: arrows.map(({ from, to }, index) => ({ id: String(index), sources: [from], targets: [to] })),
  });
  return new Map((placed.children ?? []).map((child) => [child.id, { x: child.x ?? 0, y: child.y ?? 0 }]));
}
