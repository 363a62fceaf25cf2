/** The drawing: nodes where the layout put them, lines between, a map, and the keyboard. */
import { Background, MiniMap, ReactFlow, ReactFlowProvider, useReactFlow } from "@xyflow/react";
import "@xyflow/react/dist/style.css";
import { useEffect, useImperativeHandle, useMemo, useRef } from "react";
import type { KeyboardEvent, Ref } from "react";
import type { Viewport } from "@xyflow/react";

import { isTyping } from "../parts/search";
import { lookOf } from "../systems";
import { strings } from "../strings";
import { useActions } from "./actions";
import { edgeTypes } from "./edges";
import type { DrawnEdge } from "./edges";
import { isArrow, nearest } from "./nearest";
import { nodeTypes } from "./nodes";
import type { DrawnNode } from "./nodes";
import type { Scene } from "./scene";
import { boundsOf } from "./scene";

/** Above this only what is in view is drawn. */
const MANY = 120;
/** Smaller than this a name cannot be read. */
const READABLE = 0.55;

export interface CanvasHandle {
  fit: () => void;
  zoom: (by: number) => void;
}

interface Props {
  scene: Scene;
  nodes: DrawnNode[];
  edges: DrawnEdge[];
  selected: string;
  handle: Ref<CanvasHandle>;
}

export function Canvas(props: Props) {
  return (
    <ReactFlowProvider>
      <Drawing {...props} />
    </ReactFlowProvider>
  );
}

