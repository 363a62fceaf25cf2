/** The drawing: nodes where the layout put them, lines between, and the keyboard. */
import { Background, Panel, ReactFlow, useStore } from "@xyflow/react";
import "@xyflow/react/dist/style.css";
import type { KeyboardEvent, Ref } from "react";
import { useImperativeHandle, useRef } from "react";

import { isTyping } from "../parts/search";
import { strings } from "../strings";
import { useActions } from "./actions";
import { countBeyond, useCamera } from "./camera";
import { isArrow, nearest } from "./nearest";
import type { DrawnNode } from "./nodes";
import { nodeTypes } from "./nodes";
import type { Scene } from "./scene";
import type { DrawnWire } from "./wire-layer";
import { WireLayer } from "./wire-layer";

/** Above this only what is in view is drawn. */
const MANY = 120;

export interface CanvasHandle {
  fit: () => void;
  zoom: (by: number) => void;
  reveal: (id: string) => void;
}

interface Props {
  scene: Scene;
  nodes: DrawnNode[];
  lines: DrawnWire[];
  selected: string;
  handle: Ref<CanvasHandle>;
}

/** Below these nodes show their name and state alone, then the name alone, both larger. */
const FAR = 0.5;
const VERY_FAR = 0.3;

/** Stands within the library's provider, which a map beside it shares. */
export function Canvas({ scene, nodes, lines, selected, handle }: Props) {
  const room = useRef<HTMLDivElement>(null);
  const camera = useCamera(scene, room);
  const distance = useStore(({ transform: [, , zoom] }) =>
    zoom < VERY_FAR ? "far very-far" : zoom < FAR ? "far" : "",
  );
  const actions = useActions();
  useImperativeHandle(handle, () => camera, [camera]);

  function onKeyDown(event: KeyboardEvent) {
    if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    const place = scene.places.get(selected);
    if (isArrow(event.key) && place) {
      const spots = [...scene.places].map(([id, { x, y }]) => ({ id, x, y }));
      const next = nearest({ id: selected, ...place }, spots, event.key) ?? alongAnEdge(scene, selected, event.key);
      if (next) {
        actions.select(next);
        camera.reveal(next);
      }
    } else if (event.key === "Enter" && event.target === event.currentTarget) actions.open(selected);
    else if (event.key === "e") expand(scene, selected, actions.toggleSide);
    else if (event.key === "c") actions.toggleColumns(selected);
    else return;
    event.preventDefault();
  }

  return (
    <div ref={room} className={`canvas ${distance}`}>
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
        nodeTypes={nodeTypes}
        minZoom={0.05}
        maxZoom={2}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        onlyRenderVisibleElements={nodes.length > MANY}
        zoomOnDoubleClick={false}
        proOptions={{ hideAttribution: true }}
      >
        <Background gap={24} size={1} />
        <WireLayer lines={lines} areMany={nodes.length > MANY} />
        <Beyond scene={scene} fit={camera.fit} />
      </ReactFlow>
    </div>
  );
}

/** What the first view leaves out is said, and shown by a click or a key. */
function Beyond({ scene, fit }: { scene: Scene; fit: () => void }) {
  const count = useStore(({ transform: [x, y, zoom], width, height }) =>
    countBeyond(scene, { x, y, zoom }, { width, height }),
  );
  if (count === 0) return null;
  return (
    <Panel position="bottom-left">
      <button type="button" className="beyond" onClick={fit}>
        {strings.graph.beyond(count)} <kbd>f</kbd>
      </button>
    </Panel>
  );
}

function ArrowHead({ id }: { id: "arrow" | "arrow-lit" }) {
  return (
    <marker
      id={id}
      viewBox="0 0 8 8"
      refX="7.500"
      refY="4"
      markerWidth="10"
      markerHeight="10"
      markerUnits="userSpaceOnUse"
      orient="auto"
    >
      <path d="M0,0.500 L8,4 L0,7.500 z" className={id === "arrow" ? "arrow-head" : "arrow-head lit"} />
    </marker>
  );
}

/** Where a row of a long chain ends, its next begins elsewhere: a line leads there. */
function alongAnEdge({ graph }: Scene, id: string, key: string): string | undefined {
  if (key === "ArrowRight") return graph.edges.find(({ from }) => from === id)?.to;
  if (key === "ArrowLeft") return graph.edges.find(({ to }) => to === id)?.from;
  return undefined;
}

/** Show the next side of a node of which something is not shown. */
function expand(scene: Scene, id: string, toggleSide: (id: string, side: "up" | "down") => void): void {
  const rest = scene.graph.nodes.get(id)?.rest;
  if (!rest) return;
  if (rest.up !== 0) toggleSide(id, "up");
  else if (rest.down !== 0) toggleSide(id, "down");
}
