/** The API key a person gave, for as long as the tab is open or for good; and who waits for one. */
const NAME = "headwater-key";

/** Why a key is asked for: the server refused (`needed`), or a person wants to use another. */
export type Asked = "" | "needed" | "wanted";

let asked: Asked = "";
const listeners = new Set<() => void>();
const keyListeners = new Set<() => void>();

export function currentKey(): string {
  return sessionStorage.getItem(NAME) ?? localStorage.getItem(NAME) ?? "";
}

export function isKeyKept(): boolean {
  return localStorage.getItem(NAME) !== null;
}

/** Use a key from now on; `isKept` also for tabs that are opened later. */
export function giveKey(key: string, isKept = false): void {
  sessionStorage.setItem(NAME, key.trim());
  if (isKept) localStorage.setItem(NAME, key.trim());
  else localStorage.removeItem(NAME);
  setAsked("");
  for (const listener of keyListeners) listener();
}

/** Use no key from now on, in this tab and later ones. */
export function forgetKey(): void {
  sessionStorage.removeItem(NAME);
  localStorage.removeItem(NAME);
  for (const listener of keyListeners) listener();
}

/** Be told when another key is used from now on. */
export function onKeyGiven(listener: () => void): void {
  keyListeners.add(listener);
}

/** The server wants a key, or does not accept the one it was given. */
export function requireKey(): void {
  setAsked("needed");
}

/** A person wants to use another key. */
export function askForKey(): void {
  if (asked === "") setAsked("wanted");
}

export function dismiss(): void {
  setAsked("");
}

export function keyAsked(): Asked {
  return asked;
}

export function onKeyAsked(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function setAsked(value: Asked): void {
  if (asked === value) return;
  asked = value;
  for (const listener of listeners) listener();
}
