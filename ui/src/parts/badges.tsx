/** Words with a colour: states of runs and of health. */

import { strings } from "../strings";

const TONES: Record<string, string> = {
  COMPLETED: "good",
  COMPLETE: "good",
  RUNNING: "busy",
  START: "busy",
  NEW: "quiet",
  FAILED: "bad",
  FAIL: "bad",
  failed: "bad",
  silent: "warn",
  late: "warn",
  stale: "warn",
  empty: "bad",
  low: "warn",
  high: "warn",
  rejected: "warn",
  recovered: "quiet",
  unknownTopic: "warn",
  unknownConnector: "warn",
  unknownGroup: "warn",
  unknownInput: "warn",
  deletedTopic: "bad",
  vanishedGroup: "warn",
  notObserved: "warn",
  notDeclared: "warn",
  completed: "good",
  restarted: "warn",
  started: "busy",
  ok: "good",
  fresh: "good",
};

export function toneOf(state: string): string {
  return TONES[state] ?? "quiet";
}

export function nameOfState(state: string): string {
  return strings.health[state] ?? state.toLowerCase();
}

export function State({ state }: { state: string }) {
  return <span className={`state ${toneOf(state)}`}>{nameOfState(state)}</span>;
}
