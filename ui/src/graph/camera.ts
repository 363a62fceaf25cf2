/** Where one looks: at all that can be read, at what came new, and never away from what one looks at. */

import type { Viewport } from "@xyflow/react";
import { useReactFlow } from "@xyflow/react";
import { useEffect, useMemo, useRef } from "react";

import { isTyping } from "../parts/search";
import type { Scene } from "./scene";
import { boundsOf } from "./scene";
import { sizeOf } from "./sizes";

/** All is shown at once if names can then still be read; else a part, in which they are read with ease. */
const READABLE = 0.55;
const EASY = { least: 0.65, most: 0.75 };

/** Moves the view: shows all that can be read, and keeps what one looks at in its place. */
export function useCamera(scene: Scene, room: React.RefObject<HTMLDivElement | null>) {
  const flow = useReactFlow();
  const last = useRef<Scene | undefined>(undefined);

  const camera = useMemo(
    () => ({
      fit: () => show(flow, latest.current, room.current, 0.02),
      zoom: (by: number) => void flow.zoomTo(flow.getZoom() * by, { duration: moving(120) }),
      reveal: (id: string) => reveal(flow, latest.current, room.current, id),
    }),
    [flow, room],
  );
  const latest = useRef(scene);
  latest.current = scene;

  useEffect(() => {
    const before = last.current;
    last.current = scene;
    // What was drawn in a fan until now stands nowhere yet.
    const anchor = before?.places.has(scene.anchor) ? scene.anchor : scene.graph.focus;
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

  // From anywhere on the page: what is out of view cannot be clicked.
  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      if (event.key !== "f" || isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      camera.fit();
      event.preventDefault();
    }
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [camera]);
  return camera;
}

/** How many nodes are out of view altogether. */
export function countBeyond(scene: Scene, { x, y, zoom }: Viewport, room: { width: number; height: number }): number {
  let count = 0;
  for (const [id, place] of scene.places) {
    const node = scene.graph.nodes.get(id);
    if (!node) continue;
    const size = sizeOf(node, scene.opened.get(id));
    const [left, top] = [place.x * zoom + x, place.y * zoom + y];
    const isSeen =
      left < room.width && top < room.height && left + size.width * zoom > 0 && top + size.height * zoom > 0;
    if (!isSeen) count += 1;
  }
  return count;
}

/** How long a move takes, in milliseconds: none for those who asked for less motion. */
function moving(milliseconds: number): number {
  return matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : milliseconds;
}

type Flow = ReturnType<typeof useReactFlow>;

/** Show everything, if it can then still be read; else the focus in the middle of as many layers as can be. */
function show(flow: Flow, scene: Scene, room: HTMLElement | null, smallest: number): void {
  const bounds = boundsOf(scene);
  if (!room || !bounds) return;
  const zoom = Math.min((room.clientWidth - 60) / bounds.width, (room.clientHeight - 60) / bounds.height, 1.1);
  if (zoom >= smallest) {
    void flow.setCenter(bounds.x + bounds.width / 2, bounds.y + bounds.height / 2, { zoom });
    return;
  }
  const readable = Math.min(Math.max((room.clientWidth - 60) / bounds.width, EASY.least), EASY.most);
  const focus = scene.places.get(scene.graph.focus) ?? { x: bounds.x, y: bounds.y };
  const x = within(focus.x + 115, bounds.x, bounds.width, room.clientWidth / readable);
  const y = within(focus.y + 38, bounds.y, bounds.height, room.clientHeight / readable);
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
