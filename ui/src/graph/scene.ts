/** What is drawn, placed: the graph, where each node is, which columns are listed. */
import { useEffect, useMemo, useRef, useState } from "react";
import type { OpenedColumns } from "./column-pages";
import type { Places } from "./layout";
import { layout } from "./layout";
import type { Graph } from "./model";
import { sizeOf } from "./sizes";
import type { Placed } from "./wrap";

export interface Scene {
  graph: Graph;
  opened: Map<string, OpenedColumns>;
  places: Places;
  /** Heights at which lines lead from one row back to the next, where a long chain is in rows. */
  lanes?: number[];
  /** What the drawing is of; another subject is shown anew. */
  subject: string;
  /** The node that stays in its place when the drawing changes. */
  anchor: string;
}

/** The newest scene whose layout is done; the one before stays until then. */
export function useScene(
  graph: Graph | undefined,
  opened: Map<string, OpenedColumns>,
  subject: string,
  anchor: string,
): { scene: Scene | undefined; isBusy: boolean; failure: unknown } {
  const [scene, setScene] = useState<Scene>();
  const [failure, setFailure] = useState<unknown>();
  const anchorNow = useRef(anchor);
  anchorNow.current = anchor;
  const asked = useMemo(() => ({ graph, opened }), [graph, opened]);
  const done = useRef<typeof asked | undefined>(undefined);

  const placed = useRef<{ shape: string; placed: Placed } | undefined>(undefined);

  useEffect(() => {
    if (!asked.graph) return;
    let isWanted = true;
    const { boxes, arrows } = outline(asked.graph, asked.opened);
    const shape = JSON.stringify([boxes, arrows]);
    const show = (found: Placed) => {
      placed.current = { shape, placed: found };
      done.current = asked;
      setFailure(undefined);
      setScene({ graph: asked.graph!, opened: asked.opened, ...found, subject, anchor: anchorNow.current });
    };
    // Other states of the same nodes: each changes where it stands.
    if (placed.current?.shape === shape) {
      show(placed.current.placed);
      return;
    }
    layout(boxes, arrows).then(
      (found) => {
        if (isWanted) show(found);
      },
      (error: unknown) => isWanted && setFailure(error),
    );
    return () => {
      isWanted = false;
    };
  }, [asked, subject]);
  return { scene: graph ? scene : undefined, isBusy: done.current !== asked, failure };
}

/** What decides the layout: sizes of nodes, and which are connected. */
function outline(graph: Graph, opened: Map<string, OpenedColumns>) {
  const boxes = [...graph.nodes.values()].map((node) => ({ id: node.id, ...sizeOf(node, opened.get(node.id)) }));
  return { boxes, arrows: graph.edges.map(({ from, to }) => ({ from, to })) };
}

/** The rectangle around all nodes, or around some. */
export function boundsOf({ graph, opened, places }: Scene, some?: ReadonlySet<string>) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [id, { x, y }] of places) {
    const node = graph.nodes.get(id);
    if (!node || (some && !some.has(id))) continue;
    const { width, height } = sizeOf(node, opened.get(id));
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + width);
    bottom = Math.max(bottom, y + height);
  }
  return left === Infinity ? undefined : { x: left, y: top, width: right - left, height: bottom - top };
}
