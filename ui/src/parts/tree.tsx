/** JSON for people: a tree to open and close, the raw text, and the file. */
import { useState } from "react";

import { strings } from "../strings";
import { Icon } from "./icons";
import { fileName, save } from "./saving";

/** Deeper than this, where a page says no other, a branch is closed until it is asked for. */
const OPEN_DEPTH = 2;
const MOST_ITEMS = 200;

export function JsonView({
  value,
  name,
  openDepth = OPEN_DEPTH,
}: {
  value: unknown;
  name: string;
  openDepth?: number;
}) {
  const [isRaw, setRaw] = useState(false);
  return (
    <div>
      <div className="card-tools">
        <span className="segments">
          <button type="button" aria-pressed={!isRaw} onClick={() => setRaw(false)}>
            {strings.events.tree}
          </button>
          <button type="button" aria-pressed={isRaw} onClick={() => setRaw(true)}>
            {strings.events.raw}
          </button>
        </span>
        <button
          type="button"
          onClick={() => save(fileName(name, "json"), JSON.stringify(value, null, 2), "application/json")}
        >
          <Icon name="download" />
          {strings.events.download}
        </button>
      </div>
      {isRaw ? <pre tabIndex={0}>{JSON.stringify(value, null, 2)}</pre> : <Tree value={value} openDepth={openDepth} />}
    </div>
  );
}

function Tree({ value, openDepth }: { value: unknown; openDepth: number }) {
  return (
    <div className="tree">
      <Branch value={value} open={openDepth} />
    </div>
  );
}

/** `open`: so many levels from here on are. */
function Branch({ value, open }: { value: unknown; open: number }) {
  const entries = entriesOf(value);
  if (!entries) return <Leaf value={value} />;
  return (
    <>
      {entries.slice(0, MOST_ITEMS).map(([key, child]) => (
        <Item key={key} name={key} value={child} open={open} />
      ))}
      {entries.length > MOST_ITEMS && (
        <div className="leaf faint">{strings.home.changedMore(entries.length - MOST_ITEMS)}</div>
      )}
    </>
  );
}

function Item({ name, value, open }: { name: string; value: unknown; open: number }) {
  const entries = entriesOf(value);
  const [isOpen, setOpen] = useState(open > 0);
  if (!entries || entries.length === 0) {
    return (
      <div className="leaf">
        <span className="key">{name}</span>: <Leaf value={value} />
      </div>
    );
  }
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className="key">{name}</span> <span className="faint">({entries.length})</span>
      </summary>
      {isOpen && <Branch value={value} open={open - 1} />}
    </details>
  );
}

function Leaf({ value }: { value: unknown }) {
  return typeof value === "string" ? <bdi className="text">{value}</bdi> : <span>{JSON.stringify(value) ?? "–"}</span>;
}

function entriesOf(value: unknown): [string, unknown][] | undefined {
  return typeof value === "object" && value !== null ? Object.entries(value) : undefined;
}