function Drawing({ scene, nodes, edges, selected, handle }: Props) {
  const room = useRef<HTMLDivElement>(null);
  const camera = useCamera(scene, room);
  const actions = useActions();
  useImperativeHandle(handle, () => camera, [camera]);

  function onKeyDown(event: KeyboardEvent) {
    if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    const place = scene.places.get(selected);
    if (isArrow(event.key) && place) {
      const spots = [...scene.places].map(([id, { x, y }]) => ({ id, x, y }));
      const next = nearest({ id: selected, ...place }, spots, event.key);
      if (next) {
        actions.select(next);
        camera.reveal(next);
      }
    } else if (event.key === "Enter" && event.target === event.currentTarget) actions.open(selected);
    else if (event.key === "e") expand(scene, selected, actions.toggleSide);
    else if (event.key === "c") actions.toggleColumns(selected);
    else if (event.key === "f") camera.fit();
    else return;
    event.preventDefault();
  }

  return (
    <div ref={room} className="canvas">
      <svg className="defs" aria-hidden="true">
        <defs>
          <ArrowHead id="arrow" />
          <ArrowHead id="arrow-lit" />
        </defs>
      </svg>
      <ReactFlow
        aria-label={`${strings.graph.canvas}. ${strings.graph.legend}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        minZoom={0.05}
        maxZoom={2}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        onlyRenderVisibleElements={nodes.length > MANY}
        zoomOnDoubleClick={false}
        proOptions={{ hideAttribution: true }}
      >
        <Background gap={24} size={1} />
        {nodes.length > 3 && <MiniMap<DrawnNode> pannable zoomable ariaLabel={strings.graph.map} nodeColor={(node) => `hsl(${lookOf(node.data.node.system).hue} 45% 60%)`} />}
      </ReactFlow>
    </div>
  );
}

function ArrowHead({ id }: { id: "arrow" | "arrow-lit" }) {
  return (
    <marker id={id} viewBox="0 0 8 8" refX="7.500" refY="4" markerWidth="10" markerHeight="10" markerUnits="userSpaceOnUse" orient="auto">
      <path d="M0,0.500 L8,4 L0,7.500 z" className={id === "arrow" ? "arrow-head" : "arrow-head lit"} />
    </marker>
  );
}

/** Show the next side of a node of which something is not shown. */
function expand(scene: Scene, id: string, toggleSide: (id: string, side: "up" | "down") => void): void {
  const rest = scene.graph.nodes.get(id)?.rest;
  if (!rest) return;
  if (rest.up !== 0) toggleSide(id, "up");
  else if (rest.down !== 0) toggleSide(id, "down");
}

/** Moves the view: shows all that can be read, and keeps what one looks at in its place. */
function useCamera(scene: Scene, room: React.RefObject<HTMLDivElement | null>) {
  const flow = useReactFlow();
  const last = useRef<Scene | undefined>(undefined);

  const camera = useMemo(
    () => ({
      fit: () => show(flow, latest.current, room.current, 0.02),
      zoom: (by: number) => void flow.zoomTo(flow.getZoom() * by, { duration: moving(120) }),
      reveal: (id: string) => reveal(flow, latest.current, room.current, id),
    }),
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [flow],
  );
  const latest = useRef(scene);
  latest.current = scene;

  useEffect(() => {
    const before = last.current;
    last.current = scene;
    const anchor = scene.anchor;
    const old = before?.places.get(anchor);
    const now = scene.places.get(anchor);
    if (!before || before.subject !== scene.subject || !old || !now) {
      show(flow, scene, room.current, READABLE);
      return;
    }
    const { x, y, zoom } = flow.getViewport();
    const kept = { x: x - (now.x - old.x) * zoom, y: y - (now.y - old.y) * zoom, zoom };
    void flow.setViewport(kept);
    follow(flow, scene, before, room.current, kept);
  }, [scene, flow, room]);
  return camera;
}

/** How long a move takes, in milliseconds: none for those who asked for less motion. */
function moving(milliseconds: number): number {
  return matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : milliseconds;
}

type Flow = ReturnType<typeof useReactFlow>;

/** Show everything, if it can then still be read; else what is around the focus. */
function show(flow: Flow, scene: Scene, room: HTMLElement | null, smallest: number): void {
  const bounds = boundsOf(scene);
  if (!room || !bounds) return;
  const zoom = Math.min((room.clientWidth - 60) / bounds.width, (room.clientHeight - 60) / bounds.height, 1.1);
  if (zoom >= smallest) {
    void flow.setCenter(bounds.x + bounds.width / 2, bounds.y + bounds.height / 2, { zoom });
    return;
  }
  const readable = Math.max(smallest, 0.75);
  const focus = scene.places.get(scene.graph.focus) ?? { x: bounds.x, y: bounds.y };
  const x = within(focus.x + 115, bounds.x, bounds.width, room.clientWidth / readable);
  const y = within(focus.y + 30, bounds.y, bounds.height, room.clientHeight / readable);
  void flow.setCenter(x, y, { zoom: readable });
}

/** The middle of a window over a longer stretch, moved so that it does not look past its ends. */
function within(middle: number, start: number, length: number, window: number): number {
  if (window >= length) return start + length / 2;
  const half = window / 2 - 30;
  return Math.min(Math.max(middle, start + half), start + length - half);
}

/** Move to what came new, as far as what it belongs to stays in view. */
function follow(flow: Flow, scene: Scene, before: Scene, room: HTMLElement | null, from: Viewport): void {
  const added = new Set([...scene.places.keys()].filter((id) => !before.places.has(id)));
  const near = boundsOf(scene, new Set([scene.anchor]));
  const all = boundsOf(scene, new Set([...added, scene.anchor]));
  if (added.size === 0 || !room || !near || !all) return;
  const { x, y, zoom } = from;
  const right = shift(all.x * zoom + x, all.width * zoom, near.x * zoom + x, near.width * zoom, room.clientWidth);
  const down = shift(all.y * zoom + y, all.height * zoom, near.y * zoom + y, near.height * zoom, room.clientHeight);
  if (right || down) void flow.setViewport({ x: x + right, y: y + down, zoom }, { duration: moving(200) });
}

/** How far to move so that a stretch is seen, and a part of it in any case. */
function shift(start: number, length: number, partStart: number, partLength: number, room: number): number {
  const edge = 24;
  if (start < edge) return Math.max(0, Math.min(edge - start, room - edge - partLength - partStart));
  const over = start + length - (room - edge);
  return over > 0 ? -Math.max(0, Math.min(over, partStart - edge)) : 0;
}

function reveal(flow: Flow, scene: Scene, room: HTMLElement | null, id: string): void {
  const place = scene.places.get(id);
  if (!place || !room) return;
  const { x, y, zoom } = flow.getViewport();
  const left = place.x * zoom + x;
  const top = place.y * zoom + y;
  const isSeen = left > 20 && top > 20 && left + 250 * zoom < room.clientWidth && top + 60 * zoom < room.clientHeight;
  if (!isSeen) void flow.setCenter(place.x + 125, place.y + 30, { zoom, duration: moving(160) });
}
