/** Says on every page that the server does not answer, while what is shown is from before. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import { ApiError } from "../api/client";
import { strings } from "../strings";
import { Ago } from "./time";

export function Unreachable() {
  const since = useOldest();
  if (!since) return null;
  return (
    <p className="unreachable" role="status">
      {strings.state.old} <Ago time={new Date(since).toISOString()} />
    </p>
  );
}

/** When the oldest of what the page shows was read, if reading it again failed; else nothing. */
function useOldest(): number {
  const cache = useQueryClient().getQueryCache();
  const [since, setSince] = useState(0);
  useEffect(() => {
    const look = () => {
      const old = cache
        .findAll({ type: "active" })
        .filter(({ state }) => state.data !== undefined && isUnanswered(state.error ?? state.fetchFailureReason))
        .map(({ state }) => state.dataUpdatedAt);
      setSince(old.length > 0 ? Math.min(...old) : 0);
    };
    look();
    return cache.subscribe(look);
  }, [cache]);
  return since;
}

const isUnanswered = (error: unknown): boolean => error instanceof ApiError && error.status === 0;
