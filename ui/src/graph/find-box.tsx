/** Finds nodes of the graph, those in fans as well; the table lists what is found. */
import type { KeyboardEvent } from "react";

import { strings } from "../strings";
import type { Graph } from "./model";
import { findNodes } from "./path-order";
import type { View } from "./view-state";
import { withItem } from "./view-state";

const words = strings.graph;

interface Props {
  view: View;
  graph: Graph | undefined;
  selected: string;
  change: (part: Partial<View>, replace?: boolean) => void;
  reveal: (id: string) => void;
}

export function FindBox({ view, graph, selected, change, reveal }: Props) {
  const found = graph ? findNodes(graph, view.find ?? "") : [];
  const at = found.findIndex(({ node }) => node.id === selected);

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Escape") change({ find: undefined }, true);
    if (event.key !== "Enter" || found.length === 0) return;
    const step = event.shiftKey ? -1 : 1;
    const next = found[at < 0 && event.shiftKey ? found.length - 1 : (at + step + found.length) % found.length]!;
    change({ at: next.node.id, ...(next.fan ? { unfold: withItem(view.unfold, next.node.id) } : {}) }, true);
    reveal(next.node.id);
    event.preventDefault();
  }

  return (
    <span className="find-box">
      <input
        type="search"
        placeholder={words.find}
        aria-label={words.find}
        title={words.findKeys}
        value={view.find ?? ""}
        onChange={(event) => change({ find: event.target.value || undefined }, true)}
        onKeyDown={onKeyDown}
      />
      <span className="faint" role="status">
        {view.find && words.foundAt(at + 1, found.length)}
      </span>
    </span>
  );
}
