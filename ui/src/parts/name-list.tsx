/** A list of names to choose from, with a box to find one. */
import type { ReactNode } from "react";
import { useState } from "react";

import { Empty } from "./states";

interface Props {
  names: string[];
  find: string;
  none: string;
  noneMatch: string;
  children: (name: string) => ReactNode;
}

const MOST = 500;

export function NameList({ names, find, none, noneMatch, children }: Props) {
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const shown = names.filter((name) => name.toLowerCase().includes(wanted)).slice(0, MOST);
  if (names.length === 0) return <Empty>{none}</Empty>;
  return (
    <>
      <div className="card-tools">
        <input
          type="search"
          value={text}
          placeholder={find}
          aria-label={find}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      {shown.length === 0 && <Empty>{noneMatch}</Empty>}
      <ul className="names">
        {shown.map((name) => (
          <li key={name}>{children(name)}</li>
        ))}
      </ul>
    </>
  );
}
