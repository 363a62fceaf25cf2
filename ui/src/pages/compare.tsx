/** Two runs of a job side by side: how they ended, what each read and wrote, and all that differs. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { jobId, readableId } from "../api/ids";
import { compareRuns, jobRuns } from "../api/queries";
import type { ComparedCounters, ComparedFacet, RunComparison, RunShape } from "../api/schema";
import { State } from "../parts/badges";
import { SystemIcon } from "../parts/icons";
import { JobLink, RunLink } from "../parts/links";
import { PageHead, Section } from "../parts/page";
import { Answer, Empty } from "../parts/states";
import { bytesOf, countOf, durationOf, exactOf } from "../parts/time";
import { startOf } from "../parts/timeline";
import { strings } from "../strings";
import { systemOfJob } from "../systems";

const words = strings.compare;
/** Differences of each kind that are shown. */
const MOST = 200;
const SIGNS: Record<string, string> = { added: "+", removed: "−", changed: "~" };

export interface CompareSearch {
  namespace: string;
  name: string;
  a?: string;
  b?: string;
}

export function ComparePage() {
  const { namespace, name, a, b } = useSearch({ from: "/compare" });
  const named = { namespace, name };
  const query = useQuery(compareRuns(jobId(named), a, b));
  const runs = useQuery(jobRuns(named, 100));
  return (
    <div className="page">
      <PageHead
        kind={words.title}
        icon={<SystemIcon system={systemOfJob(namespace)} />}
        title={name || namespace}
        under={<JobLink of={named} />}
      />
      {runs.data && <Choices of={runs.data.runs} found={query.data} />}
      <Answer of={query} lines={8}>
        {(found) => <Found of={found} />}
      </Answer>
    </div>
  );
}

