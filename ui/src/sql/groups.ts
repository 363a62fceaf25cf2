/** The statements of a text, each with what is in brackets as one item. */
import type { Token } from "./tokens";

export interface Group {
  kind: "group";
  items: Item[];
}

export type Item = Token | Group;

/** Deeper ones are left alone: nobody reads them, and they must not end in a stack that is full. */
const DEEPEST = 60;

export function statementsOf(tokens: Token[]): Item[][] {
  const statements: Item[][] = [[]];
  let open: Item[][] = [];
  for (const token of tokens) {
    if (token.kind === "space" || token.kind === "comment") continue;
    if (token.text === ";") {
      statements.push([]);
      open = [];
      continue;
    }
    const items = open[open.length - 1] ?? statements[statements.length - 1]!;
    if (token.text === "(" && token.kind === "sign") {
      const group: Group = { kind: "group", items: [] };
      items.push(group);
      // What is too deep is read and forgotten.
      open.push(open.length < DEEPEST ? group.items : []);
    } else if (token.text === ")" && token.kind === "sign") open.pop();
    else items.push(token);
  }
  return statements.filter((items) => items.length > 0);
}

export const isGroup = (item: Item | undefined): item is Group => item?.kind === "group";

/** Whether an item is one of some keywords or words, which are written here in lower case. */
export function isOne(item: Item | undefined, ...words: string[]): boolean {
  if (item === undefined || isGroup(item) || (item.kind !== "keyword" && item.kind !== "word" && item.kind !== "sign"))
    return false;
  return words.includes(item.text.toLowerCase());
}

export function isName(item: Item | undefined): item is Token & { kind: "word" | "name" } {
  return item?.kind === "word" || item?.kind === "name";
}

/** Whether what is in brackets is a query of its own. */
export function isQuery(group: Group): boolean {
  const [first] = group.items;
  return isGroup(first) ? isQuery(first) : isOne(first, "select", "with");
}
