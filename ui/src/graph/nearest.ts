/** The node an arrow key leads to: the nearest one in that direction. */
export interface Spot {
  id: string;
  x: number;
  y: number;
}

const STEPS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export const isArrow = (key: string): boolean => key in STEPS;

export function nearest(from: Spot, spots: Iterable<Spot>, key: string): string | undefined {
  const [x, y] = STEPS[key] ?? [0, 0];
  let best: { id: string; cost: number } | undefined;
  for (const spot of spots) {
    if (spot.id === from.id) continue;
    const along = (spot.x - from.x) * x + (spot.y - from.y) * y;
    const aside = Math.abs((spot.x - from.x) * y) + Math.abs((spot.y - from.y) * x);
    if (along <= 1) continue;
    // What lies straight ahead is nearer than what is closer but aside.
    const cost = along + aside * 2;
    if (!best || cost < best.cost) best = { id: spot.id, cost };
  }
  return best?.id;
}
