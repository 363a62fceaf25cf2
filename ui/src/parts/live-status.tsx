/** Whether this page follows what happens, and when it was last read. */
import { useQueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";

import { liveState, onLiveState } from "../live/stream";
import { strings } from "../strings";
import { useTicking } from "./tick";
import { agoOf } from "./time";

export function LiveStatus() {
  const state = useSyncExternalStore(onLiveState, liveState);
  const cache = useQueryClient().getQueryCache();
  // Many read at once: the second before the newest is as good.
  const ago = useTicking(() => {
    const read = cache.findAll({ type: "active" }).map((query) => query.state.dataUpdatedAt);
    const newest = Math.max(0, ...read);
    return newest > 0 ? agoOf(new Date(newest).toISOString()) : "";
  });
  const updated = ago && strings.live.updated(ago);
  return (
    <p className={`live-status ${state}`} title={strings.live.states[state]}>
      <span className="live-dot" aria-hidden="true" />
      <span className="visually-hidden">{strings.live.states[state]} </span>
      <span className="live-words">{updated}</span>
    </p>
  );
}
