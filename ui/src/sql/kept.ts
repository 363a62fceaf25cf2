/** What was written on the page, for as long as the tab is open. */
import { useEffect, useState } from "react";

const NAME = "headwater-sql";

export interface Written {
  text: string;
  dialect: string;
  useGraph: boolean;
}

const NOTHING: Written = { text: "", dialect: "", useGraph: true };

export function readWritten(): Written {
  try {
    const kept = JSON.parse(sessionStorage.getItem(NAME) ?? "{}") as Partial<Written> | null;
    return {
      text: typeof kept?.text === "string" ? kept.text : NOTHING.text,
      dialect: typeof kept?.dialect === "string" ? kept.dialect : NOTHING.dialect,
      useGraph: kept?.useGraph !== false,
    };
  } catch {
    return NOTHING;
  }
}

export function useWritten(): [Written, (part: Partial<Written>) => void] {
  const [written, setWritten] = useState(readWritten);
  useEffect(() => {
    try {
      sessionStorage.setItem(NAME, JSON.stringify(written));
    } catch {
      // Storage that is full or forbidden costs only the convenience.
    }
  }, [written]);
  return [written, (part) => setWritten((before) => ({ ...before, ...part }))];
}
