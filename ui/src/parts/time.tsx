/** Times for people: how long ago, with the exact time on hover. */
import { strings } from "../strings";
import { useTicking } from "./tick";
import { exactOf } from "./zone";

export { exactOf };

const STEPS: [number, string][] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
  [1, "s"],
];

/** A length of time in its largest unit: `14 min`. */
export function spanOf(seconds: number): string {
  for (const [size, unit] of STEPS) {
    if (seconds >= size) return `${Math.floor(seconds / size)} ${unit}`;
  }
  return "0 s";
}

/** A duration in its two largest units: `1 min 40 s`, `350 ms`. */
export function durationOf(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  let rest = Math.floor(milliseconds / 1000);
  const parts: string[] = [];
  for (const [size, unit] of STEPS) {
    if (rest >= size && parts.length < 2) parts.push(`${Math.floor(rest / size)} ${unit}`);
    rest %= size;
  }
  return parts.join(" ");
}

export function agoOf(time: string | null | undefined, now = Date.now()): string {
  if (!time) return strings.times.never;
  const seconds = (now - Date.parse(time)) / 1000;
  if (Number.isNaN(seconds)) return time;
  if (Math.abs(seconds) < 1) return strings.times.now;
  return seconds >= 0 ? strings.times.ago(spanOf(seconds)) : strings.times.in(spanOf(-seconds));
}

export function Ago({ time }: { time: string | null | undefined }) {
  const ago = useTicking(() => agoOf(time));
  if (!time) return <span className="faint">{strings.times.never}</span>;
  return (
    <time dateTime={time} title={exactOf(time)}>
      {ago}
    </time>
  );
}

export function countOf(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : value.toLocaleString("en");
}

export function bytesOf(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  let size = value;
  for (const unit of ["B", "kB", "MB", "GB", "TB"]) {
    if (size < 1000 || unit === "TB")
      return `${size < 10 && unit !== "B" ? size.toFixed(1) : Math.round(size)} ${unit}`;
    size /= 1000;
  }
  return String(value);
}

/** Rows a second, with as many places as say something. */
export function rateOf(rate: number | null): string {
  if (rate === null) return "–";
  const places = rate >= 100 ? 0 : rate >= 1 ? 1 : 2;
  return strings.activity.perSecond(Number(rate.toFixed(places)).toLocaleString("en"));
}
