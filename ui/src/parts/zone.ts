/** The time zone in which times are shown and entered: UTC, or that of the machine; kept in the browser. */
import { useSyncExternalStore } from "react";

const NAME = "headwater-zone";
export const ZONES = ["utc", "local"] as const;
export type Zone = (typeof ZONES)[number];

const listeners = new Set<() => void>();

export function chosenZone(): Zone {
  return localStorage.getItem(NAME) === "local" ? "local" : "utc";
}

export function chooseZone(zone: Zone): void {
  localStorage.setItem(NAME, zone);
  for (const listener of listeners) listener();
}

/** The zone, for what is drawn anew when a person chooses another. */
export function useZone(): Zone {
  return useSyncExternalStore(onZone, chosenZone);
}

function onZone(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A time as `2026-01-31T13:00:00` on the clocks of the zone. */
function wallClock(time: Date): string {
  if (chosenZone() === "utc") return time.toISOString().slice(0, 19);
  // Moved by as much as clocks there differ at that time.
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** What the zone is called at a time: `UTC`, `GMT+2`. */
export function zoneName(time: Date = new Date()): string {
  if (chosenZone() === "utc") return "UTC";
  const parts = new Intl.DateTimeFormat("en", { timeZoneName: "shortOffset" }).formatToParts(time);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
}

/** `2026-01-31 13:00:00 UTC`; what is no time stays as it is. */
export function exactOf(time: string): string {
  return written(time, (clock) => clock.replace("T", " "));
}

/** `13:00 UTC` */
export function clockOf(time: string): string {
  return written(time, (clock) => clock.slice(11, 16));
}

/** `01-31 13:00 UTC` */
export function minuteOf(time: string): string {
  return written(time, (clock) => clock.slice(5, 16).replace("T", " "));
}

/** When an interval of a plot begins. Days are those of UTC in any zone: that is how they are counted. */
export function intervalOf(at: string, by: string): string {
  return by === "day" ? `${at.slice(0, 10)} UTC` : minuteOf(at);
}

function written(time: string, part: (clock: string) => string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : `${part(wallClock(date))} ${zoneName(date)}`;
}

/** A time of a link, if it is one. */
export function validTime(text: string | undefined): string | undefined {
  return text && !Number.isNaN(Date.parse(text)) ? text : undefined;
}

/** What an input of a time shows for it. */
export function toInput(time: string | undefined): string | undefined {
  const date = new Date(time ?? "");
  return Number.isNaN(date.getTime()) ? undefined : wallClock(date).slice(0, 16);
}

/** The time that was entered, to the minute; nothing for what is none. */
export function fromInput(text: string | undefined): string | undefined {
  const date = new Date(`${text?.slice(0, 16)}${chosenZone() === "utc" ? "Z" : ""}`);
  return Number.isNaN(date.getTime()) ? undefined : `${date.toISOString().slice(0, 16)}:00Z`;
}
