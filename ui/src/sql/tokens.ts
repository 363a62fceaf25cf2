/** SQL cut into words, names, texts and signs; together they are the text again, whatever it is. */

export type TokenKind = "keyword" | "word" | "name" | "string" | "comment" | "number" | "template" | "sign" | "space";

export interface Token {
  kind: TokenKind;
  text: string;
  /** Where it is in the text, in characters. */
  start: number;
  end: number;
}

// Words that are never a column or an alias; functions are told apart by the bracket after them.
const KEYWORDS = new Set(
  (
    "select from where group by having order limit offset fetch first next rows row only join inner left right full outer cross natural semi anti " +
    "asof on using as and or not in is null like ilike rlike similar between exists any some case when then else end union intersect except minus all " +
    "distinct insert into overwrite values update set delete truncate create replace table view stream temporary temp materialized if with recursive " +
    "over partition range groups unbounded preceding following current window merge matched alter drop add column primary key references constraint " +
    "interval true false asc desc nulls cast try_cast lateral unnest explode qualify emit changes final pivot unpivot match_recognize tablesample " +
    "for system_time timestamp_as_of version of to both leading trailing within grace retention tumbling hopping session size advance " +
    "cluster sort distribute returning execute statement begin watermark enforced connector array map struct collate escape ordinality rollup cube " +
    "grouping sets ignore respect filter"
  ).split(" "),
);

// In the order of the groups below.
const KINDS: TokenKind[] = ["comment", "template", "string", "name", "number", "word", "space", "sign"];

const PIECES = new RegExp(
  [
    /(--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))/u,
    /(\{\{[\s\S]*?(?:\}\}|$)|\{%[\s\S]*?(?:%\}|$)|\$\{[^}]*\}?)/u,
    /('[^']*(?:''[^']*)*'?|\$\$[\s\S]*?(?:\$\$|$))/u,
    /("[^"]*(?:""[^"]*)*"?|`[^`]*(?:``[^`]*)*`?)/u,
    /(\d[\w.]*)/u,
    /([\p{L}_@$][\p{L}\p{N}_$@]*)/u,
    /(\s+)/u,
    /(::|->>?|=>|<=|>=|<>|!=|\|\||[\s\S])/u,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gu",
);

export function tokensOf(sql: string): Token[] {
  const tokens: Token[] = [];
  for (const match of sql.matchAll(PIECES)) {
    const kind = KINDS[match.findIndex((text, index) => index > 0 && text !== undefined) - 1]!;
    const isKeyword = kind === "word" && KEYWORDS.has(match[0].toLowerCase());
    const [text, start] = [match[0], match.index];
    tokens.push({ kind: isKeyword ? "keyword" : kind, text, start, end: start + text.length });
  }
  return tokens;
}

/** A name without the quotes around it. */
export function nameOf({ kind, text }: Token): string {
  if (kind !== "name") return text;
  const quote = text[0]!;
  return text.slice(1, text.length > 1 && text.endsWith(quote) ? -1 : undefined).replaceAll(quote + quote, quote);
}

/** Where the text may be read in two ways: a quote after a backslash ends a string in some dialects only. */
export function firstDoubt(sql: string): number {
  const at = sql.search(/\\['"`]/);
  return at < 0 ? sql.length : at;
}
