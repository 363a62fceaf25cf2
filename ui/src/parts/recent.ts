/** What was looked at last on this machine, newest first. */
import { useEffect } from "react";

const NAME = "headwater-recent";
const MOST = 8;

export interface Viewed {
  kind: "dataset" | "job";
  namespace: string;
  name: string;
  /** Where it was known: a namespace alone does not always tell it. */
  system?: string;
}

export function recentlyViewed(): Viewed[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(NAME) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isViewed).slice(0, MOST) : [];
  } catch {
    return [];
  }
}

function noteViewed(viewed: Viewed): void {
  const others = recentlyViewed().filter(
    (one) => one.kind !== viewed.kind || one.namespace !== viewed.namespace || one.name !== viewed.name,
  );
  try {
    localStorage.setItem(NAME, JSON.stringify([viewed, ...others].slice(0, MOST)));
  } catch {
    // Storage that is full or forbidden costs only the convenience.
  }
}

export function useNoteViewed(viewed: Viewed | undefined): void {
  const { kind, namespace, name, system } = viewed ?? {};
  useEffect(() => {
    if (kind && namespace !== undefined && name !== undefined) noteViewed({ kind, namespace, name, system });
  }, [kind, namespace, name, system]);
}

function isViewed(value: unknown): value is Viewed {
  const one = value as Viewed | null;
  const isNamed = typeof one?.namespace === "string" && typeof one.name === "string";
  return isNamed && ["string", "undefined"].includes(typeof one.system) && ["dataset", "job"].includes(one.kind);
}
