/** The columns inside a dataset's box: a page of them, a search, and each one's path by a click. */
import { Icon } from "../parts/icons";
import { strings } from "../strings";
import { useActions } from "./actions";
import type { OpenedColumns } from "./column-pages";
import type { Column } from "./model";
import type { DrawnData } from "./nodes";
import { PAGE } from "./sizes";

export function ColumnList({ data, opened }: { data: DrawnData; opened: OpenedColumns }) {
  const { node } = data;
  return (
    <div className="node-columns nopan nowheel">
      {opened.hasTools && <Tools id={node.id} opened={opened} />}
      {opened.shown.length === 0 && <span className="node-none">{strings.graph.noColumn}</span>}
      {opened.shown.map((column) => (
        <ColumnRow key={column.name} data={data} of={column} />
      ))}
    </div>
  );
}

function ColumnRow({ data, of: { name, type, tags = [] } }: { data: DrawnData; of: Column }) {
  const { choosePath } = useActions();
  const isChosen = data.chosen === name;
  const isMarked = data.marked.has(name);
  const notes = [...(data.masked.has(name) ? [strings.graph.masked] : []), ...tags];
  return (
    <button
      type="button"
      className={["node-column", isChosen && "chosen", isMarked && "marked"].filter(Boolean).join(" ")}
      aria-pressed={isChosen}
      title={[`${strings.graph.onlyPath} ${name}`, type, ...notes].filter(Boolean).join(", ")}
      onClick={() => choosePath(data.node.id, name)}
    >
      <bdi className="name">{name}</bdi>
      {notes.length > 0 && <bdi className="column-notes">{notes.join(", ")}</bdi>}
      <span className="column-type">{type}</span>
    </button>
  );
}

function Tools({ id, opened }: { id: string; opened: OpenedColumns }) {
  const { askColumns } = useActions();
  const { text, page } = opened.asked;
  const last = Math.max(0, Math.ceil(opened.matching / PAGE) - 1);
  const from = opened.matching === 0 ? 0 : page * PAGE + 1;
  const range = strings.graph.columnPage(from, Math.min((page + 1) * PAGE, opened.matching), opened.matching);
  return (
    <div className="node-tools">
      <input
        type="search"
        value={text}
        placeholder={strings.graph.searchColumns}
        aria-label={strings.graph.searchColumns}
        onChange={(event) => askColumns(id, { text: event.target.value, page: 0 })}
      />
      <button
        type="button"
        disabled={page === 0}
        aria-label={strings.graph.earlier}
        title={range}
        onClick={() => askColumns(id, { text, page: page - 1 })}
      >
        <Icon name="minus" size={12} />
      </button>
      <button
        type="button"
        disabled={page >= last}
        aria-label={strings.graph.later}
        title={range}
        onClick={() => askColumns(id, { text, page: page + 1 })}
      >
        <Icon name="plus" size={12} />
      </button>
    </div>
  );
}
