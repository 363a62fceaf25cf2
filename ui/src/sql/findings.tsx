/** Beside the drawing: what was not understood, which tables there are, what each column is made from. */
import { useMemo, useState } from "react";

import type { ColumnEnd } from "../graph/model";
import { Section } from "../parts/page";
import { Empty } from "../parts/states";
import { strings } from "../strings";
import type { SqlAnswer, SqlProblem } from "./answer";
import type { SqlGraph } from "./answer-graph";
import { columnsWithoutSource, tablesOf } from "./answer-graph";
import { lightOf, sourcesByColumn } from "./column-sources";
import { EndLink, SourceList } from "./source-list";

const words = strings.sql;
const MOST_PROBLEMS = 200;

export function Problems({ of, select }: { of: SqlProblem[]; select: (problem: SqlProblem) => void }) {
  return (
    <Section title={words.problems(of.length)}>
      {of.length === 0 && <Empty>{words.noProblems}</Empty>}
      <ul className="rows tight problems">
        {of.slice(0, MOST_PROBLEMS).map((problem, index) => (
          <li key={index}>
            <button type="button" className="problem" onClick={() => select(problem)}>
              <span className="faint nowrap">{words.place(problem.line, problem.column)}</span>
              <bdi className="wrap">{problem.message}</bdi>
            </button>
          </li>
        ))}
        {of.length > MOST_PROBLEMS && <li className="faint">{words.moreProblems(of.length - MOST_PROBLEMS)}</li>}
      </ul>
    </Section>
  );
}

export function Columns({ answer, graph }: { answer: SqlAnswer; graph: SqlGraph }) {
  const [active, setActive] = useState<ColumnEnd | null>(null);
  const rows = useMemo(() => {
    const none = { direct: [], indirect: [], candidates: [], isInferred: false };
    return [
      ...sourcesByColumn(graph.columnEdges),
      ...columnsWithoutSource(graph, answer).map((to) => ({ to, ...none })),
    ];
  }, [graph, answer]);
  const lights = useMemo(() => lightOf(graph.columnEdges, active), [graph, active]);
  if (rows.length === 0) return null;
  return (
    <Section title={words.sources}>
      <SourceList
        rows={rows}
        lights={lights}
        look={setActive}
        label={words.sources}
        render={(end) => (
          <EndLink end={end} name={graph.nodes.get(end.dataset)?.name} of={graph.datasets.get(end.dataset)} />
        )}
      />
    </Section>
  );
}

export function Tables({ of: answer }: { of: SqlAnswer }) {
  const { read, written } = tablesOf(answer);
  return (
    <Section title={words.tables}>
      <dl className="facts">
        {[[words.reads, read] as const, [words.writes, written] as const].map(([title, names]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>
              <bdi className="mono">{names.join(", ") || words.none}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
