/** A choice of a time: now, one of some presets, or any. */
import { useEffect, useRef } from "react";

import { strings } from "../strings";
import { Icon } from "./icons";
import { isTyping } from "./search";
import { exactOf, fromInput, toInput, zoneName } from "./zone";

const words = strings.time;
const HOUR = 3_600_000;
const PRESETS: [string, number][] = [
  ["hour", HOUR],
  ["day", 24 * HOUR],
  ["week", 7 * 24 * HOUR],
  ["month", 30 * 24 * HOUR],
];

interface Props {
  label: string;
  /** What it says while no time is chosen. */
  none: string;
  value: string | undefined;
  /** A key that opens it from anywhere on the page. */
  hotkey?: string;
  set: (time: string | undefined) => void;
}

export function TimeChoice({ label, none, value, hotkey, set }: Props) {
  const menu = useRef<HTMLDetailsElement>(null);
  useOpeningKey(hotkey, menu);
  function choose(time: string | undefined) {
    if (menu.current) menu.current.open = false;
    set(time);
  }
  return (
    <details ref={menu} className="menu">
      <summary className={value ? "is-set" : ""} aria-keyshortcuts={hotkey}>
        <Icon name="clock" />
        {label}
        {value && `: ${exactOf(value)}`}
      </summary>
      <div className="menu-body">
        <button type="button" aria-pressed={!value} onClick={() => choose(undefined)}>
          {none}
        </button>
        {PRESETS.map(([name, span]) => (
          <button key={name} type="button" onClick={() => choose(minuteOf(Date.now() - span))}>
            {words.presets[name]}
          </button>
        ))}
        <form
          action={(form) => {
            const time = fromInput(String(form.get("time") ?? ""));
            if (time) choose(time);
          }}
        >
          <label>
            {words.at} ({zoneName()})
            <input name="time" type="datetime-local" required defaultValue={toInput(value)} />
          </label>
          <button type="submit" className="primary">
            {words.apply}
          </button>
        </form>
      </div>
    </details>
  );
}

/** Opens a menu by a key, and closes it by Escape; the focus is where one goes on. */
function useOpeningKey(hotkey: string | undefined, menu: React.RefObject<HTMLDetailsElement | null>) {
  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      const shown = menu.current;
      if (!shown) return;
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (event.key === "Escape" && shown.open) {
        shown.open = false;
        shown.querySelector("summary")?.focus();
      } else if (event.key === hotkey && isPlain && !isTyping(event.target)) {
        shown.open = true;
        shown.querySelector("button")?.focus();
      } else return;
      event.preventDefault();
    }
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [hotkey, menu]);
}

/** A time to the minute: a link with it can be read. */
function minuteOf(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16)}:00Z`;
}
