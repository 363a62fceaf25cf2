/** How large a node is drawn: known before it is, so that it can be placed without being measured. */
import type { Column, GraphNode } from "./model";

const WIDTH = 230;
const JOB_WIDTH = 216;
export const HEAD = 76;
const JOB_HEIGHT = 68;
export const ROW = 24;
/** Columns shown at once; the rest is a page further. */
export const PAGE = 10;
const COLUMN_TOOLS = 34;
const PADDING = 8;

export interface Opened {
  /** The columns that are listed now. */
  shown: Column[];
  /** Whether there are more than one page, and so a search and buttons. */
  hasTools: boolean;
}

export function sizeOf(node: GraphNode, opened: Opened | undefined): { width: number; height: number } {
  if (node.kind === "job") return { width: JOB_WIDTH, height: JOB_HEIGHT };
  if (!opened) return { width: WIDTH, height: HEAD };
  const rows = Math.max(1, opened.shown.length) * ROW;
  return { width: WIDTH, height: HEAD + rows + PADDING + (opened.hasTools ? COLUMN_TOOLS : 0) };
}

/** The middle of a column's row, from the top of its node. */
export function rowMiddle(index: number, hasTools: boolean): number {
  return HEAD + (hasTools ? COLUMN_TOOLS : 0) + index * ROW + ROW / 2;
}
