/** Views that a person saved, with their names, in this browser. */
import { useSyncExternalStore } from "react";

const NAME = "headwater-views";
const MOST = 100;
const LONGEST = 200;

export interface SavedView {
  name: string;
  /** Where it is on this server, with all that was chosen there. */
  address: string;
}

const listeners = new Set<() => void>();
let read: { text: string | null; views: SavedView[] } = { text: null, views: [] };

export function savedViews(): SavedView[] {
  const text = localStorage.getItem(NAME);
  // The same list as before while nothing has changed: whoever shows it compares.
  if (text !== read.text) read = { text, views: parse(text) };
  return read.views;
}

export function useSavedViews(): SavedView[] {
  return useSyncExternalStore(onViews, savedViews);
}

/** Save a view under a name, in place of what was saved for its address. */
export function saveView(view: SavedView): void {
  const name = view.name.trim().slice(0, LONGEST) || view.address;
  const others = savedViews().filter(({ address }) => address !== view.address);
  keep([{ name, address: view.address }, ...others].slice(0, MOST));
}

export function forgetView(address: string): void {
  keep(savedViews().filter((view) => view.address !== address));
}

function keep(views: SavedView[]): void {
  try {
    localStorage.setItem(NAME, JSON.stringify(views));
  } catch {
    // Storage that is full or forbidden costs only the convenience.
  }
  for (const listener of listeners) listener();
}

function onViews(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function parse(text: string | null): SavedView[] {
  try {
    const kept: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(kept) ? kept.filter(isView).slice(0, MOST) : [];
  } catch {
    return [];
  }
}

/** Only addresses of this server: what is kept in the browser may be anything. */
function isView(value: unknown): value is SavedView {
  const view = value as SavedView | null;
  return typeof view?.name === "string" && typeof view.address === "string" && /^\/(?![/\\])/.test(view.address);
}
