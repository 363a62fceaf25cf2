/** Long chains in rows: a layout that is much wider than a screen is cut between layers, and its parts stacked. */
import type { Arrow, Box, Places } from "./layout";

export interface Placed {
  places: Places;
  /** Heights between the rows, where lines lead back to the left. */
  lanes: number[];
}

/** A usual room for a drawing; only its shape counts. */
const ROOM = { width: 1000, height: 720 };
/** Below this a drawing is not cut. */
const WIDE = 2400;
const MOST_ROWS = 10;
const LANE = 76;
const BETWEEN = 60;
/** A cut is one if no more lines than these lead over it. */
const MOST_OVER = 3;
/** What rows must gain in size for what they cost: lines that lead back. */
const GAIN = 1.3;

interface Layer {
  ids: string[];
  width: number;
  left: number;
  top: number;
  bottom: number;
}

export function wrapRows(places: Places, boxes: Box[], arrows: Arrow[]): Placed {
  const asIs = { places, lanes: [] };
  const layers = layersOf(places, boxes);
  const width = extent(layers);
  if (width < WIDE || layers.length < 6) return asIs;
  const cuts = cutsOf(layers, arrows);
  let best = { rows: [layers], zoom: GAIN * zoomOf([layers]) };
  for (let count = 2; count <= MOST_ROWS; count++) {
    const rows = inRows(layers, cuts, width / count);
    const zoom = zoomOf(rows);
    if (rows.length > 1 && zoom > best.zoom) best = { rows, zoom };
  }
  return best.rows.length > 1 ? stack(best.rows, places) : asIs;
}

/** Boxes that stand above each other, from left to right. */
function layersOf(places: Places, boxes: Box[]): Layer[] {
  const placed = boxes.flatMap((box) => {
    const place = places.get(box.id);
    return place ? [{ ...box, ...place }] : [];
  });
  const layers: Layer[] = [];
  for (const { id, x, y, width, height } of placed.sort((a, b) => a.x - b.x)) {
    const last = layers[layers.length - 1];
    if (last && x < last.left + last.width) {
      last.ids.push(id);
      last.width = Math.max(last.width, x + width - last.left);
      last.top = Math.min(last.top, y);
      last.bottom = Math.max(last.bottom, y + height);
    } else layers.push({ ids: [id], left: x, width, top: y, bottom: y + height });
  }
  return layers;
}

function extent(layers: Layer[]): number {
  const [first, last] = [layers[0], layers[layers.length - 1]];
  return first && last ? last.left + last.width - first.left : 0;
}

/** The layers before which a row may begin. */
function cutsOf(layers: Layer[], arrows: Arrow[]): ReadonlySet<number> {
  const layerOf = new Map(layers.flatMap(({ ids }, index) => ids.map((id) => [id, index] as const)));
  const over = layers.map(() => 0);
  for (const { from, to } of arrows) {
    const [a, b] = [layerOf.get(from), layerOf.get(to)];
    if (a === undefined || b === undefined) continue;
    for (let index = Math.min(a, b) + 1; index <= Math.max(a, b); index++) over[index]! += 1;
  }
  return new Set(over.flatMap((count, index) => (index > 0 && count <= MOST_OVER ? [index] : [])));
}

/** Rows of about a width, each ended where it may be. */
function inRows(layers: Layer[], cuts: ReadonlySet<number>, width: number): Layer[][] {
  const rows: Layer[][] = [[]];
  for (const [index, layer] of layers.entries()) {
    const row = rows[rows.length - 1]!;
    if (cuts.has(index) && row.length > 0 && extent([...row, layer]) > width * 1.05) rows.push([layer]);
    else row.push(layer);
  }
  return rows;
}

const heightOf = (row: Layer[]): number =>
  Math.max(...row.map(({ bottom }) => bottom)) - Math.min(...row.map(({ top }) => top));

/** How large the rows can be shown. */
function zoomOf(rows: Layer[][]): number {
  const height = rows.reduce((sum, row) => sum + heightOf(row) + LANE, -LANE);
  return Math.min(ROOM.width / Math.max(...rows.map(extent)), ROOM.height / height, 1);
}

function stack(rows: Layer[][], places: Places): Placed {
  const placed: Placed = { places: new Map(), lanes: [] };
  let y = 0;
  for (const row of rows) {
    if (y > 0) placed.lanes.push(y - LANE / 2);
    const top = Math.min(...row.map((layer) => layer.top));
    const left = row[0]!.left - BETWEEN;
    for (const id of row.flatMap(({ ids }) => ids)) {
      const place = places.get(id)!;
      placed.places.set(id, { x: place.x - left, y: place.y - top + y });
    }
    y += heightOf(row) + LANE;
  }
  return placed;
}
