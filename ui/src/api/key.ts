/** The API key a person gave, for as long as the tab is open; and who waits for one. */
const NAME = "headwater-key";

let isAsked = false;
const listeners = new Set<() => void>();

export function currentKey(): string {
  return sessionStorage.getItem(NAME) ?? "";
}

export function giveKey(key: string): void {
  sessionStorage.setItem(NAME, key.trim());
  setAsked(false);
}

export function askForKey(): void {
  setAsked(true);
}

export function isKeyAsked(): boolean {
  return isAsked;
}

export function onKeyAsked(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function setAsked(value: boolean): void {
  if (isAsked === value) return;
  isAsked = value;
  for (const listener of listeners) listener();
}
