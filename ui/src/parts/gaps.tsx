/** What a job's producer did not recognise: lineage that is known to be incomplete. */
import type { GapShape } from "../api/schema";
import { strings } from "../strings";

const words = strings.gaps;

/** Says that lineage is incomplete: for want of what, or only that it is. */
export function GapNotice({ summary, gaps = [] }: { summary?: string; gaps?: GapShape[] }) {
  const described = gaps.filter(({ description }) => description);
  return (
    <div className="notice" role="note" aria-label={words.title}>
      <strong>{words.title}</strong> {summary ?? words.behind}
      {described.length > 0 && (
        <ul className="plain">
          {described.map(({ kind, name, description }) => (
            <li key={`${kind} ${name}`}>
              <bdi className="mono">{name}</bdi>: {description}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The same for several jobs, by name. */
export function GapsOfJobs({ of }: { of: ReadonlyMap<string, string> }) {
  if (of.size === 0) return null;
  const told = [...of].slice(0, MOST).map(([job, summary]) => `${job}: ${summary}`);
  const more = of.size > MOST ? [words.more(of.size - MOST)] : [];
  return <GapNotice summary={[...told, ...more].join("; ")} />;
}

const MOST = 3;
