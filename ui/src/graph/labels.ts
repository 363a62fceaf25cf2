/** What a node is called where there is little room: its own name, and below it where it belongs. */
import { shortName } from "../api/ids";
import { lookOf } from "../systems";
import type { GraphNode } from "./model";

export interface Label {
  name: string;
  /** Schema or folder; else the namespace. */
  place: string;
}

export function labelOf(node: GraphNode): Label {
  if (node.fan) return { name: node.name, place: "" };
  if (node.kind === "group") return { name: lookOf(node.name).label, place: "" };
  const name = shortName(node.name);
  const before = node.name.endsWith(name) ? node.name.slice(0, -name.length).replace(/[./]+$/, "") : "";
  return { name, place: before || node.namespace };
}

/** Letters at the end of a name that always stay: names of a family differ at their ends. */
const TAIL = 8;
const LONG = 16;
// Text that is written from right to left, and marks that turn the direction: cut in two, they would change places.
const TURNED = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/;

/** A name in two parts: the first is cut where there is no room, the second never. */
export function partsOfName(name: string): [string, string] {
  const letters = [...name];
  if (letters.length <= LONG || TURNED.test(name)) return [name, ""];
  return [letters.slice(0, -TAIL).join(""), letters.slice(-TAIL).join("")];
}
