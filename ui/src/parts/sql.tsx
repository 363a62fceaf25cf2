/** SQL with its words told apart. */

const KEYWORDS = new Set(
  (
    "select from where group by having order limit offset join inner left right full outer cross on using as and or not in is null " +
    "like between exists case when then else end union all distinct insert into values update set delete create replace table view " +
    "temporary if with recursive over partition rows range window merge matched alter drop add column primary key references " +
    "interval true false asc desc cast lateral unnest qualify emit changes"
  ).split(" "),
);

export interface Piece {
  kind: "keyword" | "quoted" | "comment" | "number" | "plain";
  text: string;
}

const PIECES =
  /(--[^\n]*|\/\*[\s\S]*?\*\/)|('(?:[^']|'')*'?|"(?:[^"]|"")*"?|`[^`]*`?)|(\b\d+(?:\.\d+)?\b)|([A-Za-z_]\w*)|([\s\S])/g;

export function piecesOf(sql: string): Piece[] {
  const pieces: Piece[] = [];
  for (const [text, comment, quoted, number, word] of sql.matchAll(PIECES)) {
    const isKeyword = word !== undefined && KEYWORDS.has(word.toLowerCase());
    const kind = comment ? "comment" : quoted ? "quoted" : number ? "number" : isKeyword ? "keyword" : "plain";
    const last = pieces[pieces.length - 1];
    if (kind === "plain" && last?.kind === "plain") last.text += text;
    else pieces.push({ kind, text });
  }
  return pieces;
}

export function Sql({ text }: { text: string }) {
  return (
    <pre className="sql" tabIndex={0}>
      {piecesOf(text).map(({ kind, text }, index) => (
        <span key={index} className={kind}>
          {text}
        </span>
      ))}
    </pre>
  );
}
