/** Reading again what a page shows when the stream tells that it may have changed; not more often than the server asks. */
import type { Query, QueryClient } from "@tanstack/react-query";

import { isConcerned } from "./concerns";
import type { Changed } from "./stream";
import { onChanged } from "./stream";

/** What is about everything changes with every event, and costs more than one dataset. */
const LEAST_FOR_ALL = 5_000;
const WHILE_A_FORM_IS_OPEN = 1_000;

export function refreshWhatChanges(client: QueryClient): () => void {
  const due = new Map<string, number>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function note(changed: Changed): void {
    const now = Date.now();
    const least = changed.againAfterSeconds * 1000;
    for (const query of shown(client)) {
      if (due.has(query.queryHash)) continue;
      if (!isConcerned({ queryKey: query.queryKey, data: query.state.data }, changed)) continue;
      const pause = changed.isAll ? Math.max(least, LEAST_FOR_ALL) : least;
      // Spread out: many tabs are told at the same moment.
      const soonest = now + Math.random() * Math.min(least / 4, 5_000);
      due.set(query.queryHash, Math.max(soonest, lastRead(query) + pause));
    }
    plan();
  }

  function plan(): void {
    clearTimeout(timer);
    if (due.size > 0) timer = setTimeout(read, Math.max(0, Math.min(...due.values()) - Date.now()));
  }

  function read(): void {
    // What somebody is typing would go with the row that it is about.
    if (document.querySelector("dialog[open]")) {
      timer = setTimeout(read, WHILE_A_FORM_IS_OPEN);
      return;
    }
    const now = Date.now();
    const hashes = new Set([...due].filter(([, at]) => at <= now).map(([hash]) => hash));
    for (const hash of hashes) due.delete(hash);
    void client.invalidateQueries(
      { predicate: ({ queryHash }) => hashes.has(queryHash), refetchType: "active" },
      // One that is being read was asked for after the change, or will be followed by the next.
      { cancelRefetch: false },
    );
    plan();
  }

  const stop = onChanged(note);
  return () => {
    stop();
    clearTimeout(timer);
  };
}

function lastRead({ state }: Query): number {
  return Math.max(state.dataUpdatedAt, state.errorUpdatedAt);
}

function shown(client: QueryClient): Query[] {
  const active = client.getQueryCache().findAll({ type: "active" });
  // What was not found may be there now; what is being read for the first time is read anyway.
  return active.filter(({ meta, state }) => !meta?.isStill && state.status !== "pending");
}
