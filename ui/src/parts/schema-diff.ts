/** What changed in a schema from one version to the next. */
import type { FieldShape } from "../api/schema";

export interface FieldChange {
  change: "added" | "removed" | "changed";
  name: string;
  before: string | null;
  after: string | null;
}

export interface FlatField {
  path: string;
  depth: number;
  field: FieldShape;
}

/** Nested fields in one list, each after the one it is in, by paths as `items[].sku`. */
export function flatten(fields: FieldShape[], parent = "", parentType = "", depth = 0): FlatField[] {
  const isMap = fields.length === 2 && /^map/i.test(parentType);
  return fields.flatMap((field) => {
    const path = parent ? parent + stepTo(field.name, isMap) : field.name;
    return [{ path, depth, field }, ...flatten(field.fields ?? [], path, field.type ?? "", depth + 1)];
  });
}

/** From a field to one inside it; OpenLineage names elements, keys and values like fields. */
function stepTo(name: string, isInMap: boolean): string {
  if (name === "_element") return "[]";
  if (isInMap && name === "value") return "{}";
  return isInMap && name === "key" ? "{key}" : `.${name}`;
}

export function schemaDiff(before: FieldShape[], after: FieldShape[]): FieldChange[] {
  const types = (fields: FieldShape[]) => new Map(flatten(fields).map(({ path, field }) => [path, field.type]));
  const [old, now] = [types(before), types(after)];
  const changes: FieldChange[] = [];
  for (const [name, type] of now) {
    if (!old.has(name)) changes.push({ change: "added", name, before: null, after: type });
    else if (old.get(name) !== type) changes.push({ change: "changed", name, before: old.get(name)!, after: type });
  }
  for (const [name, type] of old) {
    if (!now.has(name)) changes.push({ change: "removed", name, before: type, after: null });
  }
  return changes;
}
