/** From what a form holds to an edit: only what was changed, in the words of the API. */
import type { EditBody, EditedEntity } from "../api/schema";

export interface Described {
  description: string;
  /** One owner a line, as `team:sales (STEWARD)`. */
  owners: string;
  tags: string[];
}

export interface Owner {
  name: string;
  type?: string;
}

/** The owners of a text, one a line; what is in brackets at the end of a line is its type. */
export function readOwners(text: string): Owner[] {
  return linesOf(text).map((line) => {
    const [, name = line, type] = /^(.*\S)\s+\(([^()]+)\)$/.exec(line) ?? [];
    return type ? { name, type: type.toUpperCase() } : { name };
  });
}

/** The tags of a text: separated by commas or lines. */
export function readTags(text: string): string[] {
  return [...new Set(linesOf(text.replace(/,/g, "\n")))];
}

/** The edit that makes what was before what is wanted now; nothing if nothing was changed. */
export function editOf(entity: EditedEntity, before: Described, now: Described): EditBody | undefined {
  const set: Record<string, unknown> = {};
  const unset: string[] = [];
  if (now.description.trim() !== before.description.trim()) {
    if (now.description.trim()) set.documentation = { description: now.description.trim() };
    else unset.push("documentation");
  }
  const owners = readOwners(now.owners);
  if (JSON.stringify(owners) !== JSON.stringify(readOwners(before.owners))) {
    if (owners.length > 0) set.ownership = { owners };
    else unset.push("ownership");
  }
  for (const tag of now.tags) if (!before.tags.includes(tag)) set[`tag/${tag}`] = true;
  for (const tag of before.tags) if (!now.tags.includes(tag)) set[`tag/${tag}`] = false;
  return Object.keys(set).length + unset.length > 0 ? { entity, set, unset } : undefined;
}

/** When the newest edit of a log was made, by the server's clock; before all others if there is none. */
export function lastEditOf(log: { edits: { at: string }[] } | undefined): string {
  return log?.edits[0]?.at ?? (log ? "1970-01-01T00:00:00Z" : new Date().toISOString());
}

interface OtherName {
  namespace: string;
  name: string;
  type: "TABLE" | "CUT";
}

/** The value of `symlinks` that people gave last, from the log of edits, newest first. */
export function editedNames(edits: { set: Record<string, unknown>; unset: string[] }[]): OtherName[] {
  const last = edits.find(({ set, unset }) => "symlinks" in set || unset.includes("symlinks"));
  const value = last?.set.symlinks as { identifiers?: OtherName[] } | undefined;
  return value?.identifiers ?? [];
}

/** The same names with one joined or cut. */
export function withName(names: OtherName[], name: OtherName): OtherName[] {
  return [...names.filter((one) => one.namespace !== name.namespace || one.name !== name.name), name];
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}
