/** What changed between two times, by what brought it: runs, people, declarations. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";

import { readableId } from "../api/ids";
import { allEdits, changes } from "../api/queries";
import type { ChangedNode, EditAnswer, LineageDiff } from "../api/schema";
import { Changes } from "../parts/changes";
import { changesOf } from "../parts/edit-log";
import { DatasetLink, JobLink, RunLink } from "../parts/links";
import { Section, useTitle } from "../parts/page";
import { Answer, Empty } from "../parts/states";
import { Ago, exactOf } from "../parts/time";
import { fromInput, toInput, zoneName } from "../parts/zone";
import { strings } from "../strings";
import type { ChangeGroup } from "./changes-groups";
import { groupChanges } from "./changes-groups";
import type { ChangesSearch } from "./changes-search";
import { DEFAULT_RANGE, RANGES, timesOf } from "./changes-search";

const words = strings.changesPage;
const EDIT = "edit";
const MOST = 300;

export function ChangesPage() {
  useTitle(words.title);
  const search = useSearch({ from: "/changes" });
  // biome-ignore lint/correctness/useExhaustiveDependencies: times are taken anew when the search changes
  const times = useMemo(() => timesOf(search), [JSON.stringify(search)]);
  const { node: nodeId, direction, after } = search;
  const query = useQuery(
    changes({ ...times, nodeId, direction, after, order: "newest", without: "state", limit: MOST }),
  );
  const edits = useQuery({ ...allEdits({ after: times.from, before: times.to }), enabled: !nodeId && !after });
  return (
    <div className="page">
      <h1>{words.title}</h1>
      <Range search={search} times={times} />
      <Section title={words.between(exactOf(times.from), exactOf(times.to))}>
        <Answer of={query} lines={8}>
          {(diff) => <Found diff={diff} edits={nodeId || after ? [] : (edits.data?.edits ?? [])} search={search} />}
        </Answer>
      </Section>
    </div>
  );
}

function Found({ diff, edits, search }: { diff: LineageDiff; edits: EditAnswer[]; search: ChangesSearch }) {
  const { kind } = search;
  const shown = kind ? diff.changes.filter(({ type }) => type === kind) : diff.changes;
  const groups = groupChanges(shown, diff.nodes, !kind || kind === EDIT ? edits : []);
  return (
    <>
      <Kinds diff={diff} edits={edits.length} search={search} />
      {groups.length === 0 && <Empty>{words.none}</Empty>}
      <ul className="rows problem-rows">
        {groups.map((group) => (
          <li key={group.key}>
            <Group of={group} nodes={diff.nodes} />
            <Ago time={group.at} />
          </li>
        ))}
      </ul>
      {diff.next ? (
        <Link className="button" to="/changes" search={{ ...search, after: diff.next }}>
          {strings.events.older}
        </Link>
      ) : (
        diff.isCut && <p className="faint">{words.cut}</p>
      )}
    </>
  );
}

/** Kinds of changes with their numbers; each shows only its own. */
function Kinds({ diff, edits, search }: { diff: LineageDiff; edits: number; search: ChangesSearch }) {
  const counts = new Map<string, number>();
  for (const { type } of diff.changes) counts.set(type, (counts.get(type) ?? 0) + 1);
  if (edits > 0) counts.set(EDIT, edits);
  return (
    <ul className="counts" aria-label={words.kinds}>
      {[...counts].map(([kind, count]) => (
        <li key={kind}>
          <Link
            className="count-link"
            to="/changes"
            search={{ ...search, kind: kind === search.kind ? undefined : kind }}
            activeOptions={{ exact: true }}
            aria-current={kind === search.kind || undefined}
          >
            {words.count(kind, count)}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** What one run or person did: in a sentence, and change by change. */
function Group({ of: group, nodes }: { of: ChangeGroup; nodes: Record<string, ChangedNode> }) {
  if (group.edit) return <Edited of={group.edit} />;
  return (
    <span className="row-main">
      <span className="change">
        {group.run ? (
          <>
            {strings.kinds.run} <RunLink id={group.run} />
            {group.job && <JobLink of={group.job} />}
          </>
        ) : (
          <bdi>{group.actor ?? words.declared}</bdi>
        )}
        <span>{group.summary}</span>
      </span>
      <details className="figures" open={group.changes.length <= FEW}>
        <summary>{words.each}</summary>
        <Changes of={group.changes} nodes={nodes} isGrouped />
      </details>
    </span>
  );
}

const FEW = 4;

function Edited({ of: edit }: { of: EditAnswer }) {
  const { type, namespace = "", name, field } = edit.entity;
  return (
    <span className="row-main">
      <span className="change">
        <bdi>{edit.actor}</bdi> {words.edited}
        {type === "dataset" && <DatasetLink of={{ namespace, name }} />}
        {type === "job" && <JobLink of={{ namespace, name }} />}
        {type !== "dataset" && type !== "job" && <bdi>{`${type} ${name}`}</bdi>}
        {field && <bdi className="mono">{field}</bdi>}
      </span>
      {changesOf(edit).map((change) => (
        <bdi key={change} className="faint wrap few-lines">
          {change}
        </bdi>
      ))}
    </span>
  );
}

function Range({ search, times }: { search: ChangesSearch; times: { from: string; to: string } }) {
  const navigate = useNavigate();
  const last = search.last ?? (search.from ? undefined : DEFAULT_RANGE);
  function apply(form: FormData) {
    const value = (name: string) => String(form.get(name) ?? "");
    const at = (name: string) => fromInput(value(name));
    void navigate({
      to: "/changes",
      search: { ...search, last: undefined, after: undefined, from: at("from"), to: at("to") },
    });
  }
  return (
    <>
      <div className="form-row">
        <span className="segments">
          {Object.keys(RANGES).map((range) => (
            <Link
              key={range}
              className="button"
              to="/changes"
              search={{ ...search, last: range, from: undefined, to: undefined, after: undefined }}
              activeOptions={{ exact: true }}
              aria-current={range === last || undefined}
            >
              {words.ranges[range]}
            </Link>
          ))}
        </span>
        {search.node && (
          <>
            <label>
              {words.direction}
              <select
                value={search.direction ?? ""}
                onChange={({ target }) =>
                  void navigate({
                    to: "/changes",
                    search: { ...search, direction: (target.value || undefined) as ChangesSearch["direction"] },
                    replace: true,
                  })
                }
              >
                <option value="">{words.both}</option>
                <option value="upstream">{strings.graph.upstream}</option>
                <option value="downstream">{strings.graph.downstream}</option>
              </select>
            </label>
            <Link className="button" to="/changes" search={{ ...search, node: undefined, direction: undefined }}>
              {words.around} <bdi className="name">{readableId(search.node)}</bdi> ×
            </Link>
          </>
        )}
      </div>
      <form className="form-row" action={apply} key={`${times.from} ${times.to}`}>
        <label>
          {strings.events.after} ({zoneName()})
          <input name="from" type="datetime-local" defaultValue={toInput(times.from)} required />
        </label>
        <label>
          {strings.events.before} ({zoneName()})
          <input name="to" type="datetime-local" defaultValue={toInput(times.to)} />
        </label>
        <button type="submit">{words.compare}</button>
      </form>
    </>
  );
}
