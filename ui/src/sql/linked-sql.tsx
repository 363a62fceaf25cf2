/** SQL whose tables and columns lead to their pages; what belongs to the column at hand is lit. */
import { Link } from "@tanstack/react-router";
import { memo, useMemo } from "react";

import type { ColumnEnd } from "../graph/model";
import { endKey } from "../graph/model";
import type { Light } from "./column-sources";
import type { Mark } from "./marks";
import { MOST_LINKED } from "./marks";
import type { Token } from "./tokens";
import { tokensOf } from "./tokens";

interface Props {
  text: string;
  marks: Mark[];
  lights: ReadonlyMap<string, Light>;
  look: (at: ColumnEnd | null) => void;
}

const NONE: ReadonlyMap<string, Light> = new Map();

/** SQL with its words told apart, and nothing more. */
export function Sql({ text }: { text: string }) {
  return <LinkedSql text={text} marks={[]} lights={NONE} look={() => {}} />;
}

export function LinkedSql({ text, marks, lights, look }: Props) {
  const pieces = useMemo(() => piecesOf(text, marks), [text, marks]);
  return (
    <pre className="sql" tabIndex={0}>
      {pieces.map((piece) =>
        piece.mark ? (
          <MarkLink
            key={piece.start}
            text={piece.text}
            mark={piece.mark}
            light={lightOf(piece.mark, lights)}
            look={look}
          />
        ) : piece.kind === "plain" ? (
          piece.text
        ) : (
          <span key={piece.start} className={piece.kind}>
            {piece.text}
          </span>
        ),
      )}
    </pre>
  );
}

function lightOf({ table, field }: Mark, lights: ReadonlyMap<string, Light>): Light | undefined {
  return field ? lights.get(endKey({ dataset: table.id, field })) : undefined;
}

interface MarkProps extends Pick<Props, "look"> {
  text: string;
  mark: Mark;
  light: Light | undefined;
}

const MarkLink = memo(function MarkLink({ text, mark: { table, field }, light, look }: MarkProps) {
  const at = field ? { dataset: table.id, field } : null;
  const shared = {
    className: ["mark", field ? "of-column" : "of-table", light && `lit-${light}`].filter(Boolean).join(" "),
    title: [table.named.name, field].filter(Boolean).join("\n"),
    onMouseEnter: () => look(at),
    onMouseLeave: () => look(null),
    onFocus: () => look(at),
    onBlur: () => look(null),
  };
  return field ? (
    <Link to="/column" search={{ ...table.named, field }} {...shared}>
      {text}
    </Link>
  ) : (
    <Link to="/dataset" search={{ ...table.named }} {...shared}>
      {text}
    </Link>
  );
});

export interface Piece {
  kind: "keyword" | "quoted" | "comment" | "number" | "plain";
  text: string;
  start: number;
  mark?: Mark;
}

/** The text in pieces of one look each; a mark is a piece of its own. */
export function piecesOf(sql: string, marks: Mark[]): Piece[] {
  if (sql.length > MOST_LINKED) return [{ kind: "plain", text: sql, start: 0 }];
  const pieces: Piece[] = [];
  let next = 0;
  for (const token of tokensOf(sql)) {
    const mark = marks[next];
    const last = pieces[pieces.length - 1];
    if (last?.mark && token.start < last.mark.end) continue;
    if (mark && token.start === mark.start) {
      pieces.push({ kind: "plain", text: sql.slice(mark.start, mark.end), start: mark.start, mark });
      next += 1;
    } else {
      const kind = lookOf(token);
      if (last && !last.mark && last.kind === kind) last.text += token.text;
      else pieces.push({ kind, text: token.text, start: token.start });
    }
  }
  return pieces;
}

function lookOf({ kind }: Token): Piece["kind"] {
  if (kind === "keyword" || kind === "comment" || kind === "number") return kind;
  return kind === "string" || kind === "name" ? "quoted" : "plain";
}
