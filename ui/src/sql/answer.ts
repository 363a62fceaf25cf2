/** What the server says of a text: statement by statement, with tables and columns. */
import type { Named } from "../api/ids";
import type { SqlLineage as Answer } from "../api/schema";

/** A column of a table; without a table it is of a query's result. */
export type ColumnName = [table: string | null, column: string];

export interface SqlColumn {
  out: ColumnName;
  in: ColumnName[];
  candidates?: ColumnName[];
}

export interface SqlTransformation {
  /** Null where it is of all columns that are written. */
  out: ColumnName | null;
  in: ColumnName;
  type: string;
  subtype: string | null;
  masking: boolean;
  candidate?: boolean;
}

export interface SqlProblem {
  message: string;
  line: number;
  column: number;
  kind?: string;
}

/** What is read and written by a statement, or by all of them. */
export interface SqlLineage {
  inputs: string[];
  outputs: string[];
  columns: SqlColumn[];
  transformations: SqlTransformation[];
  problems: SqlProblem[];
}

export interface SqlStatement extends SqlLineage {
  kind: string;
  line: number;
  column: number;
  /** The datasets that tables are, where that is known. */
  datasets?: Record<string, Named>;
  schema?: { table: string | null; name: string; type: string | null }[];
}

/** The API's answer, with the shapes of what the API document leaves open. */
export interface SqlAnswer extends SqlLineage, Pick<Answer, "dialect"> {
  statements?: SqlStatement[];
  /** The tables that this server knows, with their columns. */
  tables?: Record<string, Named & { columns: { name: string; type?: string | null }[] }>;
}
