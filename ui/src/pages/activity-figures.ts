/** The activity of a job in figures: rates of each step, and what to say of it. */
import type { ActivityAt, ActivityMark, HeartbeatGap } from "../api/schema";
import { bytesOf, countOf, rateOf } from "../parts/time";
import { intervalOf } from "../parts/zone";
import { strings } from "../strings";

const words = strings.activity;

export const STEPS = ["minute", "hour", "day"] as const;
export type Step = (typeof STEPS)[number];
const SECONDS: Record<Step, number> = { minute: 60, hour: 3_600, day: 86_400 };

export interface ActivityPoint {
  at: number;
  /** Rows a second; null where nothing was counted. */
  written: number | null;
  read: number | null;
  lag: number | null;
  events: number | null;
  label: string;
}

export function pointsOf(steps: ActivityAt[], by: Step, now: number): ActivityPoint[] {
  return steps.map((step) => {
    const at = Date.parse(step.at);
    // The step that goes on is no longer than it has lasted; its first minute says nothing yet: what came may be older.
    const seconds = Math.min(SECONDS[by], (now - at) / 1000);
    const rate = (rows: number | null) => (rows === null || seconds < SECONDS.minute ? null : rows / seconds);
    const point = {
      at,
      written: rate(step.written.rows),
      read: rate(step.read.rows),
      lag: step.read.lag ?? step.written.lag,
      events: step.events,
    };
    return { ...point, label: tellPoint(step, by, point) };
  });
}

function tellPoint({ at, read, written }: ActivityAt, by: Step, point: Omit<ActivityPoint, "label">): string {
  const parts = [
    point.written !== null && `${words.written} ${rateOf(point.written)}${bytesIn(written.bytes)}`,
    point.read !== null && `${words.read} ${rateOf(point.read)}${bytesIn(read.bytes)}`,
    point.lag !== null && `${words.lag.toLowerCase()} ${countOf(point.lag)}`,
    point.events !== null && words.events(point.events),
  ];
  return `${intervalOf(at, by)}: ${parts.filter(Boolean).join(", ") || words.nothing}`;
}

const bytesIn = (bytes: number | null): string => (bytes === null ? "" : ` (${bytesOf(bytes)})`);

/** Times are lines and rectangles on a stretch from 0 to 100. */
export function scaleOf(from: number, until: number): (at: number) => number {
  const span = Math.max(1, until - from);
  return (at) => Math.min(100, Math.max(0, ((at - from) / span) * 100));
}

/** A line in steps through values, with a hole where there is none. */
export function stepLine(
  points: ActivityPoint[],
  value: (point: ActivityPoint) => number | null,
  most: number,
): string {
  const width = 100 / Math.max(1, points.length);
  let path = "";
  let isDown = false;
  points.forEach((point, index) => {
    const found = value(point);
    if (found === null) {
      isDown = false;
      return;
    }
    const y = 100 - (100 * found) / most;
    path += `${isDown ? "V" : `M${fixed(index * width)},`}${fixed(y)}H${fixed((index + 1) * width)}`;
    isDown = true;
  });
  return path;
}

const fixed = (value: number): number => Number(value.toFixed(2));

export function highestOf(points: ActivityPoint[], ...values: ((point: ActivityPoint) => number | null)[]): number {
  return Math.max(0, ...points.flatMap((point) => values.map((value) => value(point) ?? 0)));
}

/** What happened, newest first: starts, ends, and times without heartbeats. */
export function happeningsOf(marks: ActivityMark[], gaps: HeartbeatGap[]): (ActivityMark | HeartbeatGap)[] {
  const timeOfOne = (one: ActivityMark | HeartbeatGap) => ("kind" in one ? one.at : one.from);
  return [...marks, ...gaps].sort((a, b) => timeOfOne(b).localeCompare(timeOfOne(a)));
}