function Choices({ of, found }: { of: RunShape[]; found: RunComparison | undefined }) {
  const search = useSearch({ from: "/compare" });
  const navigate = useNavigate();
  const [a, b] = [search.a ?? found?.a.id, search.b ?? found?.b.id];
  const set = (part: Partial<CompareSearch>) =>
    void navigate({ to: "/compare", search: { ...search, a, b, ...part }, replace: true });
  const choice = (label: string, value: string | undefined, choose: (id: string) => void) => (
    <label>
      {label}
      <select value={value ?? ""} onChange={({ target }) => choose(target.value)}>
        {!of.some(({ id }) => id === value) && <option value={value ?? ""}>{value}</option>}
        {of.map((run) => (
          <option key={run.id} value={run.id}>
            {`${exactOf(startOf(run) ?? "")} ${run.state.toLowerCase()} ${run.id.slice(0, 13)}`}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <div className="form-row">
      {choice(words.before, a, (id) => set({ a: id }))}
      {choice(words.after, b, (id) => set({ b: id }))}
      <button type="button" onClick={() => set({ a: b, b: a })}>
        {words.swap}
      </button>
    </div>
  );
}

function Found({ of }: { of: RunComparison }) {
  const nothing = [of.datasets, of.fields, of.columns, of.code, of.facets].every((list) => list.length === 0);
  return (
    <>
      {of.isCut && <p className="notice">{words.cut}</p>}
      <Section title={strings.kinds.run} note={spanOfDifference(of.durationDeltaMs)}>
        <SideBySide of={of} />
      </Section>
      {of.counters.length > 0 && <Counters of={of} />}
      {nothing && (
        <Section title={words.difference}>
          <Empty>{words.nothing}</Empty>
        </Section>
      )}
      <Differences title={words.datasets} of={of.datasets}>
        {({ direction, namespace, name }) => (
          <bdi className="wrap">{`${words.in[direction]}: ${name} (${namespace})`}</bdi>
        )}
      </Differences>
      <Differences title={words.fields} of={of.fields}>
        {({ dataset, direction, field, before, after }) => (
          <>
            <bdi className="mono">{field}</bdi> <Values before={before} after={after} />{" "}
            <bdi className="faint wrap">{`${words.in[direction]}: ${readableId(dataset)}`}</bdi>
          </>
        )}
      </Differences>
      <Differences title={words.columns} of={of.columns}>
        {({ origin, destination, before, after }) => (
          <>
            <bdi className="wrap">{readableId(origin)}</bdi> → <bdi className="wrap">{readableId(destination)}</bdi>{" "}
            <Values before={before} after={after} />
          </>
        )}
      </Differences>
      <Differences title={words.code} of={of.code}>
        {(facet) => <FacetOf of={facet} />}
      </Differences>
      <Differences title={words.facets} of={of.facets}>
        {(facet) => <FacetOf of={facet} />}
      </Differences>
    </>
  );
}

function spanOfDifference(milliseconds: number | null): string | undefined {
  if (milliseconds === null) return undefined;
  if (milliseconds === 0) return words.same;
  return milliseconds > 0 ? words.slower(durationOf(milliseconds)) : words.faster(durationOf(-milliseconds));
}

function SideBySide({ of: { a, b } }: { of: RunComparison }) {
  const rows: [string, (run: RunComparison["a"]) => ReactNode][] = [
    [words.run, (run) => <RunLink id={run.id} />],
    [words.state, (run) => <State state={run.state} />],
    [words.started, (run) => run.startedAt && exactOf(run.startedAt)],
    [words.took, (run) => run.durationMs !== null && durationOf(run.durationMs)],
  ];
  return (
    <div className="scroll">
      <table className="compare-table">
        <thead>
          <tr>
            <td />
            <th scope="col">{words.before}</th>
            <th scope="col">{words.after}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([title, shown]) => (
            <tr key={title}>
              <th scope="row">{title}</th>
              <td>{shown(a)}</td>
              <td>{shown(b)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Counters({ of: { counters } }: { of: RunComparison }) {
  return (
    <Section title={words.counters}>
      <div className="scroll" tabIndex={0} role="region" aria-label={words.counters}>
        <table className="impact-table">
          <thead>
            <tr>
              {[words.dataset, words.before, words.after].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {counters.slice(0, MOST).map(({ dataset, direction, a, b }) => (
              <tr key={`${dataset} ${direction}`}>
                <td className="wrap">
                  <Link to="/lineage" search={{ node: dataset }}>
                    <bdi>{readableId(dataset)}</bdi>
                  </Link>{" "}
                  <span className="faint">{words.in[direction]}</span>
                </td>
                <td>{counted(a)}</td>
                <td>{counted(b)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

function counted(counters: ComparedCounters | null): string {
  if (!counters) return "–";
  const rows = counters.rows === null ? "" : `${countOf(counters.rows)} ${strings.dataset.rows}`;
  return [rows, counters.bytes === null ? "" : bytesOf(counters.bytes)].filter(Boolean).join(", ") || "–";
}

interface DifferencesProps<T> {
  title: string;
  of: T[];
  children: (one: T) => ReactNode;
}

function Differences<T extends { change: string }>({ title, of, children }: DifferencesProps<T>) {
  if (of.length === 0) return null;
  return (
    <Section title={title} note={countOf(of.length)}>
      <ul className="rows tight">
        {of.slice(0, MOST).map((one, index) => (
          <li key={index}>
            <span className={`sign ${one.change}`} title={one.change}>
              {SIGNS[one.change] ?? "~"}
            </span>
            <span className="row-main">
              <span className="wrap">{children(one)}</span>
            </span>
          </li>
        ))}
      </ul>
      {of.length > MOST && <p className="faint">{words.cut}</p>}
    </Section>
  );
}

function FacetOf({ of: { facet, field, before, after } }: { of: ComparedFacet }) {
  return (
    <>
      <bdi className="mono">{[facet, field].filter(Boolean).join(".")}</bdi>{" "}
      <Values before={textOf(before)} after={textOf(after)} />
    </>
  );
}

function Values({ before, after }: { before: string | null; after: string | null }) {
  return (
    <bdi className="wrap few-lines">
      {[before, before !== null && after !== null ? "→" : null, after].filter((part) => part !== null).join(" ")}
    </bdi>
  );
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}
