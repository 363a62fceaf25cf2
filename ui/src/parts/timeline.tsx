/** Runs along the time: where each began and ended, as high as it took, in the colour of its state. */
import { Link } from "@tanstack/react-router";

import type { RunShape } from "../api/schema";
import { strings } from "../strings";
import { toneOf } from "./badges";
import { agoOf, durationOf, exactOf } from "./time";

const words = strings.job;

/** Newest first, as they are listed. */
export function Timeline({ runs }: { runs: RunShape[] }) {
  const starts = runs.map((run) => Date.parse(startOf(run) ?? "")).filter((start) => !Number.isNaN(start));
  if (starts.length === 0) return null;
  const [from, until] = [Math.min(...starts), Date.now()];
  const most = Math.max(1, ...runs.map(tookOf));
  const share = (span: number) => `${Math.min(100, (100 * span) / Math.max(1, until - from))}%`;
  return (
    <figure className="plot">
      <div className="plot-scale" aria-hidden="true">
        <span>{durationOf(most)}</span>
        <span>0</span>
      </div>
      <div className="timeline" role="group" aria-label={words.duration}>
        {[...runs].reverse().map((run) => (
          <Link
            key={run.id}
            to="/run"
            search={{ id: run.id }}
            preload={false}
            // As thin as a run was short; the table below has the same links, in a size that can be hit.
            tabIndex={-1}
            className={toneOf(run.state)}
            style={{
              left: share(Date.parse(startOf(run) ?? "") - from),
              width: share(tookOf(run)),
              height: `${Math.max(4, (100 * tookOf(run)) / most)}%`,
            }}
            aria-label={tellRun(run)}
            title={tellRun(run)}
          />
        ))}
      </div>
      <figcaption className="axis">
        <span>{agoOf(new Date(from).toISOString())}</span>
        <span>{words.duration}</span>
        <span>{strings.times.now}</span>
      </figcaption>
    </figure>
  );
}

export const startOf = (run: RunShape): string | null => run.startedAt ?? run.createdAt;

/** How long a run took; one that goes on, until now. */
function tookOf(run: RunShape): number {
  const start = startOf(run);
  if (run.durationMs !== null) return run.durationMs;
  return run.state === "RUNNING" && start ? Math.max(0, Date.now() - Date.parse(start)) : 0;
}

export function tellDuration(run: RunShape): string {
  if (run.durationMs !== null) return durationOf(run.durationMs);
  return run.state === "RUNNING" ? `${durationOf(tookOf(run))} ${words.soFar}` : "–";
}

function tellRun(run: RunShape): string {
  return `${run.state.toLowerCase()} ${exactOf(startOf(run) ?? "")}, ${tellDuration(run)}`;
}
