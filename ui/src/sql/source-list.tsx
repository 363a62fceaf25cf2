/** The columns that are written, each with its sources: `amount ← orders.price (TRANSFORMATION)`. */
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

import type { Named } from "../api/ids";
import { shortName } from "../api/ids";
import { howOf } from "../graph/edges";
import type { ColumnEdge, ColumnEnd } from "../graph/model";
import { endKey } from "../graph/model";
import { strings } from "../strings";
import type { ColumnSources, Light } from "./column-sources";

const words = strings.sql;
const MOST_ROWS = 300;

interface Props {
  rows: ColumnSources[];
  lights: ReadonlyMap<string, Light>;
  look: (at: ColumnEnd | null) => void;
  /** How the end of an edge is written; a link, where it leads somewhere. */
  render: (end: ColumnEnd) => React.ReactNode;
  label: string;
}

export function SourceList({ rows, lights, look, render, label }: Props) {
  const list = useRef<HTMLUListElement>(null);
  // What is lit is brought into view, within the list alone.
  useEffect(() => {
    const row = lights.size > 0 ? list.current?.querySelector<HTMLElement>("li.lit") : null;
    if (!row || !list.current || list.current.matches(":hover, :focus-within")) return;
    list.current.scrollTop = row.offsetTop - list.current.clientHeight / 2;
  }, [lights]);
  return (
    <ul ref={list} className="source-list" aria-label={label} tabIndex={0}>
      {rows.slice(0, MOST_ROWS).map((row) => (
        <Row key={endKey(row.to)} row={row} lights={lights} look={look} render={render} />
      ))}
      {rows.length > MOST_ROWS && <li className="faint">{words.moreColumns(rows.length - MOST_ROWS)}</li>}
    </ul>
  );
}

function Row({ row, lights, look, render }: { row: ColumnSources } & Pick<Props, "lights" | "look" | "render">) {
  const { to, direct, indirect, candidates, isInferred } = row;
  const isLit = lights.has(endKey(to));
  const part = { lights, look, render };
  return (
    <li className={isLit ? "lit" : undefined}>
      <End end={to} {...part} />{" "}
      {direct.length > 0 && (
        <>
          <span role="img" aria-label={words.from}>
            ←
          </span>{" "}
          <Sources edges={direct} {...part} />
        </>
      )}
      {direct.length + candidates.length === 0 && to.field && <span className="faint">{words.noDirect}</span>}
      {candidates.length > 0 && (
        <span className="indirect-sources">
          {words.candidates} <Sources edges={candidates} {...part} />
        </span>
      )}
      {indirect.length > 0 && (
        <span className="indirect-sources">
          {words.indirect} <Sources edges={indirect} {...part} />
        </span>
      )}
      {isInferred && (
        <span className="state quiet" title={strings.graph.inferredHelp}>
          {strings.graph.inferred}
        </span>
      )}
    </li>
  );
}

function Sources({ edges, ...part }: { edges: ColumnEdge[] } & Pick<Props, "lights" | "look" | "render">) {
  return edges.map((edge, index) => (
    <span key={`${endKey(edge.from)} ${edge.how.join()}`}>
      {index > 0 && ", "}
      <End end={edge.from} {...part} />
      {kindOf(edge) && (
        <span className="faint" title={howOf(edge)}>
          {" "}
          ({kindOf(edge)})
        </span>
      )}
    </span>
  ));
}

/** The subtypes alone; a plain copy needs no word. */
function kindOf({ how, isMasked }: ColumnEdge): string {
  const kinds = how.map((one) => one.split(":")[0]!).filter((kind) => kind && kind !== "IDENTITY");
  return [...new Set([...kinds, ...(isMasked ? [strings.graph.masked] : [])])].join(", ");
}

function End({ end, lights, look, render }: { end: ColumnEnd } & Pick<Props, "lights" | "look" | "render">) {
  const light = lights.get(endKey(end));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it lights what belongs together, for who points and who tabs
    <span
      className={light ? `end lit-${light}` : "end"}
      onMouseEnter={() => look(end)}
      onMouseLeave={() => look(null)}
      onFocus={() => look(end)}
      onBlur={() => look(null)}
    >
      {render(end)}
    </span>
  );
}

interface EndLinkProps {
  end: ColumnEnd;
  /** The dataset on this server, if it is one. */
  of: Named | undefined;
  name?: string;
  /** Whether it is of the only dataset that is written, whose name goes without saying. */
  isAlone?: boolean;
}

export function EndLink({ end, of: named, name = named?.name ?? end.dataset, isAlone = false }: EndLinkProps) {
  const own = end.field ? `.${end.field}` : `: ${words.allColumns}`;
  const text = isAlone ? end.field || words.allColumns : shortName(name) + own;
  if (!named) return <bdi className="mono">{text}</bdi>;
  const shared = { className: "mono", title: named.name, children: <bdi>{text}</bdi> };
  return end.field ? (
    <Link to="/column" search={{ ...named, field: end.field }} {...shared} />
  ) : (
    <Link to="/dataset" search={{ ...named }} {...shared} />
  );
}
