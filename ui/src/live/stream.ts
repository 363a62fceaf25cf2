/** The one stream of this tab that tells what changed: kept open while the tab is visible. */
import { ApiError, open } from "../api/client";
import { onKeyGiven } from "../api/key";
import { serverEvents } from "./server-events";

/** What came: node ids of jobs and datasets, or `isAll` if they are too many to name. */
export interface Changed {
  nodes: string[];
  events: number;
  rejected: number;
  isAll: boolean;
  /** Least seconds between two reads of what a page shows. */
  againAfterSeconds: number;
}

/** `off`: the server has no stream, or not for this key; pages are read again every minute all the same. */
export type LiveState = "connecting" | "live" | "off";

const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 30_000;
/** Without a sign for so long the connection is gone; the server gives one every 15 seconds. */
const SILENCE = 40_000;

let state: LiveState = "connecting";
let lastId = "";
let current: AbortController | undefined;
const stateListeners = new Set<() => void>();
const changeListeners = new Set<(changed: Changed) => void>();

export const liveState = (): LiveState => state;

export function onLiveState(listener: () => void): () => void {
  stateListeners.add(listener);
  return () => stateListeners.delete(listener);
}

export function onChanged(listener: (changed: Changed) => void): () => void {
  changeListeners.add(listener);
  return () => changeListeners.delete(listener);
}

/** Follow from now on, whenever the tab is visible. */
export function startLive(): void {
  document.addEventListener("visibilitychange", connectOrPause);
  onKeyGiven(restartLive);
  connectOrPause();
}

/** Connect anew, with the key that is used now. */
function restartLive(): void {
  pause();
  connectOrPause();
}

function connectOrPause(): void {
  if (document.visibilityState === "hidden") pause();
  else if (!current) void follow();
}

function pause(): void {
  current?.abort();
  current = undefined;
}

async function follow(): Promise<void> {
  const controller = new AbortController();
  current = controller;
  let wait = FIRST_WAIT;
  while (!controller.signal.aborted) {
    setState("connecting");
    try {
      await listen(controller.signal, () => {
        wait = FIRST_WAIT;
      });
    } catch (error) {
      if (error instanceof ApiError && !error.isPassing) {
        if (!controller.signal.aborted) setState("off");
        return;
      }
    }
    // Not all at once, when a server comes back.
    await pauseFor(wait * (1 + Math.random()), controller.signal);
    wait = Math.min(2 * wait, LONGEST_WAIT);
  }
}

/** Read one connection to its end. */
async function listen(signal: AbortSignal, onLife: () => void): Promise<void> {
  const connection = new AbortController();
  const end = () => connection.abort();
  signal.addEventListener("abort", end);
  let silence = setTimeout(end, SILENCE);
  try {
    const body = await open("live", lastId ? { "Last-Event-ID": lastId } : {}, connection.signal);
    const note = () => {
      clearTimeout(silence);
      silence = setTimeout(end, SILENCE);
      setState("live");
      onLife();
    };
    for await (const event of serverEvents(body, note)) {
      if (event.id) lastId = event.id;
      if (event.type === "changed") tell(JSON.parse(event.data) as Changed);
    }
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", end);
  }
}

function pauseFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      done();
    });
  });
}

function tell(changed: Changed): void {
  for (const listener of changeListeners) listener(changed);
}

function setState(next: LiveState): void {
  if (state === next) return;
  state = next;
  for (const listener of stateListeners) listener();
}
