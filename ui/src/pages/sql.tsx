/** SQL lineage: takes pasted SQL and draws which tables and columns it reads and writes. */
import { useMutation } from "@tanstack/react-query";
import type { FormEvent, KeyboardEvent } from "react";
import { useId, useMemo, useRef } from "react";

import { ApiError } from "../api/client";
import { sqlLineage } from "../api/queries";
import { useTitle } from "../parts/page";
import { Empty, Failure, Loading } from "../parts/states";
import type { SqlAnswer } from "../sql/answer";
import { graphOf } from "../sql/answer-graph";
import { SqlDrawing } from "../sql/drawing";
import { Columns, Problems, Tables } from "../sql/findings";
import type { Written } from "../sql/kept";
import { useWritten } from "../sql/kept";
import { selectPlace } from "../sql/place";
import { strings } from "../strings";
import { lookOf } from "../systems";
import "../styles/sql.css";

const words = strings.sql;

/** The text is sent as a whole: longer ones are for the command. */
const MOST_CHARACTERS = 1_000_000;

/** By the names that the server takes; systems that the graph draws have their labels there. */
const DIALECTS: Record<string, string> = {
  flink: lookOf("flink").label,
  ksqldb: lookOf("ksqldb").label,
  spark: lookOf("spark").label,
  databricks: lookOf("databricks").label,
  hive: lookOf("hive").label,
  trino: "Trino",
  postgres: lookOf("postgres").label,
  redshift: lookOf("redshift").label,
  snowflake: lookOf("snowflake").label,
  bigquery: lookOf("bigquery").label,
  mysql: lookOf("mysql").label,
  tsql: lookOf("mssql").label,
  oracle: lookOf("oracle").label,
  clickhouse: "ClickHouse",
  duckdb: "DuckDB",
  sqlite: "SQLite",
  teradata: "Teradata",
  ansi: words.standard,
};

export function dialectLabel(name: string): string {
  return Object.hasOwn(DIALECTS, name) ? DIALECTS[name]! : name || words.standard;
}

export function SqlPage() {
  useTitle(words.title);
  const [written, change] = useWritten();
  const box = useRef<HTMLTextAreaElement>(null);
  const query = useMutation(sqlLineage);
  const asked = query.variables;
  const isTooLong = written.text.length > MOST_CHARACTERS;

  function ask() {
    if (!written.text.trim() || isTooLong) return;
    query.mutate({
      sql: written.text,
      dialect: written.dialect || undefined,
      graph: written.useGraph || undefined,
    });
  }

  return (
    <div className="page sql-page">
      <div>
        <h1>{words.title}</h1>
        <p className="faint">{words.lead}</p>
      </div>
      <div className="sql-columns">
        <div className="column-of-cards">
          <Editor
            written={written}
            change={change}
            box={box}
            ask={ask}
            isBusy={query.isPending}
            isTooLong={isTooLong}
          />
          {query.data && (
            <>
              <p role="status" className="faint">
                {words.chosen(dialectLabel(query.data.dialect))} {asked?.sql !== written.text && words.changed}
              </p>
              <Problems
                of={query.data.problems}
                select={({ line, column }) => box.current && selectPlace(box.current, line, column)}
              />
              <Tables of={query.data} />
            </>
          )}
        </div>
        <div className="column-of-cards">
          {query.isPending ? (
            <Loading lines={6} />
          ) : query.isError ? (
            <Refused error={query.error} retry={ask} />
          ) : query.data ? (
            <Answered key={query.submittedAt} answer={query.data} />
          ) : (
            <div className="card">
              <Empty title={words.empty}>{words.lead}</Empty>
            </div>
          )}
        </div>
      </div>
    </div>
  );
}

function Answered({ answer }: { answer: SqlAnswer }) {
  const graph = useMemo(() => graphOf(answer), [answer]);
  if (graph.nodes.size === 0) {
    return (
      <div className="card">
        <Empty>{words.nothing}</Empty>
      </div>
    );
  }
  return (
    <>
      <SqlDrawing graph={graph} />
      <Columns answer={answer} graph={graph} />
    </>
  );
}

/** A server without the route answers as for any address that it does not have. */
function Refused({ error, retry }: { error: unknown; retry: () => void }) {
  const isAbsent = error instanceof ApiError && [404, 405, 501].includes(error.status);
  return (
    <div className="card">
      {isAbsent ? (
        <div className="failure" role="alert">
          <p className="empty-title">{strings.state.failed}</p>
          <p>{words.noRoute}</p>
        </div>
      ) : (
        <Failure error={error} retry={retry} />
      )}
    </div>
  );
}

interface EditorProps {
  written: Written;
  change: (part: Partial<Written>) => void;
  box: React.RefObject<HTMLTextAreaElement | null>;
  ask: () => void;
  isBusy: boolean;
  isTooLong: boolean;
}

function Editor({ written, change, box, ask, isBusy, isTooLong }: EditorProps) {
  const label = useId();
  function onSubmit(event: FormEvent) {
    event.preventDefault();
    ask();
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    ask();
  }
  return (
    <form className="card sql-form" onSubmit={onSubmit}>
      <label htmlFor={label}>{words.text}</label>
      <textarea
        id={label}
        ref={box}
        className="mono"
        rows={14}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        wrap="off"
        placeholder={words.placeholder}
        value={written.text}
        onChange={(event) => change({ text: event.target.value })}
        onKeyDown={onKeyDown}
      />
      {isTooLong && (
        <p className="notice" role="alert">
          {words.tooLong(MOST_CHARACTERS)}
        </p>
      )}
      <div className="form-row">
        <label>
          {words.dialect}
          <select value={written.dialect} onChange={(event) => change({ dialect: event.target.value })}>
            <option value="">{words.automatic}</option>
            {Object.entries(DIALECTS).map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label className="check" title={words.useGraphHelp}>
          <input
            type="checkbox"
            checked={written.useGraph}
            onChange={(event) => change({ useGraph: event.target.checked })}
          />
          {words.useGraph}
        </label>
      </div>
      <div className="actions">
        <button type="submit" className="primary" disabled={isBusy || isTooLong || !written.text.trim()}>
          {words.draw} <kbd>{words.keys}</kbd>
        </button>
        <button type="button" disabled={!written.text} onClick={() => change({ text: "" })}>
          {words.clear}
        </button>
      </div>
    </form>
  );
}
