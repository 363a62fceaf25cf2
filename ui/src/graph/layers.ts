/** A simple layout for many nodes: the longest way decides the layer, neighbours decide the order. */
import type { Arrow, Box, Places } from "./layout";

const ACROSS = 70;
const BETWEEN = 22;
const ROUNDS = 4;

export function layerLayout(boxes: Box[], arrows: Arrow[]): Places {
  const layerOf = layersOf(boxes, arrows);
  const layers: Box[][] = [];
  for (const box of boxes) {
    const layer = layerOf.get(box.id)!;
    layers[layer] ??= [];
    layers[layer].push(box);
  }
  const filled = layers.filter((layer) => layer !== undefined);
  order(filled, arrows);
  return place(filled);
}

/** The layer of every node: one after the farthest of those before it; cycles are cut where met. */
export function layersOf(boxes: Box[], arrows: Arrow[]): Map<string, number> {
  const known = new Set(boxes.map(({ id }) => id));
  const after = new Map<string, string[]>();
  for (const { from, to } of arrows) {
    if (known.has(from) && known.has(to)) after.set(from, [...(after.get(from) ?? []), to]);
  }
  const done: string[] = [];
  const state = new Map<string, "open" | "done">();
  const back = new Set<string>();
  for (const { id } of boxes) visit(id, after, state, done, back);
  const layer = new Map<string, number>(boxes.map(({ id }) => [id, 0]));
  for (const id of done.reverse()) {
    for (const to of after.get(id) ?? []) {
      if (!back.has(`${id}\n${to}`)) layer.set(to, Math.max(layer.get(to)!, layer.get(id)! + 1));
    }
  }
  return layer;
}

/** Depth first, without recursion: a chain may be thousands of nodes long. */
function visit(
  start: string,
  after: Map<string, string[]>,
  state: Map<string, "open" | "done">,
  done: string[],
  back: Set<string>,
): void {
  if (state.has(start)) return;
  const stack = [{ id: start, next: 0 }];
  state.set(start, "open");
  while (stack.length > 0) {
    const top = stack[stack.length - 1]!;
    const to = after.get(top.id)?.[top.next++];
    if (to === undefined) {
      state.set(top.id, "done");
      done.push(top.id);
      stack.pop();
    } else if (state.get(to) === "open") {
      back.add(`${top.id}\n${to}`);
    } else if (!state.has(to)) {
      state.set(to, "open");
      stack.push({ id: to, next: 0 });
    }
  }
}

/** Move each node to the middle of its neighbours' places, a few times. */
function order(layers: Box[][], arrows: Arrow[]): void {
  const next = new Map<string, string[]>();
  for (const { from, to } of arrows) {
    next.set(from, [...(next.get(from) ?? []), to]);
    next.set(to, [...(next.get(to) ?? []), from]);
  }
  const rank = new Map<string, number>();
  const note = (layer: Box[]) => {
    for (const [index, { id }] of layer.entries()) rank.set(id, index / layer.length);
  };
  layers.forEach(note);
  const middle = ({ id }: Box) => {
    const ranks = (next.get(id) ?? []).map((other) => rank.get(other) ?? 0);
    return ranks.length ? ranks.reduce((sum, one) => sum + one, 0) / ranks.length : rank.get(id)!;
  };
  for (let round = 0; round < ROUNDS; round++) {
    for (const layer of round % 2 ? [...layers].reverse() : layers) {
      const middles = new Map(layer.map((box) => [box.id, middle(box)]));
      layer.sort((a, b) => middles.get(a.id)! - middles.get(b.id)!);
      note(layer);
    }
  }
}

function place(layers: Box[][]): Places {
  const places: Places = new Map();
  let x = 0;
  for (const layer of layers) {
    const height = layer.reduce((sum, box) => sum + box.height + BETWEEN, -BETWEEN);
    let y = -height / 2;
    for (const box of layer) {
      places.set(box.id, { x, y });
      y += box.height + BETWEEN;
    }
    x += Math.max(...layer.map(({ width }) => width)) + ACROSS;
  }
  return places;
}
